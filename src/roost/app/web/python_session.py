"""The node's end of a Python session: requests of one client in, answers and outcomes out.

A session's run is open while its client is connected. If the client vanishes, its run is sealed and goes on; what it
makes waits for whoever attaches to it.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator
from functools import partial
from typing import Any, Final, TypeAlias
from weakref import WeakKeyDictionary

from aiohttp import web
from aiohttp.http import WSMessage, WSMsgType

from roost.api.python_session import (
    SESSION_VERSION,
    Answer,
    Blame,
    Cancel,
    FromClient,
    Hello,
    Look,
    LookAt,
    Named,
    NameRun,
    NewTask,
    Refused,
    Request,
    Seal,
    Seen,
    Submit,
    Taken,
    Watch,
    Watched,
    Welcome,
    decode_from_client,
    encode_message,
)
from roost.api.requests import Nothing, SessionQuery, ValueAsked
from roost.api.unrun import length_of
from roost.app.intake.lookup import known_task, state_of
from roost.app.intake.nesting import nested
from roost.app.intake.submission import policy_of
from roost.app.intake.work import blob_hash
from roost.app.web.application import SERVICE
from roost.app.web.calls import Call
from roost.app.web.outcomes import Outcomes, is_end
from roost.app.web.sockets import connected, until_one_ends
from roost.core.actions import Accepted, Change, RunChanged
from roost.core.events import CancelAsked, Sealed, Submitted
from roost.model.errors import InvalidInput, NotFound, PeerError, RoostError, Unavailable
from roost.model.ids import RUN_ID, BlobHash, RunId, TaskId
from roost.model.limits import NAME_LENGTH_MAX, REQUEST_BYTES_MAX, SESSION_REQUESTS_MAX, WORKFLOW_NAME_LENGTH_MAX
from roost.model.paths import parts_of, shown_in, shown_ranges
from roost.model.ranges import RangeSet
from roost.model.segments import Segment, pack
from roost.model.states import NO_LENGTH
from roost.model.task import Command, RunKind, RunSpec, TaskSpec, Value, blobs_of
from roost.runtime.service import NodeService
from roost.wire.values import decode_item

#: Outcomes to one client in the node's memory, beyond what the system's own buffers hold.
_WRITE_BUFFER_BYTES: Final = 1024 * 1024
_BLAME: Final = {NotFound: Blame.NOT_FOUND, InvalidInput: Blame.INVALID, Unavailable: Blame.UNAVAILABLE}
_Question: TypeAlias = NameRun | Watch | Cancel | Look | LookAt | Seal
#: For each client that is connected: set when that connection has come to its end.
_ends: Final[WeakKeyDictionary[web.Application, dict[str, asyncio.Event]]] = WeakKeyDictionary()


async def handle_session(call: Call[SessionQuery, Nothing]) -> web.WebSocketResponse:
    request = call.request
    async with connected(request, max_msg_size=REQUEST_BYTES_MAX, writer_limit=_WRITE_BUFFER_BYTES) as socket:
        # A client that goes away in the middle of a message is no error of ours.
        with contextlib.suppress(ConnectionResetError):
            await _converse(request.app, socket)
    return socket


async def seal_earlier_sessions(app: web.Application) -> None:
    """Seal the sessions that an earlier life of this node left open; a client that comes back opens another run."""
    service = app[SERVICE]
    for run in service.open_sessions():
        await service.ask(Sealed(service.new_cause("seal"), run))


async def _converse(app: web.Application, socket: web.WebSocketResponse) -> None:
    service = app[SERVICE]
    try:
        hello = _checked_hello(_decoded(await socket.receive()))
    except RoostError as error:
        await socket.send_bytes(encode_message(Refused(-1, Blame.INVALID, str(error))))
        return
    facts = service.facts()
    await socket.send_bytes(encode_message(Welcome(SESSION_VERSION, facts.node, facts.capacity.python)))
    async with _turn_of(app, hello.client):
        await PythonSession(service, socket, hello).run()


@contextlib.asynccontextmanager
async def _turn_of(app: web.Application, client: str) -> AsyncIterator[None]:
    """Let a client that has come back wait for the end of its earlier connection, so that the two do not mix."""
    ends = _ends.setdefault(app, {})
    while (earlier := ends.get(client)) is not None:
        await earlier.wait()
    end = ends[client] = asyncio.Event()
    try:
        yield
    finally:
        del ends[client]
        end.set()


def _decoded(frame: WSMessage) -> FromClient:
    if frame.type is not WSMsgType.BINARY:
        raise PeerError("a session's messages are binary")
    return decode_from_client(frame.data)


def _checked_hello(hello: FromClient) -> Hello:
    if not isinstance(hello, Hello):
        raise PeerError("a session begins with a hello")
    if hello.version != SESSION_VERSION:
        raise InvalidInput(
            f"this node speaks version {SESSION_VERSION} of the session and the client {hello.version}; "
            "use the same version of Roost for both, then restart the node with 'roost down' and 'roost up'"
        )
    return hello


def _checked(blob: BlobHash, content: bytes) -> bytes:
    if blob_hash(content) != blob:
        raise InvalidInput(f"the content of blob {blob[:40]} has another hash")
    return content


def _refusal(request: Request, error: BaseException) -> Refused:
    """Say no for a reason that the client can understand; raise what is none."""
    for kind, blame in _BLAME.items():
        if isinstance(error, kind):
            return Refused(request.key, blame, str(error))
    raise error


def _count(request: Submit) -> int:
    """Return how many elements there are; of those in pools nobody knows yet."""
    return sum(len(task.elements) for task in request.tasks if task.mapper is None)


def _given(task: NewTask) -> Iterator[tuple[TaskId, Segment, int]]:
    """Yield the result of a value; raise InvalidInput if a task that is none has one, or it cannot be read."""
    if isinstance(task.work, Value) != (task.result is not None):
        raise InvalidInput(f"task '{task.id}' comes with a result if, and only if, it is a value")
    if task.result is None:
        return
    if task.elements != RangeSet.span(0, 1) or task.edges:
        raise InvalidInput(f"task '{task.id}' is a value, which is there once and waits for nothing")
    try:
        value = decode_item(task.result)
    except PeerError as error:
        raise InvalidInput(f"the value of task '{task.id}' cannot be read: {error}") from None
    length = length_of(ValueAsked(value), is_mapped=task.is_mapped)
    yield task.id, pack(0, [task.result]), NO_LENGTH if length is None else length


class PythonSession:
    """One connected client."""

    def __init__(self, service: NodeService, socket: web.WebSocketResponse, hello: Hello) -> None:
        self._service = service
        self._socket = socket
        self._hello = hello
        self._outcomes = Outcomes(service, socket)
        #: The open runs that this client adds to.
        self._open: dict[RunId, RunSpec] = {}
        #: Who waits for the end of a run: the keys of the requests.
        self._lookers: dict[RunId, list[int]] = {}
        self._working: set[asyncio.Future[Any]] = set()

    async def run(self) -> None:
        """Serve until the client goes away."""
        stop_listening = self._service.listen(self._hear)
        try:
            await until_one_ends(self._read(), self._outcomes.write())
        finally:
            stop_listening()
            await self._finish()

    async def _read(self) -> None:
        async for frame in self._socket:
            try:
                message = _decoded(frame)
            except PeerError as error:
                await self._socket.send_bytes(encode_message(Refused(-1, Blame.INVALID, str(error))))
                return
            if not isinstance(message, Hello):
                await self._begin(message)

    async def _begin(self, request: Request) -> None:
        """Work on requests side by side, so that the journal can commit them together, but not on too many."""
        if isinstance(request, Submit):
            # Every call comes this way: it is handed in right here, without a task that waits for it.
            self._submit(request)
        else:
            work = asyncio.create_task(self._serve(request))
            self._working.add(work)
            work.add_done_callback(self._working.discard)
        if len(self._working) >= SESSION_REQUESTS_MAX:
            await asyncio.wait(self._working, return_when=asyncio.FIRST_COMPLETED)

    async def _finish(self) -> None:
        """Let what was asked come to its end, then seal: a client that returns must find its tasks in, or not in."""
        await asyncio.gather(*self._working, return_exceptions=True)
        for run in self._open:
            with contextlib.suppress(RoostError):
                await self._service.ask(Sealed(self._service.new_cause("seal"), run))

    async def _serve(self, request: _Question) -> None:
        answer: Answer | None
        try:
            answer = await self._answer(request)
        except RoostError as error:
            answer = _refusal(request, error)
        if answer is not None:
            self._outcomes.answer(answer)

    async def _answer(self, request: _Question) -> Answer | None:
        match request:
            case NameRun(key=key):
                return Named(key, self._service.new_run_id())
            case Watch():
                return self._watch(request)
            case Cancel():
                return await self._cancel(request)
            case Look():
                return self._look(request)
            case LookAt(key=key, task=task, index=index):
                return Seen(key, state_of(known_task(self._service, task), index), {})
            case Seal(key=key, run=run):
                await self._service.ask(Sealed(self._service.new_cause("seal"), run))
                self._open.pop(run, None)
                return Taken(key)

    def _submit(self, request: Submit) -> None:
        try:
            answer = self._answered_already(request)
            if answer is None:
                self._hand_in(request)
        except RoostError as error:
            answer = self._not_handed_in(request, error)
        if answer is not None:
            self._outcomes.answer(answer)

    def _answered_already(self, request: Submit) -> Answer | None:
        if self._hello.resumed and self._all_known(request):
            return self._taken_before(request)
        if self._is_sealed(request.run):
            return Refused(request.key, Blame.SEALED, f"run {request.run} takes no more tasks")
        return None

    def _hand_in(self, request: Submit) -> None:
        """Ask for a submission; its answer follows when it is safe, and its outcomes may come before."""
        event = nested(self._submission(request), request.within, self._service)
        for task in self._watched(request):
            self._outcomes.watch(task.id, task.elements)
        asked = self._service.ask(event)
        self._working.add(asked)
        asked.add_done_callback(partial(self._handed_in, request))

    def _handed_in(self, request: Submit, asked: asyncio.Future[Accepted]) -> None:
        self._working.discard(asked)
        if asked.cancelled():
            return
        error = asked.exception()
        if error is None:
            self._outcomes.answer(Taken(request.key, _count(request), asked.result().warnings))
        else:
            self._outcomes.answer(self._not_handed_in(request, error))

    def _not_handed_in(self, request: Submit, error: BaseException) -> Answer:
        if self._all_known(request):
            return self._taken_before(request)
        for task in self._watched(request):
            self._outcomes.forget(task.id)
        return _refusal(request, error)

    def _watched(self, request: Submit) -> tuple[NewTask, ...]:
        """A session's results go to its client as they come; those of a flow wait until someone asks for them."""
        return request.tasks if request.kind is RunKind.SESSION else ()

    def _submission(self, request: Submit) -> Submitted:
        if not RUN_ID.fullmatch(request.run) or not 0 < len(request.name) <= NAME_LENGTH_MAX:
            raise InvalidInput(f"a run has an id that a node gave and a name of 1 to {NAME_LENGTH_MAX} characters")
        _check_workflow(request)
        policy = policy_of(request.policy, self._service.policy)
        tasks = tuple(self._spec(request.run, task, policy) for task in request.tasks)
        blobs = self._new_blobs(request.blobs, tasks)
        items = tuple((task.id, segment) for task in request.tasks for segment in task.items)
        open_ = request.kind is RunKind.SESSION
        cause = self._service.new_cause("submit")
        given = tuple(one for task in request.tasks for one in _given(task))
        run = self._run_spec(request)
        return Submitted(cause, run, tasks, items, blobs, open=open_, given=given, quorum=request.quorum)

    def _new_blobs(
        self, sent: tuple[tuple[BlobHash, bytes], ...], tasks: tuple[TaskSpec, ...]
    ) -> tuple[tuple[BlobHash, bytes], ...]:
        """Return those that are not here yet. Raise NotFound if a task needs one that is not among them either."""
        needed: dict[BlobHash, TaskId] = {}
        for task in tasks:
            for blob in blobs_of(task):
                needed.setdefault(blob, task.id)
        contents = dict(sent)
        known = self._service.known_blobs([*contents, *(blob for blob in needed if blob not in contents)])
        for blob, name in needed.items():
            if blob not in contents and blob not in known:
                raise NotFound(f"task '{name}' needs the blob {blob}, which was not sent")
        return tuple((blob, _checked(blob, content)) for blob, content in contents.items() if blob not in known)

    def _spec(self, run: RunId, task: NewTask, policy: str) -> TaskSpec:
        return TaskSpec(
            id=task.id,
            run=run,
            work=task.work,
            elements=task.elements,
            submitted=self._service.stamp(),
            edges=task.edges,
            needs=task.needs,
            priority=task.priority,
            retries=task.retries,
            has_items=bool(task.items),
            mapper=task.mapper,
            depth=task.depth,
            is_mapped=task.is_mapped,
            reuse=task.reuse,
            stated_s=task.length_s,
            policy=policy,
        )

    def _run_spec(self, request: Submit) -> RunSpec:
        """Return the same spec for all tasks of a run, for a run's spec is written once."""
        known = self._open.get(request.run)
        if known is not None:
            return known
        try:
            spec = self._service.run(request.run).record.spec
        except NotFound:
            hello, stamp = self._hello, self._service.stamp()
            who = hello.owner, hello.host
            spec = RunSpec(request.run, request.name, request.kind, *who, stamp, request.final, request.workflow)
        if spec.kind is RunKind.SESSION:
            self._open[request.run] = spec
        return spec

    def _is_sealed(self, run: RunId) -> bool:
        if run in self._open:
            return False
        try:
            return self._service.run(run).record.sealed.on
        except NotFound:
            return False

    def _all_known(self, request: Submit) -> bool:
        try:
            for task in request.tasks:
                self._service.task(task.id)
        except NotFound:
            return False
        return True

    def _taken_before(self, request: Submit) -> Taken:
        for task in self._watched(request):
            self._outcomes.catch_up(task.id, task.elements)
        return Taken(request.key, _count(request))

    def _watch(self, request: Watch) -> Watched:
        spec = known_task(self._service, request.task).spec
        wanted = spec.elements if request.ranges is None else request.ranges
        missing = wanted - spec.elements
        if missing:
            missed = shown_in(spec, missing.first)
            raise NotFound(
                f"task {request.task} has no element {missed}; it has {shown_ranges(spec.elements, parts_of(spec))}"
            )
        self._outcomes.catch_up(request.task, wanted)
        return Watched(request.key, wanted, isinstance(spec.work, Command))

    async def _cancel(self, request: Cancel) -> Taken:
        targets = tuple(self._targets(request))
        accepted = await self._service.ask(CancelAsked(self._service.new_cause("cancel"), targets, request.unleased))
        return Taken(request.key, accepted.elements, accepted.warnings)

    def _targets(self, request: Cancel) -> list[tuple[TaskId, RangeSet]]:
        if "/" in request.target:
            spec = known_task(self._service, TaskId(request.target)).spec
            return [(spec.id, spec.elements if request.ranges is None else request.ranges)]
        return [(view.spec.id, view.elements) for view in self._service.tasks(RunId(request.target))]

    def _look(self, request: Look) -> Seen | None:
        """Return how the run is, or None if the answer comes when it has ended."""
        view = self._service.run(request.run)
        if request.ended and view.ended < view.total:
            self._lookers.setdefault(request.run, []).append(request.key)
            return None
        return Seen(request.key, view.state, view.counts, view.taken_over)

    def _hear(self, change: Change) -> None:
        self._outcomes.hear(change)
        if isinstance(change, RunChanged) and change.run in self._lookers and is_end(change):
            view = self._service.run(change.run)
            for key in self._lookers.pop(change.run):
                self._outcomes.answer(Seen(key, view.state, view.counts, view.taken_over))


def _check_workflow(request: Submit) -> None:
    if len(request.workflow) > WORKFLOW_NAME_LENGTH_MAX:
        raise InvalidInput(f"the name of a workflow has at most {WORKFLOW_NAME_LENGTH_MAX:,} characters")
    if not request.workflow and any(task.reuse.by_place for task in request.tasks):
        raise InvalidInput("to resume an earlier run, the request must say of which workflow")
