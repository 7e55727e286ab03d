"""What a node knows to be found of one element of which two of at most three nodes have to find the same."""

import math
from collections.abc import Callable, Hashable
from typing import TypeAlias

from roost.core.queue.findings import FAILED, Finding, Findings, Pass
from roost.model.ids import NodeId
from roost.model.ranges import EMPTY, ONE
from roost.model.task import Agreement
from tests.core.harness import task
from tests.machines.machine import Machine, State, methods_of
from tests.tokens import attempt

ASH, ELM, OAK = NODES = (NodeId("ash"), NodeId("elm"), NodeId("oak"))
A = task("a").id
AGREEMENT = Agreement(2, 3)
NOTHING, TOO_FEW, AGREED, DIFFER = "nothing found", "too few agree", "enough agree", "nobody will agree"
KEYS = {"one result": b"x", "another result": b"y", "it failed": FAILED}
FIRST, LATER = Pass(0, 0), Pass(0, 1)


class Table:
    """The table of ash."""

    def __init__(self) -> None:
        self.findings = Findings(ASH)
        self.at = FIRST

    def found(self) -> dict[NodeId, bytes]:
        return {node: finding.key for node, finding in self.findings.of(A, 0).items()}

    def most(self) -> int:
        return max((self.findings.agreeing(A, 0, key) for key in KEYS.values()), default=0)

    def add(self, node: NodeId, key: bytes, at: Pass) -> None:
        before = self.found()
        news = self.findings.add(A, 0, at, node, Finding(attempt(1), key, math.inf if node == ASH else 0.0))
        if at < self.at or (at == self.at and node in before):
            assert not news, "what is older, or was told before, is no news"
            assert self.found() == before
        elif at > self.at:
            assert self.found() == {node: key}, "what was found before is void"
            self.at = at
        else:
            assert self.found() == {**before, node: key}

    def end(self) -> None:
        there = ONE if self.found() else EMPTY
        assert self.findings.drop(A, ONE) == there
        self.at = FIRST

    def begin_anew(self) -> None:
        """The record says that it is another round; what was found in an earlier one is void."""
        there = ONE if self.found() and self.at < LATER else EMPTY
        assert self.findings.drop(A, ONE, LATER) == there
        self.at = LATER if self.found() else FIRST

    def expire(self) -> None:
        before = self.found()
        own = {node: key for node, key in before.items() if node == ASH}
        assert self.findings.expire(1.0) == (own != before)
        assert self.found() == own
        self.at = self.at if own else FIRST

    def forget(self) -> None:
        self.findings.forget(A)
        self.at = FIRST


def state(table: Table) -> State:
    found = table.found()
    if not found:
        return State(NOTHING, NOTHING)
    if table.most() >= AGREEMENT.agreeing:
        return State(AGREED, AGREED)
    label = DIFFER if len(found) >= AGREEMENT.limit else TOO_FEW
    return State(label, label)


def rest(table: Table) -> Hashable:
    return tuple(sorted(table.found().items())), table.at


def check(table: Table) -> None:
    """It is counted what there is, and what it lacks leads to an end, whoever finds it."""
    found = table.found()
    assert table.findings.size == len(found)
    assert table.findings.own(A) == (ONE if ASH in found else EMPTY)
    lacking = table.findings.lacking(A, 0, AGREEMENT, NODES)
    assert (lacking == 0) == (table.most() >= AGREEMENT.agreeing or len(found) >= AGREEMENT.limit)
    assert len(found) + lacking <= AGREEMENT.limit or table.most() >= AGREEMENT.agreeing


Act: TypeAlias = Callable[[Table], None]


def _add(node: NodeId, key: bytes, at: Pass) -> Act:
    return lambda table: table.add(node, key, at)


MACHINE: Machine[Table] = Machine(
    name="findings",
    make=Table,
    state=state,
    events={
        "add": {
            f"{node} says in {when}: {what}": _add(node, key, at)
            for when, at in (("this round", FIRST), ("the next round", LATER))
            for node in NODES
            for what, key in KEYS.items()
        },
        "expire": {"nobody else has told it for long": Table.expire},
        "drop": {"it has ended": Table.end, "somebody tried it again": Table.begin_anew},
        "forget": {"its task leaves memory": Table.forget},
    },
    event_kinds=methods_of(Findings, without=("agreeing", "lacking", "of", "own")),
    state_kinds=(NOTHING, TOO_FEW, AGREED, DIFFER),
    check=check,
    rest=rest,
    order=(NOTHING, TOO_FEW, AGREED, DIFFER),
)
