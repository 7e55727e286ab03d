"""Work that kills its node is not tried for ever, and what ran beside it is done."""

import subprocess
import sys
from typing import Any

import pytest

from roost.client.start import find_node
from roost.model.errors import RoostError
from tests.real.nodes import NodeHome, wait_until

LIVES_MAX = 12
#: The node's own program, which waits less before it tries a suspect.
HASTY = [
    sys.executable,
    "-P",
    "-c",
    "from roost.runtime.probation import probation; probation.WAIT_S = 0.1; from roost.app.daemon import main; main()",
]
KILLS = """
import os, signal, sys, time
import roost

def work(number, go):
    while not os.path.exists(go):
        time.sleep(0.01)
    if number == 2:
        os.kill(os.getppid(), signal.SIGKILL)
        return "it goes on until it is ended"
    time.sleep(0.2)
    return number

if __name__ == "__main__":
    pool = roost.connect()
    futures = [pool.submit(work, number, sys.argv[1]) for number in range(5)]
    print([future.id for future in futures], flush=True)
    os._exit(0)
"""
pytestmark = [pytest.mark.real, pytest.mark.timeout(240)]


def told(node_home: NodeHome) -> dict[str, Any]:
    """The run, or nothing while no node lives."""
    try:
        with node_home.control() as control:
            found: dict[str, Any] = control.get("/v1/runs/last")
    except RoostError:
        return {}
    return found


def live_until_the_run_has_ended(node_home: NodeHome) -> dict[str, int]:
    """Start the node again each time that it has died; return how the elements have ended."""
    for _ in range(LIVES_MAX):
        if the_run_ends_before(node_home, node_home.spawn(program=HASTY)):
            break
        node_home.await_end()
    counts: dict[str, int] = told(node_home)["counts"]
    return counts


def the_run_ends_before(node_home: NodeHome, node: subprocess.Popen[bytes]) -> bool:
    wait_until(lambda: node.poll() is not None or told(node_home).get("ended"), "that the run or the node ends")
    return node.poll() is None


def test_a_command_that_kills_the_node_fails_and_its_neighbours_are_done(node_home: NodeHome) -> None:
    node_home.spawn(program=HASTY)
    wait_until(lambda: find_node(node_home.home), "that the node listens")
    kill = 'if [ {i} = 2 ]; then kill -9 "$(cat "$ROOST_HOME/lock")"; fi; sleep 0.2'
    node_home.roost("submit", "--array", "1-5", "--", "sh", "-c", kill)
    node_home.await_end()
    counts = live_until_the_run_has_ended(node_home)
    assert (counts["done"], counts["failed"]) == (4, 1)
    assert "while it ran alone, and so it was 3 times" in node_home.roost("explain", "last").stdout
    assert "ran alone" in node_home.log_text()
    assert not node_home.home.suspects.exists()


def test_so_does_a_function(node_home: NodeHome) -> None:
    node_home.spawn(program=HASTY)
    wait_until(lambda: find_node(node_home.home), "that the node listens")
    node_home.python(KILLS, str(node_home.work / "go"))
    (node_home.work / "go").touch()
    node_home.await_end()
    counts = live_until_the_run_has_ended(node_home)
    assert (counts["done"], counts["failed"]) == (4, 1)
    assert "while it ran alone, and so it was 3 times" in node_home.roost("explain", "last").stdout
