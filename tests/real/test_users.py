"""Two people share two machines: a small job of one gets in while a sweep of the other runs."""

from pathlib import Path
from typing import Any

import pytest

from roost.client.control import Control
from tests.real.meshes import await_company, mesh_here, talking_to
from tests.real.nodes import wait_until

pytestmark = pytest.mark.real

ELEMENTS = 300


def hand_in(node: Control, count: int, priority: str = "low") -> str:
    work = {"name": "work", "command": {"argv": ["sleep", "0.3"]}, "array": f"1-{count}", "priority": priority}
    run: str = node.post("/v1/runs", {"name": "work", "tasks": [work]})["run"]
    return run


def detail_of(node: Control, run: str) -> dict[str, Any]:
    detail: dict[str, Any] = node.get(f"/v1/runs/{run}")
    return detail


def done(node: Control, run: str) -> int:
    number: int = detail_of(node, run)["counts"]["done"]
    return number


def test_a_small_job_gets_in_while_somebody_elses_sweep_runs(tmp_path: Path) -> None:
    with mesh_here(tmp_path, 2, users=("ann", "bob")) as homes, talking_to(homes) as nodes:
        await_company(nodes, 2)
        # Nobody gains by calling it all interactive.
        sweep = hand_in(nodes[0], ELEMENTS, "interactive")
        wait_until(lambda: done(nodes[1], sweep) >= 10, "that the sweep goes on")
        before = done(nodes[1], sweep)
        small = hand_in(nodes[1], 1)
        wait_until(lambda: done(nodes[1], small) == 1, lambda: f"that {small} ends: {detail_of(nodes[1], small)}")
        after = done(nodes[1], sweep)
        owners = [detail_of(nodes[0], run)["owner"] for run in (sweep, small)]
        assert owners == ["ann", "bob"]
        # Two run at a time, and a few may end before word of it is there and back.
        assert after - before < 30, f"{after - before} of {ELEMENTS} elements ended before"
        work = nodes[0].get("/v1/status")["work"]
        assert [user["name"] for user in work["users"]] == ["ann", "bob"]
        assert {node["name"] for node in work["nodes"]} == {node.get("/v1/status")["node"] for node in nodes}
