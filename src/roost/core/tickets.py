"""Tickets: what waits for the disk, and what happens when the disk refuses.

Rules
- What a person or another task may rely on (an accepted submission, an accepted result, a cancellation) enters memory
  only when it is on disk. Each such change waits under the ticket of its Persist.
- The journal keeps the order of tickets, so Persisted(n) settles every ticket up to n.
- A refused request is forgotten: nothing was changed. A refused outcome of work is kept and written again later, with
  growing pauses, because the work is done and must not be lost.
- What a change is about stays in memory until the change has landed: it was applied, or it is off.
"""

from itertools import takewhile
from typing import TypeAlias, assert_never

import msgspec

from roost.core.actions import Persist
from roost.core.events import Submitted
from roost.core.facts import Fact, RunFinished
from roost.model.elements import Elements
from roost.model.ids import CauseId, RunId, TaskId, run_of
from roost.model.ranges import RangeSet
from roost.model.record import RunRecord

#: The first and the longest pause before outcomes are written again.
RETRY_AFTER_S = 1.0
RETRY_AFTER_S_MAX = 30.0


class Submission(msgspec.Struct, frozen=True):
    """A run and its tasks wait to be accepted."""

    event: Submitted
    record: RunRecord
    warnings: tuple[str, ...]


class Outcome(msgspec.Struct, frozen=True):
    """Elements wait to become done or failed."""

    task: TaskId
    delta: Elements


class Cancellation(msgspec.Struct, frozen=True):
    cause: CauseId
    deltas: tuple[tuple[TaskId, Elements], ...]


class Retry(msgspec.Struct, frozen=True):
    cause: CauseId
    deltas: tuple[tuple[TaskId, Elements], ...]


class Switching(msgspec.Struct, frozen=True):
    """A run waits to be suspended, resumed or sealed."""

    cause: CauseId
    record: RunRecord
    word: str


class Finish(msgspec.Struct, frozen=True):
    finished: RunFinished


class Note(msgspec.Struct, frozen=True):
    """Nothing waits for it: leases, releases. Losing it costs an attempt, not a promise."""

    ranges: RangeSet = RangeSet()


Change: TypeAlias = Submission | Outcome | Cancellation | Retry | Switching | Finish | Note


class Tickets:
    def __init__(self) -> None:
        self._next = 1
        self._waiting: dict[int, tuple[Change, tuple[Fact, ...]]] = {}
        self._unsaved: list[tuple[Change, tuple[Fact, ...]]] = []
        self._pause_s = RETRY_AFTER_S
        #: How many changes that have not landed are about each run and each task.
        self._about: dict[str, int] = {}
        #: Why the journal could not be written, while that lasts.
        self.trouble: str | None = None
        self.retry_at: float | None = None

    def persist(self, change: Change, facts: tuple[Fact, ...]) -> Persist:
        runs, tasks = _subjects(change)
        for name in (*runs, *tasks):
            self._about[name] = self._about.get(name, 0) + 1
        return self._hand_in(change, facts)

    def _hand_in(self, change: Change, facts: tuple[Fact, ...]) -> Persist:
        ticket = self._next
        self._next += 1
        self._waiting[ticket] = (change, facts)
        return Persist(ticket, facts, urgent=not isinstance(change, Note))

    def awaits(self, run_or_task: RunId | TaskId) -> bool:
        """Whether a change about this run or task has not landed."""
        return run_or_task in self._about

    def landed(self, change: Change) -> list[RunId]:
        """A change was applied or is off; return the runs that it was about."""
        runs, tasks = _subjects(change)
        for name in (*runs, *tasks):
            self._about[name] -= 1
            if not self._about[name]:
                del self._about[name]
        return list(runs)

    def persisted(self, ticket: int) -> list[Change]:
        """Return the changes that are on disk now, in their order."""
        self.trouble, self._pause_s = None, RETRY_AFTER_S
        if not self._unsaved:
            self.retry_at = None
        settled = list(takewhile(lambda number: number <= ticket, self._waiting))
        return [self._waiting.pop(number)[0] for number in settled]

    def failed(self, ticket: int, reason: str, now: float) -> Change | None:
        """Return the change that is off; None if it is an outcome, which will be written again."""
        change, facts = self._waiting.pop(ticket)
        if self.retry_at is None:
            self.retry_at = now + self._pause_s
            self._pause_s = min(2 * self._pause_s, RETRY_AFTER_S_MAX)
        self.trouble = reason
        if isinstance(change, Outcome | Finish):
            self._unsaved.append((change, facts))
            return None
        return change

    def write_again(self) -> list[Persist]:
        """Return the kept outcomes as new Persists; without any, suppose that the trouble is over."""
        self.retry_at = None
        unsaved, self._unsaved = self._unsaved, []
        if not unsaved:
            self.trouble = None
        return [self._hand_in(change, facts) for change, facts in unsaved]


def _subjects(change: Change) -> tuple[dict[RunId, None], dict[TaskId, None]]:
    """Return the runs and the tasks that have to be in memory when this change is applied."""
    tasks: dict[TaskId, None] = {}
    runs: dict[RunId, None] = {}
    match change:
        case Submission(event=event):
            runs[event.run.id] = None
            tasks = {edge.source: None for task in event.tasks for edge in task.edges}
        case Switching(record=record):
            runs[record.spec.id] = None
        case Cancellation(deltas=deltas) | Retry(deltas=deltas):
            tasks = {task: None for task, _ in deltas}
        case Outcome(task=task):
            tasks[task] = None
        case Finish() | Note():
            pass
        case _:
            assert_never(change)
    runs.update((run_of(task), None) for task in tasks)
    return runs, tasks
