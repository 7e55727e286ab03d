"""Work that hands in more work and waits for it, deeper than the node has processors."""

import sys
from pathlib import Path

import pytest

from tests.real.meshes import mesh_here
from tests.real.nodes import PROGRAM, NodeHome, wait_until

pytestmark = pytest.mark.real

#: Two outer calls for each way to wait, and below each two on every further level; all wait for those below them.
TREE = """
import concurrent.futures, sys
import roost

def count(level, way):
    import roost
    if not level:
        return 1
    with roost.connect() as pool:
        if way == "map":
            return 1 + sum(pool.map(count, [level - 1] * 2, [way] * 2))
        calls = [pool.submit(count, level - 1, way) for _ in range(2)]
        if way == "as_completed":
            calls = concurrent.futures.as_completed(calls)
        return 1 + sum(call.result() for call in calls)

levels, ways = int(sys.argv[1]), sys.argv[2:]
with roost.connect() as pool:
    outer = [pool.submit(count, levels - 1, way) for way in ways for _ in range(2)]
    print([call.result() for call in outer])
"""


def test_four_levels_of_calls_on_two_processors_come_to_their_end(node_home: NodeHome) -> None:
    node_home.start()
    assert node_home.python(TREE, "4", "result", "map", "as_completed").strip() == str([15] * 6)
    with node_home.control() as control:
        wait_until(lambda: control.get("/v1/status")["free"]["cpus"] == 2, "that all processors are free again")


def test_four_levels_of_commands_on_two_processors_come_to_their_end(node_home: NodeHome) -> None:
    node_home.start()
    nested = [*PROGRAM, "submit", "--quiet", "--wait", "--"]
    ended = node_home.roost("submit", "--wait", "--quiet", "--array", "1-3", "--", *(nested * 3), "echo", "deep")
    assert ended.stdout.split() == ["deep"] * 3


def test_a_program_that_a_function_starts_waits_for_the_function(node_home: NodeHome) -> None:
    node_home.start()
    script = f"""
import subprocess, roost

def outer(number):
    return subprocess.run({[*PROGRAM, "submit", "--quiet", "--wait", "--"]!r} + ["echo", str(number)],
                          capture_output=True, text=True, check=True).stdout.strip()

with roost.connect() as pool:
    print(*[call.result() for call in [pool.submit(outer, number) for number in range(3)]])
"""
    assert node_home.python(script).split() == ["0", "1", "2"]


def test_in_a_mesh_an_element_hands_in_where_it_runs(tmp_path: Path) -> None:
    with mesh_here(tmp_path, 2) as homes:
        for home in homes:
            with home.control() as control:
                wait_until(lambda control=control: control.get("/v1/status")["nodes"] == 2, "that both are there")
        assert homes[0].python(TREE, "3", "result").strip() == str([7] * 2)


def test_an_element_that_dies_while_it_waits_gives_its_loan_back(node_home: NodeHome) -> None:
    node_home.start()
    waiting = (
        "import roost, time, os, threading\n"
        "with roost.connect() as pool:\n"
        "    threading.Timer(1.0, os._exit, [3]).start()\n"
        "    pool.submit(time.sleep, 60).result()\n"
    )
    node_home.roost("submit", "--wait", "--quiet", "--", sys.executable, "-c", waiting, code=None)
    with node_home.control() as control:
        wait_until(lambda: control.get("/v1/status")["free"]["cpus"] == 1, "that only the inner call runs")
        for run in control.get("/v1/runs")["runs"]:
            control.post(f"/v1/runs/{run['run']}/cancel")
        wait_until(lambda: control.get("/v1/status")["free"]["cpus"] == 2, "that all processors are free again")
