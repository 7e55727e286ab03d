"""The program of a worker for scripts: it ends with its node, whatever its script does."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from roost.executors.worker import page
from roost.executors.worker.messages import ENCODER, FROM_CHILD, Keep, Ready, ScriptLease
from roost.model.limits import MIB
from roost.wire.frames import FrameReader, frame
from tests.executors.lab import TASK


class Process:
    """A worker, and all that a node holds of it."""

    def __init__(self, root: Path) -> None:
        self.channel, theirs = socket.socketpair()
        lifeline, self.lifeline = os.pipe()
        shared, self.page = page.make()
        lent = [theirs.fileno(), shared, lifeline]
        command = [sys.executable, "-m", "roost.executors.worker.script_main", *map(str, lent), str(root), "0"]
        with (root / "output").open("ab") as output:
            self.popen = subprocess.Popen(
                command, pass_fds=lent, start_new_session=True, stdout=output, stderr=output, cwd=root
            )
        theirs.close()
        os.close(lifeline)
        os.close(shared)
        self.channel.settimeout(30)
        assert [FROM_CHILD.decode(message) for message in FrameReader().feed(self.channel.recv(1000))] == [[Ready()]]

    def loop(self) -> None:
        """Make it run a script without end, and wait until it does."""
        code = Keep("code", (b"function weevil_main() { while (true); }",))
        lease = ScriptLease(1, TASK, 1, False, (0, 1), (), (), (), False, "code", "weevil_main", "job", None, 32 * MIB)
        self.channel.sendall(frame(ENCODER.encode([code, lease])))
        while page.read(self.page) is None:
            pass

    def close(self) -> None:
        self.popen.kill()
        self.popen.wait(30)
        self.channel.close()
        self.page.close()


@pytest.fixture
def process(tmp_path: Path) -> Iterator[Process]:
    process = Process(tmp_path)
    yield process
    process.close()


def test_an_idle_worker_ends_with_its_channel(process: Process) -> None:
    process.channel.shutdown(socket.SHUT_RDWR)
    assert process.popen.wait(30) == -9
    os.close(process.lifeline)


def test_a_worker_whose_script_loops_ends_with_its_lifeline(process: Process) -> None:
    process.loop()
    os.close(process.lifeline)
    assert process.popen.wait(30) == -9
