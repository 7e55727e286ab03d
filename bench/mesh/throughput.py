"""No-op functions from one submitter, over five nodes and on one alone.

Five nodes on two processors cannot do five times what one does. The floor is one node with two workers on the same
machine, which has no mesh to talk to and both processors for itself.
"""

import os
import time
from collections import Counter
from statistics import median
from typing import Any

from bench.mesh.figures import Figure, Options
from bench.mesh.nodes import mesh_of
from netlab.bridge import BridgedLan
from netlab.journals import makers_in
from netlab.mesh import Mesh

TITLE = "100,000 no-op functions from one submitter"
_ELEMENTS, _WARM_UP, _SHARE = 100_000, 1_000, 0.8
#: A run takes less than a second, in which a busy machine can do anything: the median of so many counts.
_ROUNDS = 7
_WORKERS = str(min(2, os.cpu_count() or 1))


def measure(options: Options) -> list[Figure]:
    count = options.count(_ELEMENTS)
    with mesh_of(1, cpus=_WORKERS) as alone:
        single = _rates(alone, count)
    with mesh_of(5) as mesh:
        together = _rates(mesh, count)
        workers = _shares(mesh)
    return [
        Figure(f"one node alone, {_WORKERS} workers, median of {_ROUNDS}", median(single), "elements/s"),
        Figure("  best", max(single), "elements/s"),
        Figure(f"five nodes, one worker each, median of {_ROUNDS}", median(together), "elements/s"),
        Figure("  best", max(together), "elements/s"),
        Figure("five nodes against one alone, medians", median(together) / median(single), "x", at_least=_SHARE),
        Figure("nodes that did at least a twentieth", sum(share >= 0.05 for share in workers), "nodes", at_least=5),
    ]


def _rates(mesh: Mesh[BridgedLan], count: int) -> list[float]:
    """Return the elements a second of several runs, after a short one that starts the workers."""
    mesh.await_done(_submit(mesh, _WARM_UP), _WARM_UP, among=[1])
    return [_rate(mesh, count) for _ in range(_ROUNDS)]


def _rate(mesh: Mesh[BridgedLan], count: int) -> float:
    began = time.monotonic()
    mesh.await_done(_submit(mesh, count), count, among=[1], patience_s=300.0)
    return count / (time.monotonic() - began)


def _shares(mesh: Mesh[BridgedLan]) -> list[float]:
    """Return which part of the last run each node has made."""
    run = mesh.ask(1).get("/v1/runs", select="last")["runs"][0]["run"]
    makers = Counter(makers_in(mesh.nodes[0].home, run).values())
    return [makers[node.host.name] / makers.total() for node in mesh.nodes]


def _submit(mesh: Mesh[BridgedLan], count: int) -> str:
    function: dict[str, Any] = {"call": "operator:index", "arguments": [{"index": True}]}
    task = {"name": "nothing", "function": function, "array": f"0-{count - 1}"}
    run: str = mesh.ask(1).post("/v1/runs", {"name": "nothing", "tasks": [task]})["run"]
    return run
