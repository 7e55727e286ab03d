"""Bags of unlike tasks that a mesh works through while its nodes come and go, and what that has cost.

Nodes that live for seconds die soon after they have begun with anything. Of what has failed because several did so, as
if it had killed them, it is known here that it has not: it is tried again, as a person would do it.
"""

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
        for number in mesh.numbers:
            state = _state_told(mesh, number, run)
            if state == "failed":
                mesh.ask(number).post(f"/v1/runs/{run}/retry")
            elif state == "done":
                tellers.append(number)
            if state is not None:
                break
        return bool(tellers)

    wait_until(is_told, f"that {run} is done", patience_s=patience_s, look_every_s=_LOOK_EVERY_S)
    return tellers[0]


def _state_told(mesh: Mesh[AnyLan], number: int, run: str) -> str | None:
    """Return in which state a run is by what a node says; None if it says nothing."""
    if not mesh.node(number).running:
        return None
    try:
        told = mesh.ask(number).get("/v1/runs", select=run)["runs"]
    except (NodeGone, NotFound):
        return None
    return str(told[0]["state"]) if told else None
