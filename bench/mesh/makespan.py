"""LAN's table 5.3 on real nodes, with the time scale shrunk: 2 min become 2 s.

LAN 5.2.3: nine workstations, 5, 10 and 15 clients at once; each hands a chain of four tasks to a node that is drawn.
Each task takes exactly 2 min and is low or interactive, drawn from the same seed in every test. The average make-span,
from the submission to the end, is compared with that of a scheduler without overhead, for the same arrivals in the
same order. LAN's own figures lie 15 to 50 % above it.
"""

import random
import time
from typing import Any

from bench.mesh.figures import Figure, Options
from bench.mesh.nodes import mesh_of
from netlab.bridge import BridgedLan
from netlab.mesh import Mesh
from roost.lab.office.list_schedule import Workflow, makespans

TITLE = "Average make-span of chains of four tasks on nine nodes (LAN, table 5.3)"
_NODES, _WORKFLOWS, _TASKS, _TASK_S = 9, (5, 10, 15), 4, 2.0
_ROUNDS, _SEED, _LIMIT_PERCENT = 3, 53, 10.0
#: The longest of them lasts about 20 s.
_PATIENCE_S = 120.0


def measure(options: Options) -> list[Figure]:
    figures: list[Figure] = []
    with mesh_of(_NODES) as mesh:
        # The first start on each host also starts what runs commands there.
        mesh.await_done(mesh.submit(1, 4 * _NODES, 0.2), 4 * _NODES, among=[1])
        for count in _WORKFLOWS:
            rounds = [_round(mesh, count) for _ in range(options.count(_ROUNDS))]
            above = [100 * (measured / floor - 1) for measured, floor in rounds]
            name = f"{count} workflows"
            spans = [measured for measured, _ in rounds]
            figures += [
                Figure(f"{name}: make-span, average of {len(rounds)}", sum(spans) / len(spans), "s", samples=spans),
                Figure(f"{name}: without overhead", sum(floor for _, floor in rounds) / len(rounds), "s"),
                Figure(f"{name}: above that, worst", max(above), "%", below=_LIMIT_PERCENT, samples=above),
            ]
    return figures


def _round(mesh: Mesh[BridgedLan], count: int) -> tuple[float, float]:
    """Hand in so many workflows; return their average make-span, measured and without overhead."""
    draw = random.Random(_SEED)
    began, runs, workflows = time.time(), [], []
    for _ in range(count):
        interactive = tuple(draw.choice((False, True)) for _ in range(_TASKS))
        workflows.append(Workflow(time.time() - began, interactive))
        runs.append(_submit(mesh, draw.choice(mesh.numbers), interactive))
    for run in runs:
        mesh.await_done(run, _TASKS, among=[1], patience_s=_PATIENCE_S)
    ends = [mesh.shown(1, run)["finished_at"] for run in runs]
    spans = [end - began - workflow.arrives for end, workflow in zip(ends, workflows, strict=True)]
    floor = makespans(workflows, mesh.size, _TASK_S)
    return sum(spans) / count, sum(floor) / count


def _submit(mesh: Mesh[BridgedLan], number: int, interactive: tuple[bool, ...]) -> str:
    tasks: list[dict[str, Any]] = []
    for place, urgent in enumerate(interactive):
        edges = [{"source": f"task{place - 1}", "kind": "after", "port": "before"}] if place else []
        priority = "interactive" if urgent else "low"
        command = {"argv": ["sleep", f"{_TASK_S:g}"]}
        tasks.append({"name": f"task{place}", "command": command, "edges": edges, "priority": priority})
    run: str = mesh.ask(number).post("/v1/runs", {"name": "chain", "tasks": tasks})["run"]
    return run
