"""Cancelling: elements are given up, and the person hears of it when what ran is confirmed dead."""

from roost.core.actions import Accepted, Reply
from roost.core.events import CancelAsked
from roost.core.queue.readiness import Readiness
from roost.core.queue.replica import Replica, TaskEntry
from roost.core.queue.stopping import Stopping
from roost.core.requests.decisions import Decisions
from roost.core.tickets import Cancellation
from roost.core.turn import Turn
from roost.model.elements import Elements
from roost.model.happenings import CancelledByPerson
from roost.model.ids import CauseId, LeaseId
from roost.model.ranges import EMPTY, RangeSet
from roost.model.states import Cancelled, State
from roost.model.token import NO_TOKEN


class Cancelling:
    def __init__(
        self, turn: Turn, replica: Replica, readiness: Readiness, stopping: Stopping, decisions: Decisions
    ) -> None:
        self._turn = turn
        self._replica = replica
        self._readiness = readiness
        self._stopping = stopping
        self._decisions = decisions
        #: Cancellations that wait for elements to be confirmed dead, and how many elements each touched.
        self._dying: dict[CauseId, tuple[dict[LeaseId, RangeSet], int]] = {}

    def ask(self, event: CancelAsked) -> None:
        to_states = _withdrawn if event.unleased else _cancelled
        asked = self._decisions.asked(event.tasks)
        found = ((task, to_states(self._replica.tasks[task], part)) for task, part in asked.items())
        deltas = tuple((task, delta) for task, delta in found if delta)
        if event.unleased:
            self._readiness.withdraw(event.cause, {task: delta.known() for task, delta in deltas})
        named = tuple(task for task, _ in event.tasks)
        self._decisions.write(Cancellation(event.cause, deltas, named), CancelledByPerson())

    def apply(self, change: Cancellation) -> None:
        """It is on disk: end what runs."""
        self._readiness.end_withdrawal(change.cause)
        count = self._decisions.merge(change.deltas)
        waiting: dict[LeaseId, RangeSet] = {}
        for task, delta in change.deltas:
            waiting |= self._stopping.end(task, delta.known())
        if waiting:
            self._dying[change.cause] = (waiting, count)
        else:
            self._turn.act(Reply(change.cause, Accepted(elements=count)))

    def refuse(self, change: Cancellation) -> None:
        """The disk had no room for it: what was withdrawn may start."""
        for task in self._readiness.end_withdrawal(change.cause):
            self._turn.touch(task)

    def stopped(self, lease: LeaseId, ranges: RangeSet) -> None:
        """Elements of a lease were answered; cancellations that waited for nothing else are confirmed."""
        for cause, (waiting, count) in list(self._dying.items()):
            if lease in waiting:
                waiting[lease] -= ranges
                if not waiting[lease]:
                    del waiting[lease]
                if not waiting:
                    del self._dying[cause]
                    self._turn.act(Reply(cause, Accepted(elements=count)))


def _cancelled(entry: TaskEntry, ranges: RangeSet) -> Elements:
    return _withdrawn(entry, ranges, entry.leased)


def _withdrawn(entry: TaskEntry, ranges: RangeSet, leased: RangeSet = EMPTY) -> Elements:
    # Of a pool also what may still turn out to exist.
    wanted = (entry.pending | leased | entry.unknown) & ranges
    states: dict[State, RangeSet] = {}
    fresh = wanted
    for state, part in entry.elements.entries_within(wanted):
        cancelled = Cancelled(state.token, state.edition)
        states[cancelled] = states.get(cancelled, EMPTY) | part
        fresh -= part
    if fresh:
        states[Cancelled(NO_TOKEN)] = states.get(Cancelled(NO_TOKEN), EMPTY) | fresh
    return Elements(states)
