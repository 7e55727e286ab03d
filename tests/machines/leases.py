"""A lease of this node, until all its elements are answered (core/queue/leases.py, core/executor_reports.py).

What executors say goes through ``what_counts``, as in the node: they may say anything at any time. The node itself must
not answer for an element twice; that would be a mistake of the node, and is an error.
"""

from collections.abc import Callable, Hashable
from typing import TypeAlias, get_args

from roost.core.actions import StopMode
from roost.core.clock_bounds import ClockBounds
from roost.core.events import ElementFailed, ElementsDone, ElementsReturned
from roost.core.executor_reports import Answer, what_counts
from roost.core.queue.leases import Lease, Leases
from roost.core.queue.replica import TaskEntry
from roost.core.queue.stopping import Stopping
from roost.core.queue.tokens import Tokens
from roost.core.tickets import Tickets
from roost.core.turn import Turn
from roost.model.elements import Elements
from roost.model.errors import InvariantViolated
from roost.model.ids import LeaseId, NodeId
from roost.model.ranges import ONE, RangeSet
from roost.model.segments import pack
from roost.model.states import Leased
from roost.model.task import Failure
from roost.model.token import Token
from tests.core.harness import task
from tests.machines.machine import CannotHappen, Machine, State, methods_of

ASH, OAK = NodeId("ash"), NodeId("oak")
BOTH = RangeSet.span(0, 2)
NONE, OWED, STOPPING, PARTLY, OVER = "none", "owed", "told to stop", "half answered", "over"


class Holder:
    """Ash, which may have a lease on the two elements of a task."""

    def __init__(self) -> None:
        self.entry = TaskEntry.fresh(task("a", 2, retries=9))
        self.leases = Leases(ASH, 1)
        self.lease: Lease | None = None

    @property
    def required(self) -> Lease:
        if self.lease is None:
            raise CannotHappen
        return self.lease

    def merge(self, delta: Elements) -> None:
        self.entry.merge(delta)
        self.entry.check()

    def token(self, ranges: RangeSet) -> Token:
        return Tokens(1).for_lease(self.entry, ranges)

    def grant(self) -> str | None:
        try:
            self.lease, delta = self.leases.grant(self.entry, BOTH, self.token(BOTH), 1, 0.0)
        except InvariantViolated:
            return "error"
        self.merge(delta)
        return None

    def attempt(self) -> None:
        """Another node has leased both, and this one attempts them, too."""
        if self.lease is not None and self.lease.outstanding:
            raise CannotHappen
        self.merge(Elements({Leased(0, self.token(BOTH), OAK, 0): BOTH}))
        self.lease = self.leases.attempt(self.entry, BOTH, self.token(BOTH), 1, 0.0)

    def report(self, answer: Answer) -> str | None:
        """An executor speaks; return whether it counts."""
        lease, counts = self.required, what_counts(self.required, answer)
        match counts:
            case None:
                return None
            case ElementsDone(segments=segments):
                ranges = RangeSet.of_spans(span for segment in segments for span in segment.ranges.spans())
                self.merge(self.leases.done(lease, ranges))
            case ElementFailed(index=index, failure=failure):
                self.merge(self.leases.failed(lease, self.entry, index, failure))
            case ElementsReturned(ranges=ranges):
                self.merge(self.leases.returned(lease, self.entry, ranges))
        return "counts"

    def repeat(self) -> str:
        """The node takes an answer for an element that has none to give any more."""
        if self.required.outstanding:
            raise CannotHappen
        try:
            self.leases.returned(self.required, self.entry, ONE)
        except InvariantViolated:
            return "error"
        raise AssertionError("an element was answered twice")

    def renew(self) -> None:
        if self.required.further:
            raise CannotHappen
        ranges = self.leases.renewable(self.required, self.entry)
        if ranges:
            self.merge(self.leases.renew(self.required, self.entry, ranges, self.token(ranges)))

    def void(self) -> None:
        """The node restarts, and nothing is left but what the record says."""
        self.leases, self.lease = Leases(ASH, 2), None
        self.merge(self.leases.void(self.entry))

    def stop(self) -> None:
        stopping = Stopping(Turn(ASH, 1, ClockBounds(ASH), Tickets()), self.leases)
        stopping.stop(self.required, self.required.outstanding, StopMode.UNSTARTED)


Act: TypeAlias = Callable[[Holder], str | None]


def state(holder: Holder) -> State:
    lease = holder.lease
    if lease is None:
        return State(NONE, NONE)
    if not lease.outstanding:
        return State(OVER, OVER)
    label = STOPPING if lease.stopping else OWED if lease.outstanding == BOTH else PARTLY
    return State(label, label)


def rest(holder: Holder) -> Hashable:
    phases = tuple((phase, str(members)) for phase, members in sorted(holder.entry.phases.items()) if members)
    outstanding = "" if holder.lease is None else str(holder.lease.outstanding)
    return phases, outstanding


def check(holder: Holder) -> None:
    lease = holder.lease
    assert holder.leases.in_hand() == ([lease] if lease is not None and lease.outstanding else [])
    if lease is not None:
        assert lease.stopping.issubset(lease.outstanding)
        states = [(state.node, part) for state, part in holder.entry.elements.items() if isinstance(state, Leased)]
        for node, part in states:
            # Whatever was answered is nobody's any more; of an attempt no record tells.
            assert part.issubset(lease.outstanding) or node == OAK
            assert not (lease.further and node == ASH and lease.outstanding)


_LEASE = LeaseId(1)
ANSWERS: dict[type[Answer], dict[str, Act]] = {
    ElementsDone: {
        "its executor says both done": lambda holder: holder.report(
            ElementsDone(_LEASE, (pack(0, [b"x", b"y"]),), 0.1)
        ),
        "its executor says the first done": lambda holder: holder.report(ElementsDone(_LEASE, (pack(0, [b"x"]),), 0.1)),
        "its executor speaks of one that it never had": lambda holder: holder.report(
            ElementsDone(_LEASE, (pack(7, [b"x"]),), 0.1)
        ),
    },
    ElementFailed: {
        "its executor says the first failed": lambda holder: holder.report(ElementFailed(_LEASE, 0, Failure("no"))),
    },
    ElementsReturned: {
        "its executor says both given back": lambda holder: holder.report(ElementsReturned(_LEASE, BOTH)),
    },
}


def _acts(act: Callable[[Holder], object]) -> Act:
    def acted(holder: Holder) -> None:
        act(holder)

    return acted


MACHINE: Machine[Holder] = Machine(
    name="lease",
    make=Holder,
    state=state,
    events={
        **ANSWERS,
        "grant": {"the node leases both": lambda holder: holder.grant()},
        "attempt": {"the node attempts both beside another": _acts(lambda holder: holder.attempt())},
        "renew": {"it gets a larger token": _acts(lambda holder: holder.renew())},
        Stopping.stop: {"it is told to stop": _acts(lambda holder: holder.stop())},
        "void": {"the node restarts": _acts(lambda holder: holder.void())},
        "done": {},
        "failed": {},
        "returned": {"the node answers twice": lambda holder: holder.repeat()},
    },
    event_kinds=(
        *get_args(Answer),
        Stopping.stop,
        *methods_of(Leases, without=("attempted", "find", "in_hand", "made_earlier", "renewable")),
    ),
    state_kinds=(NONE, OWED, STOPPING, PARTLY, OVER),
    check=check,
    rest=rest,
    order=(NONE, OWED, PARTLY, STOPPING, OVER),
)
