"""Short commands of which no two are alike, in chains of four, from one submitter: over three nodes and on one alone.

Of an array a node takes thousands of elements at a time; here every task is looked for, leased, told and kept alone,
so this is what a mesh costs for a task. The floor is one node alone with both processors, as in throughput.py.
"""

import time
from typing import Any

from bench.mesh.figures import Figure, Options
from bench.mesh.nodes import ALONE_CPUS, mesh_of
from netlab.bridge import BridgedLan
from netlab.errors import LabError
from netlab.mesh import Mesh

TITLE = "Unlike short commands in chains of four"
_TASKS, _STEPS = 2_000, 4
_LOOK_EVERY_S = 0.2


def measure(options: Options) -> list[Figure]:
    count = options.count(_TASKS)
    with mesh_of(1, cpus=ALONE_CPUS) as alone:
        single = _rate(alone, count)
    with mesh_of(3) as mesh:
        together = _rate(mesh, count)
    return [
        Figure(f"one node alone, {ALONE_CPUS} lanes", single, "tasks/s"),
        Figure("three nodes, one lane each", together, "tasks/s"),
        Figure("three nodes against one alone", together / single, "x"),
    ]


def _rate(mesh: Mesh[BridgedLan], count: int) -> float:
    _await(mesh, _submit(mesh, _STEPS))
    began = time.monotonic()
    _await(mesh, _submit(mesh, count))
    return count / (time.monotonic() - began)


def _await(mesh: Mesh[BridgedLan], run: str) -> None:
    """Wait for the end of a run, and ask seldom: a node looks through all its tasks for an answer."""
    while (state := mesh.ask(1).get("/v1/runs", select=run)["runs"][0]["state"]) != "done":
        if state in ("failed", "cancelled"):
            raise LabError(f"the run {run} is {state}")
        time.sleep(_LOOK_EVERY_S)


def _submit(mesh: Mesh[BridgedLan], count: int) -> str:
    tasks: list[dict[str, Any]] = [{"name": f"t{at}", "command": {"argv": ["true", str(at)]}} for at in range(count)]
    for at, task in enumerate(tasks):
        if at % _STEPS:
            task["edges"] = [{"source": f"t{at - 1}", "kind": "after"}]
    run: str = mesh.ask(1).post("/v1/runs", {"name": "queue", "tasks": tasks})["run"]
    return run
