"""A node made of dicts behind the real API on a real socket, for tests of the client: it calls functions at once.

``holding`` makes it accept without calling; ``drop`` breaks all connections; ``restart`` is a new life on another port
with what was accepted before.
"""

import asyncio
import io
import pickle
import threading
import time
from collections.abc import Callable, Coroutine, Iterator, Sequence
from pathlib import Path
from typing import Any, Self, TypeVar

from aiohttp import web

from roost.app.web.server import Server, serve
from roost.app.web.sockets import SOCKETS
from roost.client.start import Address
from roost.core.actions import Accepted, Change, RunChanged, TaskChanged
from roost.core.events import CancelAsked, Sealed, Submitted
from roost.core.telling.network_views import NetworkReport, NodeView
from roost.core.telling.views import ENDED, STATES, RunView, TaskView
from roost.executors.worker.failures import failure_of
from roost.executors.worker.taking import Taking
from roost.model.clock import Stamp, tick, zero
from roost.model.errors import InvalidInput, NotFound, RoostError
from roost.model.ids import BlobHash, CauseId, NodeId, RunId, TaskId, run_id, run_of
from roost.model.ranges import EMPTY, RangeSet
from roost.model.record import RunRecord, Switch
from roost.model.resources import Capacity
from roost.model.segments import Segment, pack
from roost.model.task import EdgeKind, Failure, Function, RunKind, TaskSpec, Value
from roost.model.workflow import check_submission
from roost.runtime.far.output import Piece
from roost.runtime.service import NodeFacts, Request
from roost.wire.messages import OutputStream
from tests.app.elsewhere import Elsewhere

NODE = NodeId("ash")
TOKEN = "t" * 43
TIMEOUT_S = 20.0
T = TypeVar("T")


def until(condition: Callable[[], bool]) -> None:
    """Ask again and again until it is so; fail if it takes too long."""
    deadline = time.monotonic() + TIMEOUT_S
    while not condition():
        assert time.monotonic() < deadline, "what was waited for did not come"


class NotReadyError(Exception):
    """Something that an element needs has failed."""


class SmallService(Elsewhere):
    """Remembers what it is asked; calls the functions of tasks, and of those that wait for them, as they come."""

    def __init__(self) -> None:
        super().__init__()
        self.runs: dict[RunId, RunRecord] = {}
        self.specs: dict[TaskId, TaskSpec] = {}
        self.ranges: dict[TaskId, dict[str, RangeSet]] = {}
        self.values: dict[TaskId, dict[int, bytes]] = {}
        self.faults: dict[TaskId, dict[int, Failure]] = {}
        self.items: dict[TaskId, dict[int, bytes]] = {}
        self.blobs: dict[BlobHash, bytes] = {}
        self.asked: list[Request] = []
        self.forgotten: list[RunId] = []
        self.holding = False
        #: What the next requests are refused with.
        self.refusal: RoostError | None = None
        self._listeners: list[Callable[[Change], None]] = []
        self._last = zero(NODE)
        self._named = 0
        self._todo: list[TaskSpec] = []
        self._functions: dict[BlobHash, Callable[..., Any]] = {}

    def spec(self, task: TaskId) -> TaskSpec:
        return self.task(task).spec

    def facts(self) -> NodeFacts:
        capacity = Capacity.of(2.0, 2**33, "3.11")
        return NodeFacts(NODE, 1, "home", capacity, capacity, 1, 1.0, len(self.runs), 0, None)

    def nodes(self) -> list[NodeView]:
        return []

    def network(self) -> NetworkReport | None:
        return None

    def new_cause(self, word: str) -> CauseId:
        return CauseId(f"{word}-{len(self.asked)}")

    def new_run_id(self) -> RunId:
        self._named += 1
        return run_id(self._named, self._named * 7919)

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
        self.asked.append(request)
        match request:
            case Submitted():
                self._add(request)
            case Sealed(run=run):
                self.runs[run] = RunRecord(self.runs[run].spec, sealed=Switch(self.stamp(), on=True))
            case CancelAsked(tasks=tasks, unleased=unleased):
                return Accepted(elements=sum(self._cancel(task, ranges, unleased) for task, ranges in tasks))
        return Accepted()

    def _add(self, request: Submitted) -> None:
        run = self.runs.get(request.run.id)
        if run is not None and run.sealed.on:
            raise InvalidInput(f"run {request.run.id} takes no more tasks")
        check_submission(request.tasks, self.specs)
        self.runs[request.run.id] = RunRecord(request.run, sealed=Switch(self.stamp(), on=not request.open))
        self.blobs.update(request.blobs)
        for spec in request.tasks:
            self.specs[spec.id] = spec
            self._todo.append(spec)
            self.ranges[spec.id] = dict.fromkeys(STATES, EMPTY) | {"ready": spec.elements}
            self.values[spec.id], self.faults[spec.id], self.items[spec.id] = {}, {}, {}
        for task, segment, _ in request.given:
            self.values[task].update(enumerate(segment.values(), segment.start))
        for task, segment in request.items:
            self.items[task].update(enumerate(segment.values(), segment.start))
        if not self.holding:
            # After the answer, as a real node does.
            asyncio.get_running_loop().call_soon(self.work)

    def work(self) -> None:
        """Call whatever is ready, in the order of submission, which is an order of the edges too."""
        todo, self._todo = self._todo, []
        for spec in todo:
            self._work_on(spec)
        for run in {spec.run for spec in todo if self.runs[spec.run].sealed.on}:
            self._notify(RunChanged(run, self.run(run).state))

    def _work_on(self, spec: TaskSpec) -> None:
        if isinstance(spec.work, Value):
            self._move(spec.id, "done", spec.elements)
            return
        assert isinstance(spec.work, Function)
        function = self._functions.get(spec.work.code)
        if function is None:
            function = self._functions[spec.work.code] = pickle.loads(self.blobs[spec.work.code])
        done = failed = aborted = EMPTY
        for index in self.ranges[spec.id]["ready"] | self.ranges[spec.id]["running"]:
            one = RangeSet.span(index, index + 1)
            try:
                args, kwargs = self._arguments(spec, index)
                self.values[spec.id][index] = pickle.dumps(function(*args, **kwargs))
                done |= one
            except NotReadyError:
                aborted |= one
            except Exception as error:  # noqa: BLE001 - whatever a function raises is the outcome of its element
                self.faults[spec.id][index] = failure_of(error, 0.0)
                failed |= one
        for state, ranges in (("done", done), ("failed", failed), ("aborted", aborted)):
            self._move(spec.id, state, ranges)

    def _arguments(self, spec: TaskSpec, index: int) -> tuple[tuple[Any, ...], dict[str, Any]]:
        assert isinstance(spec.work, Function)
        shared = spec.work.arguments
        data = self.items[spec.id][index] if shared is None else self.blobs[shared]
        unpickler = pickle.Unpickler(io.BytesIO(data))
        unpickler.persistent_load = lambda port: self._arriving(spec, index, port[1])  # type: ignore[method-assign]
        call: tuple[tuple[Any, ...], dict[str, Any]] = unpickler.load()
        return call

    def _arriving(self, spec: TaskSpec, index: int, port: str) -> Any:
        edge = next(edge for edge in spec.edges if edge.port == port)
        values = self.values[edge.source]
        taking = Taking(edge.port, edge.pick, edge.type)
        if edge.kind is EdgeKind.EACH and index in values:
            return taking.value(values[index])
        if len(values) < len(self.specs[edge.source].elements):
            raise NotReadyError
        loaded = [taking.value(values[at]) for at in sorted(values)]
        return loaded if edge.kind is EdgeKind.ALL else loaded[0]

    def begin(self, task: TaskId, ranges: RangeSet) -> None:
        """Let elements run; they are called when the node works."""
        self._move(task, "running", ranges)

    def _cancel(self, task: TaskId, ranges: RangeSet, unleased: bool) -> int:
        for state in (*ENDED, "running") if unleased else ENDED:
            ranges -= self.ranges[task][state]
        self._move(task, "cancelled", ranges)
        return len(ranges)

    def _move(self, task: TaskId, state: str, ranges: RangeSet) -> None:
        if ranges:
            self.ranges[task] = {name: part - ranges for name, part in self.ranges[task].items()}
            self.ranges[task][state] |= ranges
            self._notify(TaskChanged(task, state, ranges))

    def _notify(self, change: Change) -> None:
        for listener in tuple(self._listeners):
            listener(change)

    def forgotten_ids(self) -> list[RunId]:
        return self.forgotten

    def run_ids(self) -> list[RunId]:
        return list(self.runs)

    def open_sessions(self) -> list[RunId]:
        runs = self.runs.items()
        return [name for name, run in runs if run.spec.kind is RunKind.SESSION and not run.sealed.on]

    def run(self, run: RunId) -> RunView:
        if run not in self.runs:
            raise NotFound(f"there is no run {run}")
        views = self.tasks(run)
        counts = {state: sum(len(view.ranges[state]) for view in views) for state in STATES}
        counts = {state: count for state, count in counts.items() if count}
        ended = not set(counts) - set(ENDED)
        state = next(
            (word for word in ("failed", "cancelled") if ended and word in counts), "done" if ended else "running"
        )
        return RunView(self.runs[run], state, counts, len(views))

    def tasks(self, run: RunId) -> list[TaskView]:
        return [self.task(task) for task in self.specs if run_of(task) == run]

    def task(self, task: TaskId) -> TaskView:
        if task not in self.specs:
            raise NotFound(f"there is no task {task}")
        return TaskView(self.specs[task], self.ranges[task])

    def results(self, task: TaskId, ranges: RangeSet) -> Iterator[Segment]:
        values = self.values[task]
        for start, stop in ranges.spans():
            for at in range(start, stop, 1000):
                part = range(at, min(at + 1000, stop))
                yield pack(at, [values[index] for index in part])

    def failures(self, task: TaskId, ranges: RangeSet) -> Iterator[tuple[int, Failure]]:
        yield from ((index, failure) for index, failure in self.faults[task].items() if index in ranges)

    def known_blobs(self, blobs: Sequence[BlobHash]) -> list[BlobHash]:
        return [blob for blob in blobs if blob in self.blobs]

    def listen(self, listener: Callable[[Change], None]) -> Callable[[], None]:
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    async def explain(self, tasks: Sequence[TaskId], index: int | None) -> list[list[str]]:
        raise NotImplementedError

    async def story(self, tasks: Sequence[TaskId]) -> list[Any]:
        raise NotImplementedError

    async def log(self, task: TaskId, index: int, stream: OutputStream, offset: int) -> Piece | None:
        raise NotImplementedError

    async def file(self, task: TaskId, index: int, content: str, size: int) -> Path:
        raise NotImplementedError

    def shut_down(self) -> None:
        raise NotImplementedError


class SmallNode:
    """The service on a socket, in a thread of its own."""

    def __init__(self) -> None:
        self.service = SmallService()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._server: Server | None = None

    def __enter__(self) -> Self:
        self._thread.start()
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def start(self) -> None:
        self._server = self.run(serve(self.service, TOKEN))

    def stop(self) -> None:
        server, self._server = self._server, None
        if server is not None:
            self.run(server.close())

    def restart(self) -> None:
        self.stop()
        self.start()

    def drop(self) -> None:
        """Break every connection, as a network does."""
        self.run(self._drop())

    async def _drop(self) -> None:
        assert self._server is not None
        sockets: set[web.WebSocketResponse] = self._server._runner.app[SOCKETS]
        for socket in tuple(sockets):
            transport = socket._req.transport if socket._req is not None else None
            if transport is not None:
                transport.abort()

    def find(self) -> Address:
        server = self._server
        return Address("http://127.0.0.1:9" if server is None else server.address, TOKEN)

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(TIMEOUT_S)

    def do(self, act: Callable[[], T]) -> T:
        """Do something in the node's own thread."""

        async def acting() -> T:
            return act()

        return self.run(acting())
