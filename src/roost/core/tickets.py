"""Tickets: what waits for the disk, and what happens when the disk refuses.

Rules
- What a person or another task may rely on (an accepted submission, an accepted result, a cancellation) enters memory
  only when it is on disk. Each such change waits under the ticket of its Persist.
- The journal keeps the order of tickets, so Persisted(n) settles every ticket up to n.
- A refused request is forgotten: nothing was changed. A refused outcome of work is kept and written again later, with
  growing pauses, because the work is done and must not be lost; so is what memory has already, such as leases.
- Whatever is about the same run waits behind what is to be written again, also if it is on disk itself: then it is not
  written again, for facts merge in any order, but it is applied when its turn comes. So a refusal costs one write more,
  however much waits behind it.
- What a change is about stays in memory until the change has landed: it was applied, or it is off.
"""

import heapq
from bisect import bisect_left, insort
from itertools import takewhile
from typing import TypeAlias, assert_never

import msgspec

from roost.core.actions import Persist
from roost.core.events import Submitted
from roost.core.facts import Fact, FailureNoted, RunFinished
from roost.core.holdings import Brought
from roost.model.elements import Elements
from roost.model.ids import CauseId, NodeId, RunId, TaskId, run_of
from roost.model.ranges import RangeSet
from roost.model.record import RunRecord
from roost.model.segments import Segment
from roost.model.spans import Span
from roost.model.token import Token
from roost.model.tombstones import Tombstone
from roost.wire.ballots import Held, Promised
from roost.wire.messages import Facts

#: The first and the longest pause before outcomes are written again.
RETRY_AFTER_S = 1.0
RETRY_AFTER_S_MAX = 30.0

#: A task, the token and the node under which elements were made, and their results.
MadeResult: TypeAlias = tuple[TaskId, Token, NodeId, Segment]


class Submission(msgspec.Struct, frozen=True):
    """A run and its tasks wait to be accepted."""

    event: Submitted
    record: RunRecord
    warnings: tuple[str, ...]
    #: All of it, for the node that is to keep a copy.
    facts: Facts
    #: What it needs of earlier submissions, and what that means for their runs (touching.py).
    earlier: tuple[TaskId, ...] = ()
    touched: tuple[RunRecord, ...] = ()


class Outcome(msgspec.Struct, frozen=True):
    """Elements wait to become done or failed."""

    task: TaskId
    delta: Elements
    #: Why, if an element failed.
    noted: FailureNoted | None = None
    #: Whether nobody else keeps it.
    alone: bool = False


class ResultOffer(msgspec.Struct, frozen=True):
    """Elements are finished here; another node is to keep and accept their results (write_acknowledgement.py)."""

    task: TaskId
    delta: Elements
    results: tuple[MadeResult, ...] = ()
    worked: tuple[Span, ...] = ()


class Found(msgspec.Struct, frozen=True):
    """Elements of one edition are finished here; their results are offered when enough nodes have found the same."""

    task: TaskId
    delta: Elements
    results: tuple[MadeResult, ...]
    #: By what they are compared.
    compared: tuple[Segment, ...]
    worked: tuple[Span, ...] = ()
    #: Whether it was a further attempt, beside the lease of another node.
    further: bool = False


class Proposed(msgspec.Struct, frozen=True):
    """Elements of one edition are finished here; they are done when most voters of the task hold them (quorum.py)."""

    task: TaskId
    delta: Elements
    results: tuple[MadeResult, ...] = ()
    worked: tuple[Span, ...] = ()


class Voted(msgspec.Struct, frozen=True):
    """This node has promised or holds something as a voter, and says so when it is on disk."""

    task: TaskId
    to: NodeId
    answer: Promised | Held
    brought: Brought = Brought()


class News(msgspec.Struct, frozen=True):
    """What one message of another node has changed here, and people are to be told of."""

    #: Everything that it is about; ``words`` say what became of runs.
    runs: tuple[RunId, ...] = ()
    words: tuple[tuple[RunId, str], ...] = ()
    tasks: tuple[TaskId, ...] = ()
    moved: tuple[tuple[TaskId, Elements], ...] = ()


class Learnt(msgspec.Struct, frozen=True):
    """What others told is in memory already, for it is safe with them; here it is spoken of when it is on disk."""

    news: News
    brought: Brought = Brought()


class Keeping(msgspec.Struct, frozen=True):
    """Another node wants this node to keep something, and to accept what it has finished."""

    sender: NodeId
    number: int
    news: News
    #: All tasks that it names, new or not.
    about: tuple[TaskId, ...] = ()
    accepted: tuple[tuple[TaskId, Elements], ...] = ()
    refused: tuple[tuple[TaskId, RangeSet], ...] = ()
    brought: Brought = Brought()


class Cancellation(msgspec.Struct, frozen=True):
    cause: CauseId
    deltas: tuple[tuple[TaskId, Elements], ...]
    #: All tasks that were named. The answer also speaks of those of which nothing has to change.
    asked: tuple[TaskId, ...] = ()


class Retry(msgspec.Struct, frozen=True):
    cause: CauseId
    deltas: tuple[tuple[TaskId, Elements], ...]
    asked: tuple[TaskId, ...] = ()
    #: What that means for the runs (touching.py).
    touched: tuple[RunRecord, ...] = ()


class Reopening(msgspec.Struct, frozen=True):
    """Work is sent back, or an answer was given, which also sends back what was made of an earlier one."""

    cause: CauseId
    deltas: tuple[tuple[TaskId, Elements], ...]
    #: The answers, as others are to keep them.
    results: tuple[MadeResult, ...] = ()
    touched: tuple[RunRecord, ...] = ()


class Switching(msgspec.Struct, frozen=True):
    """A run waits to be suspended, resumed or sealed."""

    cause: CauseId
    record: RunRecord
    word: str


class Forgetting(msgspec.Struct, frozen=True):
    """Runs wait to be forgotten: a person has asked for it here, or others tell of it (``cause`` is None then)."""

    cause: CauseId | None
    tombstones: tuple[Tombstone, ...]


class Finish(msgspec.Struct, frozen=True):
    finished: RunFinished


class LivesNoted(msgspec.Struct, frozen=True):
    """Leases wait until this number of lives outlives a power cut (lives.py)."""

    life: int


class Note(msgspec.Struct, frozen=True):
    """Nothing waits for it: leases, releases, and results that another node has accepted, on its disk.

    Losing it costs an attempt, not a promise.
    """

    tasks: tuple[TaskId, ...] = ()
    #: Whether it may be the last that happens to its run, whose end waits for it.
    urgent: bool = False


Change: TypeAlias = (
    Submission
    | Outcome
    | ResultOffer
    | Found
    | Proposed
    | Voted
    | Learnt
    | Keeping
    | Cancellation
    | Retry
    | Reopening
    | Switching
    | Forgetting
    | Finish
    | LivesNoted
    | Note
)


class _Entry(msgspec.Struct, frozen=True):
    change: Change
    facts: tuple[Fact, ...]
    #: The ticket under which it was handed in first; a change that is written again keeps its place in the order.
    first: int
    #: The runs and tasks that it is about.
    names: tuple[str, ...]


class Tickets:
    def __init__(self) -> None:
        self._next = 1
        self._waiting: dict[int, _Entry] = {}
        #: What the disk refused, and is not handed in again yet.
        self._unsaved: list[_Entry] = []
        self._queue = _Queue()
        self._pause_s = RETRY_AFTER_S
        #: How many changes that have not landed are about each run and each task.
        self._about: dict[str, int] = {}
        #: Why the journal could not be written, while that lasts.
        self.trouble: str | None = None
        self.retry_at: float | None = None

    def persist(self, change: Change, facts: tuple[Fact, ...]) -> Persist:
        runs, tasks = _subjects(change)
        names = (*runs, *tasks)
        for name in names:
            self._about[name] = self._about.get(name, 0) + 1
        return self._hand_in(_Entry(change, facts, self._next, names))

    def _hand_in(self, entry: _Entry) -> Persist:
        ticket = self._next
        self._next += 1
        self._waiting[ticket] = entry
        change = entry.change
        urgent = change.urgent if isinstance(change, Note) else not isinstance(change, Learnt)
        return Persist(ticket, entry.facts, urgent=urgent, flushed=isinstance(change, LivesNoted))

    @property
    def unwritten(self) -> int:
        """How many changes are not on disk yet, or not applied, of those that nobody else can tell of."""
        entries = (*self._waiting.values(), *self._unsaved, *self._queue.written)
        return sum(not isinstance(entry.change, Note | Learnt | Finish | LivesNoted) for entry in entries)

    def awaits(self, run_or_task: RunId | TaskId) -> int:
        """Return how many changes about this run or task have not landed."""
        return self._about.get(run_or_task, 0)

    def writes_end(self, run: RunId) -> bool:
        """Whether an end of this run is on its way to the disk, or has to be written again."""
        entries = (*self._waiting.values(), *self._unsaved, *self._queue.written)
        return any(isinstance(entry.change, Finish) and entry.change.finished.run == run for entry in entries)

    def landed(self, change: Change) -> list[RunId]:
        """A change was applied or is off; return the runs that it was about."""
        runs, tasks = _subjects(change)
        for name in (*runs, *tasks):
            self._about[name] -= 1
            if not self._about[name]:
                del self._about[name]
        return list(runs)

    def persisted(self, ticket: int) -> list[Change]:
        """Return the changes that may be applied now, in their order."""
        self.trouble, self._pause_s = None, RETRY_AFTER_S
        if not self._unsaved:
            self.retry_at = None
        applied: list[Change] = []
        for number in list(takewhile(lambda number: number <= ticket, self._waiting)):
            applied += self._queue.write(self._waiting.pop(number))
        return applied

    def brought_by(self, ticket: int) -> Brought:
        """Return the data of other nodes that a ticket takes to the disk."""
        change = self._waiting[ticket].change
        return change.brought if isinstance(change, Learnt | Keeping | Voted) else Brought()

    def failed(self, ticket: int, reason: str, now: float) -> Change | None:
        """Return the change that is off; None if it is an outcome, which will be written again."""
        entry = self._waiting.pop(ticket)
        if self.retry_at is None:
            self.retry_at = now + self._pause_s
            self._pause_s = min(2 * self._pause_s, RETRY_AFTER_S_MAX)
        self.trouble = reason
        if isinstance(
            entry.change,
            Outcome | ResultOffer | Found | Proposed | Voted | Learnt | Keeping | Finish | LivesNoted | Note,
        ):
            self._unsaved.append(entry)
            self._queue.refuse(entry)
            return None
        return entry.change

    def write_again(self) -> list[Persist]:
        """Return the kept changes as new Persists; without any, suppose that the trouble is over."""
        self.retry_at = None
        unsaved, self._unsaved = sorted(self._unsaved, key=lambda entry: entry.first), []
        if not unsaved:
            self.trouble = None
        return [self._hand_in(entry) for entry in unsaved]


class _Queue:
    """What the disk has refused, and what waits behind it: changes about the same are applied in their first order."""

    def __init__(self) -> None:
        #: What is not written yet, and what is and waits, by place in the order.
        self._refused: dict[int, _Entry] = {}
        self._written: dict[int, _Entry] = {}
        #: The places of all of these, by what they are about.
        self._places: dict[str, list[int]] = {}

    @property
    def written(self) -> list[_Entry]:
        return list(self._written.values())

    def refuse(self, entry: _Entry) -> None:
        if entry.first not in self._refused:
            self._refused[entry.first] = entry
            self._take_places(entry)

    def write(self, entry: _Entry) -> list[Change]:
        """A change is on disk: return it and what waited for it, in their order; nothing if it has to wait."""
        if self._refused.pop(entry.first, None) is None:
            if not self._places or not self._waits(entry):
                return [entry.change]
            self._take_places(entry)
        self._written[entry.first] = entry
        return [] if self._waits(entry) else self._let_go(entry)

    def _let_go(self, entry: _Entry) -> list[Change]:
        """Return a change that waits for nothing, and what waited for it only."""
        applied, free = [], [entry.first]
        while free:
            first = heapq.heappop(free)
            gone = self._written.pop(first, None)
            if gone is None:
                continue
            applied.append(gone.change)
            self._leave_places(gone)
            for name in gone.names:
                after = self._written.get(self._places[name][0]) if name in self._places else None
                if after is not None and not self._waits(after):
                    heapq.heappush(free, after.first)
        return applied

    def _waits(self, entry: _Entry) -> bool:
        """Whether an earlier change about the same is not applied."""
        return any(self._places[name][0] < entry.first for name in entry.names if name in self._places)

    def _take_places(self, entry: _Entry) -> None:
        for name in entry.names:
            insort(self._places.setdefault(name, []), entry.first)

    def _leave_places(self, entry: _Entry) -> None:
        for name in entry.names:
            places = self._places[name]
            del places[bisect_left(places, entry.first)]
            if not places:
                del self._places[name]


def _subjects(change: Change) -> tuple[dict[RunId, None], dict[TaskId, None]]:
    """Return the runs and the tasks that have to be in memory when this change is applied."""
    tasks: dict[TaskId, None] = {}
    runs: dict[RunId, None] = {}
    match change:
        # The most frequent ones first.
        case Outcome(task=task) | ResultOffer(task=task) | Found(task=task) | Proposed(task=task) | Voted(task=task):
            return {run_of(task): None}, {task: None}
        case Learnt(news=news):
            runs, tasks = _subjects_of(news)
        case Note(tasks=noted):
            tasks = dict.fromkeys(noted)
        case Submission(event=event, earlier=earlier):
            runs[event.run.id] = None
            # Its own tasks come with it.
            tasks = dict.fromkeys(earlier)
        case Switching(record=record):
            runs[record.spec.id] = None
        case Forgetting(tombstones=tombstones):
            runs = {tombstone.run: None for tombstone in tombstones}
        case Cancellation() | Retry() | Reopening():
            asked = () if isinstance(change, Reopening) else change.asked
            tasks = {task: None for task, _ in change.deltas} | dict.fromkeys(asked)
        case Keeping(about=about, news=news):
            runs, tasks = _subjects_of(news)
            tasks |= dict.fromkeys(about)
        case Finish() | LivesNoted():
            pass
        case _:
            assert_never(change)
    touched = change.touched if isinstance(change, Submission | Retry | Reopening) else ()
    return {**runs, **dict.fromkeys(map(run_of, tasks)), **{record.spec.id: None for record in touched}}, tasks


def _subjects_of(news: News) -> tuple[dict[RunId, None], dict[TaskId, None]]:
    return dict.fromkeys(news.runs), dict.fromkeys((*news.tasks, *(task for task, _ in news.moved)))
