"""Five machines, of which two would do all the work that arrives slowly: with fairness each does its part.

The machines are this one, as if it had nothing else to do; all else is real.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from statistics import pvariance
from typing import Any

import pytest

from roost.client.control import Control
from tests.real.meshes import await_company, mesh_here, run_array, talking_to, workers_of
from tests.real.nodes import wait_until

pytestmark = pytest.mark.real

NODES, ROUNDS = 5, 2
#: Much longer than the differences between two jobs, because what is evened out is time: the first job of a node starts
#: processes.
JOB_S = 2.0


@contextmanager
def five_nodes(
    folder: Path, own: Mapping[int, Mapping[str, str]] | None = None, **variables: str
) -> Iterator[list[Control]]:
    (folder / "system").mkdir()
    settings = {"ROOST_SYSTEM_FILES": str(folder / "system"), **variables}
    with mesh_here(folder, NODES, own, **settings) as homes, talking_to(homes) as nodes:
        await_company(nodes, NODES)
        yield nodes


def performances(node: Control) -> dict[str, float | None]:
    """Return how all nodes do, as this one knows it."""
    return {view["node"]: view["performance"] for view in node.get("/v1/nodes")["nodes"]}


def agree(nodes: list[Control]) -> bool:
    """Whether all know of all how they do now."""
    known = [performances(node) for node in nodes]
    return None not in known[0].values() and all(one == known[0] for one in known)


def await_agreement(nodes: list[Control]) -> None:
    wait_until(lambda: agree(nodes), lambda: f"that all know how all do: {[performances(node) for node in nodes]}")


def run_one(nodes: list[Control], at: int) -> str:
    """Hand in a short job on the first two nodes by turns; return who has done it."""
    node = nodes[at % 2]
    run = run_array(node, f"sleep {JOB_S:g}", 1)
    wait_until(lambda: node.get(f"/v1/runs/{run}")["state"] == "done", lambda: f"that {run} ends")
    (worker,) = workers_of(nodes, run)
    return worker


def test_not_best_gives_each_of_five_machines_as_many_jobs(tmp_path: Path) -> None:
    with five_nodes(tmp_path, ROOST_FAIRNESS="not-best") as nodes:
        done = Counter[str]()
        for at in range(NODES * ROUNDS):
            await_agreement(nodes)
            done[run_one(nodes, at)] += 1
        assert len(done) == NODES
        assert pvariance(done.values()) < 0.1, done
        status: dict[str, Any] = nodes[0].get("/v1/status")
        assert (status["fairness"], status["fairness_group"]) == ("not-best", 10)


def test_a_node_says_why_it_leaves_work_to_better_ones_and_does_it_when_they_do_not(tmp_path: Path) -> None:
    """Only the first may do it, because of its tag; of the others it does not know that they may not."""
    with five_nodes(tmp_path, {0: {"ROOST_TAGS": "mine"}}, ROOST_FAIRNESS="not-best") as nodes:
        name = nodes[0].get("/v1/status")["node"]
        await_agreement(nodes)
        for at, seen in enumerate((False, True)):
            work = {"name": "work", "command": {"argv": ["sleep", "0.3"]}, "require": '"mine" in tags'}
            run = nodes[0].post("/v1/runs", {"name": "work", "tasks": [work]})["run"]
            lines: list[str] = nodes[0].get(f"/v1/runs/{run}/explain")["lines"]
            why = f"ready: on {name}: this node leaves it for now: "
            assert any(why in line and "(not-best)" in line for line in lines) is seen, (at, lines)
            wait_until(lambda run=run: nodes[0].get(f"/v1/runs/{run}")["state"] == "done", "that it ends")  # type: ignore[misc]
            assert workers_of(nodes, run) == {name}
            await_agreement(nodes)
        assert (performances(nodes[1])[name] or 1.0) < 1.0
