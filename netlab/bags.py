"""Bags of unlike tasks that a mesh works through while its nodes come and go, and what that has cost."""

import time
from collections.abc import Sequence
from typing import Final, NamedTuple

from netlab.churn import Absence, churning
from netlab.executions import uptime_s
from netlab.journals import all_makers_in
from netlab.mesh import AnyLan, Mesh
from netlab.waiting import wait_until
from netlab.waste import Account, Spent, account, spent
from roost.client.control import NodeGone
from roost.model.errors import NotFound

#: Answers take nodes time that they would have for their work.
_LOOK_EVERY_S: Final = 0.2


class BagDone(NamedTuple):
    span_s: float
    executions: list[Spent]
    account: Account
    #: How long each task takes, by its place in the bag.
    lengths: Sequence[float]

    def length_of(self, one: Spent) -> float:
        return self.lengths[int(one.element[0].rpartition("/t")[2])]


def work_through(
    mesh: Mesh[AnyLan], lengths: Sequence[float], policy: str, absences: Sequence[Absence], patience_s: float
) -> BagDone:
    """Hand a bag in at the first node, let nodes go and come back meanwhile, and wait until all of it is done."""
    with churning({node.host.number: node for node in mesh.nodes}, absences) as deaths:
        began = time.monotonic()
        run = mesh.submit_bag(mesh.numbers[0], lengths, policy)
        teller = _await_told(mesh, run, patience_s)
        span_s, over_s = time.monotonic() - began, uptime_s()
    makers = all_makers_in(mesh.node(teller).home, run)
    assert len(makers) == len(lengths), f"{run} is said to be done, and has {len(makers)} results"
    executions = spent(mesh.executions, run, deaths, over_s)
    return BagDone(span_s, executions, account(executions, makers), lengths)


def _await_told(mesh: Mesh[AnyLan], run: str, patience_s: float) -> int:
    """Wait until a node says that the run has ended; return which. Any may be away."""
    tellers: list[int] = []

    def is_told() -> bool:
        tellers.extend(number for number in mesh.numbers if not tellers and _says_done(mesh, number, run))
        return bool(tellers)

    wait_until(is_told, f"that {run} is done", patience_s=patience_s, look_every_s=_LOOK_EVERY_S)
    return tellers[0]


def _says_done(mesh: Mesh[AnyLan], number: int, run: str) -> bool:
    if not mesh.node(number).running:
        return False
    try:
        told = mesh.ask(number).get("/v1/runs", select=run)["runs"]
    except (NodeGone, NotFound):
        return False
    return bool(told) and told[0]["state"] == "done"
