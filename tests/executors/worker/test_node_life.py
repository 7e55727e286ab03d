"""A process sees that its node is dying before its channel tells."""

import os
import signal
import subprocess

from roost.executors.worker.node_life import NodeLife


def test_a_node_that_was_killed_is_seen_at_once_and_after_its_end() -> None:
    with subprocess.Popen(["sleep", "600"]) as node:
        life = NodeLife(node.pid)
        assert not life.is_over
        os.kill(node.pid, signal.SIGKILL)
        while node.poll() is None:
            assert life.is_over, "the signal is pending, or the process is ending"
        assert life.is_over


def test_a_node_that_ends_by_itself_is_seen() -> None:
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as node:
        life = NodeLife(node.pid)
        assert node.stdin is not None
        node.stdin.close()
        os.waitid(os.P_PID, node.pid, os.WEXITED | os.WNOWAIT)
        assert life.is_over, "it has ended, and nobody has reaped it yet"


def test_what_cannot_be_known_is_no() -> None:
    assert not NodeLife(2**22 + 1).is_over
    life = NodeLife(os.getpid())
    os.close(life._stat)
    assert not life.is_over
