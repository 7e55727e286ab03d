"""Decisions of people about elements: how they are written, and what follows when they are on disk."""

from collections.abc import Iterable

from roost.core.facts import Fact, RunMerged, StatesMerged
from roost.core.medium.port import Medium
from roost.core.origin import PEOPLE
from roost.core.queue.applying import Applying
from roost.core.queue.digests import Digests
from roost.core.queue.replica import Replica
from roost.core.tickets import Cancellation, Reopening, Retry
from roost.core.touching import touched
from roost.core.turn import Turn
from roost.model.elements import Elements
from roost.model.errors import NotFound
from roost.model.happenings import Happening
from roost.model.ids import RunId, TaskId, run_of
from roost.model.ranges import EMPTY, RangeSet
from roost.model.record import RunRecord


class Decisions:
    def __init__(self, turn: Turn, replica: Replica, applying: Applying, digests: Digests, medium: Medium) -> None:
        self._turn = turn
        self._replica = replica
        self._applying = applying
        self._digests = digests
        self._medium = medium

    def asked(self, tasks: Iterable[tuple[TaskId, RangeSet]]) -> dict[TaskId, RangeSet]:
        """Return what a person has named, by task; raise NotFound for a task that is not there."""
        asked: dict[TaskId, RangeSet] = {}
        for task, ranges in tasks:
            if task not in self._replica.tasks:
                raise NotFound(f"there is no task '{task}'")
            asked[task] = asked.get(task, EMPTY) | ranges
        return asked

    def write(self, change: Cancellation | Retry | Reopening, what: Happening, *more: Fact) -> None:
        facts: list[Fact] = [*more]
        if not isinstance(change, Cancellation):
            facts += map(RunMerged, change.touched)
        for task, delta in change.deltas:
            # Of a pool also what may not exist is changed; people hear of what does.
            told = delta.known() & self._replica.tasks[task].present or delta.known()
            facts += (StatesMerged(task, delta), self._turn.story(task, told, what, change.cause))
        self._turn.persist(change, *facts)

    def touched(self, deltas: Iterable[tuple[TaskId, Elements]]) -> tuple[RunRecord, ...]:
        """Return what changes of the records of runs whose elements are to run once more."""
        return touched(self._replica, dict.fromkeys(run_of(task) for task, _ in deltas), self._turn.stamp())

    def needed_by(self, run: RunId, others: Iterable[RunId]) -> tuple[RunRecord, ...]:
        """Return what changes of the records of other runs on which a run builds, unless it is known to."""
        fresh = [other for other in others if run not in self._replica.runs[other].record.needed_by]
        return touched(self._replica, fresh, self._turn.stamp(), needed_by=run) if fresh else ()

    def touch(self, records: tuple[RunRecord, ...], *, tell: bool = True) -> None:
        """What sets runs to work again is on disk: their records say so, here and, if they are not told yet, to all."""
        for record in records:
            entry = self._replica.add_run(record)
            self._digests.run_changed(record.spec.id)
            if tell:
                self._medium.publish(RunMerged(entry.record))

    def merge(self, deltas: tuple[tuple[TaskId, Elements], ...]) -> int:
        """Join states in, and say so; return how many elements moved."""
        count = 0
        for task, delta in deltas:
            moved = self._applying.apply(task, delta, PEOPLE)
            count += sum(len(ranges) for _, ranges in moved)
        return count


def revived(affected: Iterable[TaskId], deltas: Iterable[tuple[TaskId, Elements]]) -> list[Fact]:
    """Return what says on disk that tasks are no longer archived that only waited, or were aborted, behind others."""
    moved = {task for task, _ in deltas}
    return [StatesMerged(task, Elements()) for task in affected if task not in moved]
