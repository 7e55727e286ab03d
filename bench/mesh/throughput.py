"""No-op functions from one submitter, over five nodes and on one alone.

Five nodes on two processors cannot do five times what one does. The floor is one node with two workers on the same
machine, which has no mesh to talk to and both processors for itself. Both take turns, so that a machine that is now
quicker and now slower is so for both; who has nothing to do costs next to nothing (idle.py).
"""

import time
from collections import Counter
from statistics import median
from typing import Any

from bench.mesh.figures import Figure, Options
from bench.mesh.nodes import ALONE_CPUS, mesh_of
from netlab.bridge import BridgedLan
from netlab.journals import makers_in
from netlab.mesh import Mesh

TITLE = "100,000 no-op functions from one submitter"
_ELEMENTS, _WARM_UP, _SHARE = 100_000, 1_000, 0.8
#: A run takes less than a second, in which a busy machine can do anything: the median of so many counts.
_ROUNDS = 11


def measure(options: Options) -> list[Figure]:
    count = options.count(_ELEMENTS)
    with mesh_of(1, cpus=ALONE_CPUS) as alone, mesh_of(5) as mesh:
        for one in (alone, mesh):
            one.await_done(_submit(one, _WARM_UP), _WARM_UP, among=[1])
        rates = [(_rate(alone, count), _rate(mesh, count)) for _ in range(_ROUNDS)]
        workers = _shares(mesh)
    single, together = (list(of_one) for of_one in zip(*rates, strict=True))
    return [
        Figure(f"one node alone, {ALONE_CPUS} workers, median of {_ROUNDS}", median(single), "elements/s"),
        Figure("  best", max(single), "elements/s"),
        Figure(f"five nodes, one worker each, median of {_ROUNDS}", median(together), "elements/s"),
        Figure("  best", max(together), "elements/s"),
        Figure("five nodes against one alone, medians", median(together) / median(single), "x", at_least=_SHARE),
        Figure("nodes that did at least a twentieth", sum(share >= 0.05 for share in workers), "nodes", at_least=5),
    ]


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
