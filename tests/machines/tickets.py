"""A change on its way to the disk, and what a refusal makes of it (core/tickets.py).

Before it, an outcome of the same run may have been refused; then it waits behind that, also when it is written itself.
"""

from collections.abc import Callable, Hashable
from typing import TypeAlias, get_args

from roost.core.events import Submitted
from roost.core.facts import RunFinished
from roost.core.tickets import (
    RETRY_AFTER_S_MAX,
    Cancellation,
    Change,
    Finish,
    Forgetting,
    Found,
    Keeping,
    Learnt,
    LivesNoted,
    News,
    Note,
    Outcome,
    Proposed,
    Reopening,
    ResultOffer,
    Retry,
    Submission,
    Switching,
    Tickets,
    Voted,
)
from roost.model.ballots import Ballot
from roost.model.clock import NEVER
from roost.model.elements import Elements
from roost.model.ids import CauseId, NodeId, task_id
from roost.model.ranges import ONE
from roost.model.record import RunRecord
from roost.model.states import Done
from roost.model.tombstones import Tombstone
from roost.wire.ballots import Held
from roost.wire.messages import Facts
from tests.core.harness import RUN, run_spec, task
from tests.machines.machine import CannotHappen, Machine, State, methods_of
from tests.tokens import attempt

ASH = NodeId("ash")
A = task_id(RUN, "a")
_CAUSE = CauseId("test-1")
_DONE = Elements({Done(attempt(1), ASH): ONE})
_RECORD = RunRecord(run_spec())
#: One of each kind, all about the same run but for those that are about none.
CHANGES: dict[type[Change], Change] = {
    Submission: Submission(Submitted(_CAUSE, run_spec(), (task("a"),)), _RECORD, (), Facts()),
    Outcome: Outcome(A, _DONE),
    ResultOffer: ResultOffer(A, _DONE),
    Found: Found(A, _DONE, (), ()),
    Proposed: Proposed(A, _DONE),
    Voted: Voted(A, ASH, Held(A, 0, Ballot(1, ASH, 1), ONE)),
    Learnt: Learnt(News(runs=(RUN,))),
    Keeping: Keeping(ASH, 1, News(runs=(RUN,))),
    Cancellation: Cancellation(_CAUSE, ((A, _DONE),)),
    Retry: Retry(_CAUSE, ((A, _DONE),)),
    Reopening: Reopening(_CAUSE, ((A, _DONE),)),
    Switching: Switching(_CAUSE, _RECORD, "suspended"),
    Forgetting: Forgetting(_CAUSE, (Tombstone(RUN, NEVER, _RECORD.touched),)),
    Finish: Finish(RunFinished(RUN, NEVER, "done", {}, 1)),
    LivesNoted: LivesNoted(2),
    Note: Note((A,)),
}
FIRST = Outcome(A, Elements({Done(attempt(2), ASH): ONE}))
NOTHING, WAITING, REFUSED, BEHIND, APPLIED, OFF = (
    "not handed in", "waiting", "to be written again", "behind another", "applied", "off",
)  # fmt: skip


class Desk:
    def __init__(self) -> None:
        self.now = 100.0
        self.tickets = Tickets()
        self.change: Change | None = None
        self.place = NOTHING
        #: Where the outcome is that was refused before, if there was one.
        self.first = NOTHING
        self._waiting: dict[int, Change] = {}

    def put(self, change: Change) -> None:
        self._waiting[self.tickets.persist(change, ()).ticket] = change
        self._move(change, WAITING)

    def _move(self, change: Change, place: str) -> None:
        if change is FIRST:
            self.first = place
        else:
            self.change, self.place = change, place

    def hand_in(self, change: Change) -> None:
        if self.place is not NOTHING:
            raise CannotHappen
        self.put(change)

    def begin_with_a_refusal(self) -> None:
        if self.first is not NOTHING or self.place is not NOTHING:
            raise CannotHappen
        self.put(FIRST)
        self.refuse(FIRST)

    def ticket_of(self, change: Change | None) -> int:
        found = [ticket for ticket, waiting in self._waiting.items() if waiting is change]
        if not found:
            raise CannotHappen
        return found[0]

    def write(self, change: Change | None) -> None:
        """The disk has written everything up to this."""
        ticket = self.ticket_of(change)
        written = [number for number in self._waiting if number <= ticket]
        for number in written:
            self._move(self._waiting.pop(number), BEHIND)
        for applied in self.tickets.persisted(ticket):
            self._move(applied, APPLIED)

    def refuse(self, change: Change | None) -> None:
        ticket = self.ticket_of(change)
        if min(self._waiting) != ticket:
            # The journal keeps the order: what comes first is refused first.
            raise CannotHappen
        self._waiting.pop(ticket)
        off = self.tickets.failed(ticket, "full", self.now)
        assert off is None or off is change
        assert change is not None
        self._move(change, REFUSED if off is None else OFF)

    def write_again(self) -> None:
        self.now += RETRY_AFTER_S_MAX
        for again in self.tickets.write_again():
            change = FIRST if self.first is REFUSED else self.change
            assert change is not None
            self._waiting[again.ticket] = change
            self._move(change, WAITING)

    def land(self) -> None:
        if self.place not in (APPLIED, OFF) or self.change is None:
            raise CannotHappen
        self.tickets.landed(self.change)
        self.change, self.place = None, NOTHING


Act: TypeAlias = Callable[[Desk], str | None]


def state(desk: Desk) -> State:
    return State(desk.place, desk.place)


def rest(desk: Desk) -> Hashable:
    return type(desk.change), desk.first, tuple(map(type, desk._waiting.values()))


def check(desk: Desk) -> None:
    """A change that has not landed keeps what it is about in memory; what is refused has a time to be written again."""
    pending = [place for place in (desk.place, desk.first) if place in (WAITING, REFUSED, BEHIND)]
    kept = REFUSED in (desk.place, desk.first)
    assert (not kept) or desk.tickets.retry_at is not None
    assert desk.tickets.unwritten <= len(pending)
    if desk.place is NOTHING and desk.first is NOTHING:
        assert desk.tickets.awaits(RUN) == 0


def _acts(act: Callable[[Desk], object]) -> Act:
    def acted(desk: Desk) -> None:
        act(desk)

    return acted


def _refused(kind: type[Change]) -> Act:
    def refused(desk: Desk) -> None:
        if not isinstance(desk.change, kind):
            raise CannotHappen
        desk.refuse(desk.change)

    return refused


def _handed_in(kind: type[Change]) -> Act:
    return _acts(lambda desk: desk.hand_in(CHANGES[kind]))


MACHINE: Machine[Desk] = Machine(
    name="tickets",
    make=Desk,
    state=state,
    events={
        **{
            kind: {f"handed in: {kind.__name__}": _handed_in(kind), f"refused: {kind.__name__}": _refused(kind)}
            for kind in CHANGES
        },
        "persist": {"an outcome of its run is refused before": _acts(lambda desk: desk.begin_with_a_refusal())},
        "persisted": {
            "it is written": _acts(lambda desk: desk.write(desk.change)),
            "the outcome before it is written": _acts(lambda desk: desk.write(FIRST)),
        },
        "failed": {"the outcome before it is refused again": _acts(lambda desk: desk.refuse(FIRST))},
        "write_again": {"the pause is over": _acts(lambda desk: desk.write_again())},
        "landed": {"it has landed": _acts(lambda desk: desk.land())},
    },
    event_kinds=(*get_args(Change), *methods_of(Tickets, without=("awaits", "brought_by", "writes_end"))),
    state_kinds=(NOTHING, WAITING, REFUSED, BEHIND, APPLIED, OFF),
    check=check,
    rest=rest,
    order=(NOTHING, WAITING, REFUSED, BEHIND, APPLIED, OFF),
)
