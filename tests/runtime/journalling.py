"""A journal on a real disk that a test can write to and wait for, and facts to write."""

import threading
from pathlib import Path
from typing import Self

from roost.core.facts import Fact, ResultsStored, RunFinished, RunMerged, StatesMerged, StoryTold, TaskAdded, Worked
from roost.model.clock import Stamp
from roost.model.elements import Elements
from roost.model.happenings import DoneOn, Happening
from roost.model.ids import CauseId, NodeId, RunId, TaskId
from roost.model.ranges import RangeSet
from roost.model.record import RunRecord, Switch
from roost.model.segments import pack
from roost.model.spans import span_of
from roost.model.states import Cancelled, Done, Failed, State
from roost.model.task import Command, Edge, EdgeKind, RunKind, RunSpec, TaskSpec
from roost.runtime.journal.journal import Journal
from roost.runtime.journal.recent import RecentSegments
from tests.tokens import attempt

PATIENCE_S = 20.0
NODE = NodeId("ash")
RUN = RunId("5-kedova")
TASK = TaskId("5-kedova/resize")
DONE = DoneOn(NODE)


class Recorder:
    """Receives the journal's answers, and lets a test wait for them."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        #: ("written", ticket) and ("failed", tickets), in the order in which they came.
        self.answers: list[tuple[str, int | tuple[int, ...]]] = []
        self.reasons: list[str] = []
        self._settled = 0

    def on_written(self, ticket: int) -> None:
        self._answer(("written", ticket), ticket)

    def on_failed(self, tickets: tuple[int, ...], reason: str) -> None:
        self.reasons.append(reason)
        self._answer(("failed", tickets), tickets[-1])

    def on_flushed(self, ticket: int) -> None:
        self._answer(("flushed", ticket), ticket)

    def on_lost(self, reason: str) -> None:
        self.reasons.append(reason)

    def _answer(self, answer: tuple[str, int | tuple[int, ...]], last: int) -> None:
        with self._changed:
            self.answers.append(answer)
            self._settled = last
            self._changed.notify_all()

    def wait_for(self, ticket: int) -> None:
        with self._changed:
            assert self._changed.wait_for(lambda: self._settled >= ticket, PATIENCE_S), f"no answer to ticket {ticket}"


class OpenJournal(Recorder):
    """An open journal; ``write`` returns when the facts are on disk or were refused."""

    def __init__(self, path: Path, journal: Journal | None = None) -> None:
        super().__init__()
        self.path = path
        self.journal = journal or Journal.open(path)
        # What was just written would be read from memory; here the database is asked.
        self.journal._segments._recent = RecentSegments(limit=0)
        self.boot = self.journal.begin_boot()
        self.writer = self.journal.start(self)
        self._ticket = 0

    def append(self, *facts: Fact) -> int:
        self._ticket += 1
        self.journal.append(self._ticket, facts)
        return self._ticket

    def write(self, *facts: Fact) -> None:
        self.wait_for(self.append(*facts))

    def reopen(self) -> "OpenJournal":
        self.journal.close()
        return OpenJournal(self.path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.journal.close()


def stamp(wall_ms: int) -> Stamp:
    return Stamp(wall_ms, 0, NODE)


def run_record(
    run: RunId = RUN, *, at: int = 1, sealed: bool = True, suspended: bool = False, workflow: str = ""
) -> RunRecord:
    spec = RunSpec(run, "work", RunKind.COMMAND, "ada", "here", stamp(at), workflow=workflow)
    return RunRecord(spec, Switch(stamp(at), suspended), Switch(stamp(at), sealed))


def task_spec(task: TaskId = TASK, count: int = 10, *, at: int = 1, needs: tuple[TaskId, ...] = ()) -> TaskSpec:
    edges = tuple(Edge(source, EdgeKind.AFTER) for source in needs)
    run = RunId(task.partition("/")[0])
    return TaskSpec(task, run, Command(("true",)), RangeSet.span(0, count), stamp(at), edges)


def run_added(run: RunId = RUN, *, at: int = 1, sealed: bool = True) -> RunMerged:
    return RunMerged(run_record(run, at=at, sealed=sealed))


def task_added(task: TaskId = TASK, count: int = 10, *, at: int = 1, needs: tuple[TaskId, ...] = ()) -> TaskAdded:
    return TaskAdded(task_spec(task, count, at=at, needs=needs))


def moved(task: TaskId, state: State, start: int, stop: int) -> StatesMerged:
    return StatesMerged(task, Elements({state: RangeSet.span(start, stop)}))


def done(token: int = 1, node: NodeId = NODE) -> Done:
    return Done(attempt(token), node)


def failed(token: int = 1, failures: int = 1) -> Failed:
    return Failed(0, attempt(token), NODE, failures)


def cancelled(token: int = 1) -> Cancelled:
    return Cancelled(attempt(token))


def values(start: int, stop: int, word: str = "value") -> list[bytes]:
    return [f"{word} {index}".encode() for index in range(start, stop)]


def results(task: TaskId, start: int, stop: int, token: int = 1, word: str = "value") -> ResultsStored:
    return ResultsStored(task, attempt(token), NODE, pack(start, values(start, stop, word)))


def told(task: TaskId, at: int, what: Happening = DONE, cause: str = "lease-1") -> StoryTold:
    return StoryTold(task, stamp(at), RangeSet.span(0, 1), what, CauseId(cause))


def worked(task: TaskId, end: float, *, lane: int = 0, elements: int = 1) -> Worked:
    return Worked(span_of(task, NODE, lane, RangeSet.span(0, elements), 0.5, 0.0, end))


def finished(run: RunId = RUN, *, at: int, state: str = "done") -> RunFinished:
    return RunFinished(run, stamp(at), state, {state: 10}, 1)
