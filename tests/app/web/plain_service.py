"""A node made of plain dicts, for tests of the API: it checks and remembers, and runs nothing by itself."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from roost.core.actions import Accepted, Change, RunChanged, TaskChanged
from roost.core.events import (
    Answered,
    CancelAsked,
    ForgetAsked,
    ReopenAsked,
    RetryAsked,
    Sealed,
    Submitted,
    SuspendAsked,
)
from roost.core.facts import StoryTold
from roost.core.queue.draining import Remaining
from roost.core.requests.requests import Request
from roost.core.telling.network_views import KeyChange, NetworkReport, NodeView, Offered, ReliabilityView
from roost.core.telling.views import STATES, RunningElement, RunView, TaskView
from roost.model.attributes import Attributes
from roost.model.clock import Stamp, tick, zero
from roost.model.errors import Damaged, NotFound, RoostError, Unavailable
from roost.model.happenings import AnsweredBy, Happening, SubmittedBy, reported_kind
from roost.model.ids import BlobHash, CauseId, NodeId, RunId, TaskId, name_of, run_id, run_of
from roost.model.limits import HANDED_FILE_BYTES_MAX, STORED_VALUE_BYTES_MAX
from roost.model.online import OnlineLog, Stretch
from roost.model.ranges import EMPTY, RangeSet
from roost.model.record import RunRecord, Switch
from roost.model.resources import Capacity
from roost.model.segments import Segment, pack
from roost.model.spans import Span
from roost.model.states import Done, Failed, State
from roost.model.task import Failure, Manual, Needs, RunKind, TaskSpec
from roost.model.vitals import Condition, NodeState, Role, Sign
from roost.model.workflow import check_submission
from roost.policy.fairness import Fairness
from roost.policy.reliability import Exponential, Reliability
from roost.runtime.data.chunks import read_part
from roost.runtime.far.incoming import take_in
from roost.runtime.far.output import Piece, piece_of
from roost.runtime.far.timelines import Timeline
from roost.runtime.service import NodeFacts
from roost.wire.messages import OutputStream, Standing
from tests.app.elsewhere import Elsewhere
from tests.tokens import attempt

NODE = NodeId("ash")
FAIR = Fairness("worst", 4)
STAYS = Reliability(Exponential(0.02), 4, is_known=True)
LOW = Condition(NodeState.TOO_UNSTABLE, Sign.REMAINING, 15)


class PlainService(Elsewhere):
    """Every element is ready at first; tests move elements with ``finish``, ``fail`` and ``run_element``."""

    def __init__(self, home: Path) -> None:
        super().__init__()
        self.home = home
        self.runs: dict[RunId, RunRecord] = {}
        self.specs: dict[TaskId, TaskSpec] = {}
        self.kept_handed: list[tuple[RunId, str, int]] = []
        self.ranges: dict[TaskId, dict[str, RangeSet]] = {}
        self.values: dict[TaskId, dict[int, bytes]] = {}
        self.last_failures: dict[TaskId, dict[int, Failure]] = {}
        self.running: dict[TaskId, tuple[RunningElement, ...]] = {}
        self.items: dict[TaskId, list[Segment]] = {}
        self.blobs: dict[BlobHash, bytes] = {}
        self.stories: list[StoryTold] = []
        self.spans: list[Span] = []
        self.listeners: list[Callable[[Change], None]] = []
        self.mended: list[RunId] = []
        #: Runs whose records are damaged, and elements whose results are.
        self.damaged_runs: set[RunId] = set()
        self.damaged: dict[TaskId, RangeSet] = {}
        self.mends_nothing = False
        self.asked: list[Request] = []
        self.refusal: RoostError | Exception | None = None
        self.trouble: str | None = None
        self.found_by: NetworkReport | None = None
        self.stopped = False
        self.left = Remaining(draining=False, running=1, unwritten=0, only_here=0, others=2)
        self.forgotten: list[RunId] = []
        #: What was asked about whether any node can run it.
        self.fitted: list[Needs] = []
        self._last = zero(NODE)
        self._number = 0

    def snapshot(self) -> object:
        """Everything that a request could have changed, comparable with ``==``."""
        tasks = {task: dict(ranges) for task, ranges in self.ranges.items()}
        return dict(self.runs), tasks, dict(self.blobs), len(self.asked), self.stopped

    def facts(self) -> NodeFacts:
        capacity = Capacity.of(2.0, 8 * 2**30, "3.11")
        running = sum(len(ranges["running"]) for ranges in self.ranges.values())
        online = OnlineLog((Stretch(100.0, 140.0), Stretch(200.0, 210.0), Stretch(900.0, 960.0)))
        runs, home = len(self.runs), str(self.home)
        who = (NODE, 4711, home, capacity, capacity, 3, 1.5, runs, running, self.trouble)
        return NodeFacts(*who, online=online, reliability=STAYS, condition=LOW, fairness=FAIR)

    def nodes(self) -> list[NodeView]:
        capacity = Offered(2.0, 8 * 2**30, "3.11")
        stays = ReliabilityView.of(STAYS)
        return [
            NodeView(
                NODE,
                "10.0.0.1:47801",
                Standing.ALIVE,
                1.5,
                capacity,
                1,
                0.0,
                coordinator=True,
                reliability=stays,
                performance=0.75,
                state="stable",
                role=Role.WORKER,
                why="others use 80 % of its processors",
            )
        ]

    async def attributes(self) -> Mapping[NodeId, Attributes]:
        return {NODE: {"os": "linux", "programs": ("ffmpeg", "sh")}}

    async def why_nobody(self, needs: Needs) -> str | None:
        self.fitted.append(needs)
        return f"no node here meets it; nearest: ash lacks {needs.condition}" if needs.condition else None

    def network(self) -> NetworkReport | None:
        return self.found_by

    def drain(self, *, on: bool, at_once: bool = False) -> Remaining:
        self.left = msgspec.structs.replace(self.left, draining=on, running=0 if at_once else self.left.running)
        return self.left

    def remaining(self) -> Remaining:
        return self.left

    def leave(self) -> None:
        self.stopped = True

    async def change_key(self, without: NodeId | None = None) -> KeyChange:
        if self.refusal is not None:
            raise self.refusal
        return KeyChange("c0ffee00", [NodeId("elm")] if without != "elm" else [], [NodeId("oak")])

    def new_cause(self, word: str) -> CauseId:
        return CauseId(f"{word}-{len(self.asked) + 1}")

    def new_run_id(self) -> RunId:
        self._number += 1
        return run_id(self._number, self._number * 7919)

    def stamp(self) -> Stamp:
        self._last = tick(self._last, 1_700_000_000.0)
        return self._last

    def ask(self, request: Request) -> asyncio.Future[Accepted]:
        answer: asyncio.Future[Accepted] = asyncio.get_running_loop().create_future()
        answer.set_result(self.do(request))
        return answer

    def do(self, request: Request) -> Accepted:
        if self.refusal is not None:
            raise self.refusal
        accepted = self._react(request)
        self.asked.append(request)
        return accepted

    def _react(self, request: Request) -> Accepted:
        match request:
            case Submitted():
                return self._submitted(request)
            case CancelAsked(tasks=tasks):
                return Accepted(elements=sum(self._move(task, "cancelled", part) for task, part in tasks))
            case RetryAsked(tasks=tasks):
                failed = [(task, part & self.ranges[task]["failed"]) for task, part in tasks]
                return Accepted(elements=sum(self._move(task, "ready", part) for task, part in failed))
            case SuspendAsked(run=run, on=on):
                record = self.runs[run]
                self.runs[run] = RunRecord(record.spec, Switch(self.stamp(), on), record.sealed)
                return Accepted(elements=self.run(run).total)
            case Sealed():
                return Accepted()
            case ForgetAsked(runs=runs):
                self.forgotten += runs
                for run in runs:
                    del self.runs[run]
                return Accepted(elements=len(runs))
            case ReopenAsked(tasks=tasks):
                return Accepted(elements=sum(self._reopen(task, part, request.why) for task, part in tasks))
            case Answered(task=task, index=index):
                self.finish(task, index, request.result.values()[0])
                one = RangeSet.span(index, index + 1)
                self.stories.append(StoryTold(task, self.stamp(), one, AnsweredBy(request.who), request.cause))
                return Accepted(elements=1)

    def _submitted(self, request: Submitted) -> Accepted:
        check_submission(request.tasks, self.specs)
        self.runs[request.run.id] = RunRecord(request.run, sealed=Switch(self.stamp(), on=True))
        for spec in request.tasks:
            self.specs[spec.id] = spec
            self.ranges[spec.id] = dict.fromkeys(STATES, EMPTY) | {"ready": spec.elements}
            self.stories.append(
                StoryTold(spec.id, self.stamp(), spec.elements, SubmittedBy("ada", "ash"), request.cause)
            )
        for task, segment in request.items:
            self.items.setdefault(task, []).append(segment)
        self.blobs |= dict(request.blobs)
        self.notify(RunChanged(request.run.id, "added"))
        return Accepted(("a warning",) if request.run.name == "odd" else ())

    def _reopen(self, task: TaskId, ranges: RangeSet, why: Happening) -> int:
        ranges &= self.ranges[task]["done"]
        self.ranges[task]["done"] -= ranges
        self.stories.append(StoryTold(task, self.stamp(), ranges, why, CauseId("reject")))
        return self._move(task, "ready", ranges)

    def _move(self, task: TaskId, state: str, ranges: RangeSet) -> int:
        ranges -= self.ranges[task]["done"]
        self.ranges[task] = {name: part - ranges for name, part in self.ranges[task].items()}
        self.ranges[task][state] |= ranges
        self.notify(TaskChanged(task, state, ranges))
        return len(ranges)

    def finish(self, task: TaskId, index: int, value: bytes) -> None:
        self._move(task, "done", RangeSet.of([index]))
        self.values.setdefault(task, {})[index] = value

    def fail(self, task: TaskId, index: int, failure: Failure) -> None:
        self._move(task, "failed", RangeSet.of([index]))
        self.last_failures.setdefault(task, {})[index] = failure

    def run_element(self, task: TaskId, index: int) -> None:
        self._move(task, "running", RangeSet.of([index]))
        self.running[task] = (RunningElement(task, index, 2.5, 0.4, "fold 2/5", NODE),)

    def states(self, task: TaskId, ranges: RangeSet) -> list[tuple[State, RangeSet]]:
        """Even elements were done here, odd ones on another node; what failed, failed here."""
        done, failed = self.ranges[task]["done"], self.ranges[task]["failed"]
        even = RangeSet.of(index for index in done if index % 2 == 0)
        found: list[tuple[State, RangeSet]] = [
            (Done(attempt(1), NODE), even & ranges),
            (Done(attempt(2), NodeId("elm")), (done - even) & ranges),
            (Failed(0, attempt(3), NODE, 1), failed & ranges),
        ]
        return [entry for entry in found if entry[1]]

    def notify(self, change: Change) -> None:
        for listener in tuple(self.listeners):
            listener(change)

    def run_ids(self) -> list[RunId]:
        return list(self.runs)

    def mend(self, run: RunId) -> None:
        self.damaged_runs.discard(run)
        self.mended.append(run)

    def forgotten_ids(self) -> list[RunId]:
        return self.forgotten

    def run_bytes(self, run: RunId) -> int:
        return 1000

    def unended_runs(self) -> list[RunId]:
        return [run for run in self.runs if self.run(run).finished_at is None]

    def open_sessions(self) -> list[RunId]:
        runs = self.runs.items()
        return [name for name, run in runs if run.spec.kind is RunKind.SESSION and not run.sealed.on]

    def run(self, run: RunId) -> RunView:
        if run in self.damaged_runs:
            raise Damaged(f"the record of run {run} on this disk is damaged")
        if run not in self.runs:
            raise NotFound(f"there is no run '{run}'")
        views = self.tasks(run)
        counts = {state: sum(len(view.ranges[state]) for view in views) for state in STATES}
        ended = not any(counts[state] for state in ("waiting", "ready", "running", "suspended"))
        counts = {state: count for state, count in counts.items() if count}
        people = sum(len(view.ranges["ready"]) for view in views if isinstance(view.spec.work, Manual))
        state, finished_at = ("done", 5.0) if ended else ("running", None)
        return RunView(self.runs[run], state, counts, len(views), finished_at, people)

    def tasks(self, run: RunId) -> list[TaskView]:
        return [self.task(task) for task in self.specs if run_of(task) == run]

    def task(self, task: TaskId) -> TaskView:
        if run_of(task) in self.damaged_runs:
            raise Damaged(f"the record of run {run_of(task)} on this disk is damaged")
        if task not in self.specs:
            raise NotFound(f"run {run_of(task)} has no task '{name_of(task)[:60]}'")
        ranges = self.ranges[task]
        made = {NODE: len(ranges["done"])} if ranges["done"] else {}
        return TaskView(self.specs[task], ranges, self.running.get(task, ()), made)

    def spec(self, task: TaskId) -> TaskSpec:
        return self.task(task).spec

    async def explain(self, tasks: Sequence[TaskId], index: int | None) -> list[list[str]]:
        element = "" if index is None else f"element {index} of "
        return [[f"{element}{name_of(task)} waits"] for task in tasks]

    def has_run_of(self, workflow: str) -> bool:
        return any(run.spec.workflow == workflow for run in self.runs.values())

    def explain_reuse(self, task: TaskId, index: int | None) -> list[str]:
        return [f"{name_of(task)} was taken over" if index is None else f"element {index} was taken over"]

    async def story(self, tasks: Sequence[TaskId]) -> list[StoryTold]:
        return [line for line in self.stories if line.task in tasks]

    async def timeline(self, run: RunId) -> Timeline:
        spans = [span for span in self.spans if run_of(span.task) == run]
        happened = [line for line in self.stories if run_of(line.task) == run and reported_kind(line.what)]
        return Timeline(spans, [NodeId("yew")], happened)

    def results(self, task: TaskId, ranges: RangeSet) -> Iterator[Segment]:
        for index, value in sorted(self.values.get(task, {}).items()):
            if index in ranges & self.damaged.get(task, EMPTY):
                if not self.mends_nothing:
                    self.damaged[task] -= RangeSet.span(index, index + 1)
                raise Damaged(f"the result of element {index} on this disk was damaged")
            if index in ranges:
                yield pack(index, [value])

    def inputs(self, task: TaskId, ranges: RangeSet) -> Iterator[Segment]:
        for segment in self.items.get(task, []):
            for index, item in enumerate(segment.values(), segment.start):
                if index in ranges:
                    yield pack(index, [item])

    def failures(self, task: TaskId, ranges: RangeSet) -> Iterator[tuple[int, Failure]]:
        for index, failure in sorted(self.last_failures.get(task, {}).items()):
            if index in ranges:
                yield index, failure

    def known_blobs(self, blobs: Sequence[BlobHash]) -> list[BlobHash]:
        return [blob for blob in blobs if blob in self.blobs]

    def log_path(self, task: TaskId, index: int, stream: str) -> Path:
        return self.home / f"{name_of(task)}.{index}.{stream}"

    async def log(self, task: TaskId, index: int, stream: OutputStream, offset: int) -> Piece | None:
        if self.is_away:
            raise Unavailable(f"what element {index} wrote is on elm, which is away")
        return piece_of(read_part(self.log_path(task, index, stream), offset))

    async def file(self, task: TaskId, index: int, content: str, size: int) -> Path:
        path = self.home / content
        if not path.exists():
            raise NotFound(f"the content {content} is not here")
        return path

    async def take_file(self, pieces: AsyncIterator[bytes]) -> tuple[str, int]:
        return await take_in(self.home, pieces, HANDED_FILE_BYTES_MAX)

    async def take_value(self, pieces: AsyncIterator[bytes]) -> tuple[str, int]:
        return await take_in(self.home, pieces, STORED_VALUE_BYTES_MAX)

    async def value(self, content: str, size: int) -> Path:
        return await self.file(TaskId(""), 0, content, size)

    async def keep_handed(self, run: RunId, content: str, size: int) -> None:
        if not (self.home / content).exists():
            raise NotFound(f"no file with the content {content} is kept here")
        self.kept_handed.append((run, content, size))

    def listen(self, listener: Callable[[Change], None]) -> Callable[[], None]:
        self.listeners.append(listener)
        return lambda: self.listeners.remove(listener) if listener in self.listeners else None

    def shut_down(self) -> None:
        self.stopped = True
