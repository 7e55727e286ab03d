"""Questions to a node and their answers, and outcomes to whoever waits for them, over as many connections as it takes.

Messages leave in the thread of the caller; one thread reads. If the connection breaks, that thread connects again, for
a bounded time, repeats what was not answered and asks for what is still missing. Nothing is done twice by that: every
request may be repeated (see api/python_session.py). A forked child has a conversation of its own, which begins when it
is first used (forking.py).
"""

import itertools
import secrets
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Final, NamedTuple, Protocol

from roost.api.python_session import (
    SESSION_VERSION,
    Answer,
    Blame,
    Ended,
    Failures,
    FromNode,
    Hello,
    LookAt,
    Outcome,
    Refused,
    Request,
    Results,
    Seen,
    Submit,
    Together,
    Watch,
    Welcome,
    decode_from_node,
    encode_message,
)
from roost.client.forking import tell_after_fork
from roost.client.lending import waiting
from roost.client.link import Link, LinkBroken
from roost.client.start import Address
from roost.client.stored_values import StoredValues
from roost.model.errors import InvalidInput, NotFound, PeerError, RoostError, Unavailable
from roost.model.ids import TaskId
from roost.model.limits import REQUEST_BYTES_MAX
from roost.model.ranges import EMPTY, RangeSet
from roost.model.segments import Segment
from roost.model.task import Failure
from roost.runtime import origin

#: How long a node may be away before those who wait for it are told. Long enough for a restart.
RECONNECT_S: Final = 30.0
_RECONNECT_EVERY_S: Final = 0.05
#: How long whoever asks whether something runs waits for a node that is away.
_LOOK_S: Final = 5.0
_ERRORS: Final[dict[Blame, type[RoostError]]] = {
    Blame.INVALID: InvalidInput,
    Blame.NOT_FOUND: NotFound,
    Blame.UNAVAILABLE: Unavailable,
    Blame.SEALED: InvalidInput,
}


class Receiver(Protocol):
    """Whoever waits for the outcomes of a task's elements. Called by the reading thread only, without the lock."""

    @property
    def finished(self) -> bool: ...

    @property
    def missing(self) -> RangeSet: ...

    def arrived(self, segment: Segment) -> None: ...

    def failed(self, index: int, failure: Failure) -> None: ...

    def ended(self, state: str, ranges: RangeSet) -> None: ...

    def lost(self, error: BaseException) -> None: ...


class _Unanswered(NamedTuple):
    request: Request
    answered: Callable[[Answer], None]


def error_of(answer: Answer) -> RoostError | None:
    """Return the error that a refusal stands for."""
    return _ERRORS[answer.blame](answer.message) if isinstance(answer, Refused) else None


def agreed(answer: Answer) -> Answer:
    """Return an answer that is no refusal; raise what a refusal stands for."""
    error = error_of(answer)
    if error is not None:
        raise error
    return answer


class Conversation:
    """A session with one node. Raise Unavailable if there is none, InvalidInput if it is of another version."""

    def __init__(self, find: Callable[[], Address], reconnect_s: float = RECONNECT_S) -> None:
        self._find = find
        self._reconnect_s = reconnect_s
        #: What is too large for messages.
        self.values = StoredValues(find)
        self._prepare()
        tell_after_fork(self)
        self._start()

    def _prepare(self) -> None:
        #: Guards everything here and in the session above. Whoever waits for an answer is notified through it.
        self.changed = threading.Condition()
        self._client = secrets.token_hex(8)
        self._keys = itertools.count(1)
        self._unanswered: dict[int, _Unanswered] = {}
        #: Several may wait for one task: a session for all of it, and whoever attached to an element.
        self._receivers: dict[TaskId, tuple[Receiver, ...]] = {}
        self._closed = threading.Event()
        self._leaving = False
        #: How often a connection was made.
        self.connections = 0
        self._link: Link | None = None
        #: None in a forked child, until it has something to say.
        self._reader: threading.Thread | None = None

    def _start(self) -> None:
        self._link = self._connect()
        self._reader = threading.Thread(target=self._read, name="roost-session", daemon=True)
        self._reader.start()

    def forsake(self) -> None:
        """See Heir. What was closed stays closed."""
        ends = self.is_closed or self._leaving
        self._prepare()
        if ends:
            self._closed.set()

    @property
    def is_reader(self) -> bool:
        """Whether this is the thread that reads, which must never wait for an answer."""
        return threading.current_thread() is self._reader

    @property
    def is_closed(self) -> bool:
        return self._closed.is_set()

    @property
    def receivers(self) -> list[Receiver]:
        """Those that still wait, in the order of their tasks."""
        with self.changed:
            return [receiver for receivers in self._receivers.values() for receiver in receivers]

    def post(self, make: Callable[[int], Request], answered: Callable[[Answer], None]) -> None:
        """Send a request; ``answered`` is called once, by the reading thread. Raise if it can never be sent."""
        with self.changed:
            self.ensure_open()
            key = next(self._keys)
            request = make(key)
            data = encode_message(request)
            if len(data) > REQUEST_BYTES_MAX:
                raise InvalidInput(
                    f"a request of {len(data):,} bytes is more than a node takes ({REQUEST_BYTES_MAX:,})"
                )
            self._unanswered[key] = _Unanswered(request, answered)
            self._send(data)

    def ask(self, make: Callable[[int], Request], timeout: float | None = None) -> Answer:
        """Send a request and wait for its answer; raise what a refusal stands for, or TimeoutError."""
        future: Future[Answer] = Future()
        self.post(make, future.set_result)
        return agreed(future.result(timeout))

    def is_running(self, task: TaskId, index: int) -> bool:
        """Ask whether an element runs now. False from the thread that reads, which cannot wait, and without a node."""
        if self.is_reader:
            return False
        try:
            seen = self.ask(lambda key: LookAt(key, task, index), _LOOK_S)
        except (RoostError, TimeoutError):
            return False
        assert isinstance(seen, Seen)
        return seen.state == "running"

    def expect(self, task: TaskId, receiver: Receiver) -> None:
        """Give the outcomes of this task to ``receiver``, among others, from now on."""
        with self.changed:
            self._receivers[task] = (*self._receivers.get(task, ()), receiver)

    def forget(self, task: TaskId, receiver: Receiver) -> None:
        with self.changed:
            others = tuple(other for other in self._receivers.get(task, ()) if other is not receiver)
            if others:
                self._receivers[task] = others
            elif self._receivers.pop(task, None) is not None and not self._receivers:
                self.changed.notify_all()

    def wait_until_idle(self) -> None:
        """Wait until all that was expected has come."""
        with waiting(), self.changed:
            self.changed.wait_for(lambda: self.is_closed or not self._receivers)

    def close(self) -> None:
        """End the conversation; those who still wait get an error."""
        with self.changed:
            self._closed.set()
            link, self._link = self._link, None
        if link is not None:
            link.close()
        if self._reader is not None and not self.is_reader:
            self._reader.join()

    def close_when_idle(self) -> None:
        """End the conversation as soon as all that was expected has come."""
        with self.changed:
            self._leaving = True
            idle = not self._receivers and not self._unanswered
        if idle:
            self.close()

    def ensure_open(self) -> None:
        """Begin, in a forked child. Raise Unavailable if the conversation has ended. The lock is held."""
        if self.is_closed:
            raise Unavailable("the session with the node has ended; connect again")
        if self._reader is None:
            self._start()

    def _send(self, data: bytes) -> None:
        if self._link is None:
            return
        try:
            self._link.send(data)
        except LinkBroken:
            # The reading thread notices too, connects again and repeats everything unanswered.
            return

    def _connect(self) -> Link:
        link = Link(self._find(), "/v1/session")
        hello = Hello(SESSION_VERSION, self._client, origin.owner(), origin.host(), resumed=self.connections > 0)
        try:
            link.send(encode_message(hello))
            first = decode_from_node(link.receive()[0])
        except RoostError:
            link.release()
            raise
        if not isinstance(first, Welcome):
            link.release()
            raise InvalidInput(first.message if isinstance(first, Refused) else "this is no node of Roost")
        self.connections += 1
        return link

    def _read(self) -> None:
        """The life of the reading thread. Whatever ends it, nobody waits in vain."""
        reason: RoostError = Unavailable("the session with the node has ended")
        try:
            reason = self._read_on() or reason
        finally:
            # In a process that was forked by a callback, this thread goes on, and the conversation is not its own.
            if self.is_reader:
                self._give_up(reason)

    def _read_on(self) -> RoostError | None:
        """Read until the session is closed (None), or cannot go on."""
        link = self._link
        while link is not None:
            try:
                self._read_from(link)
            except LinkBroken:
                link.release()
            except PeerError as error:
                link.release()
                return error
            if not self.is_reader:
                return None
            try:
                link = self._reconnect()
            except RoostError as error:
                return error
        return None if self.is_closed else _gone(self._reconnect_s)

    def _read_from(self, link: Link) -> None:
        while True:
            for data in link.receive():
                self._dispatch(decode_from_node(data))
            if self._leaving:
                self.close_when_idle()

    def _dispatch(self, message: FromNode) -> None:
        match message:
            case Results() | Failures() | Ended():
                self._tell(message)
            case Together(messages=messages):
                for part in messages:
                    self._dispatch(decode_from_node(part))
            case Welcome():
                raise PeerError("the node welcomes a session that has begun")
            case Refused(key=-1, message=text):
                raise PeerError(f"the node ended the session: {text}")
            case _:
                with self.changed:
                    unanswered = self._unanswered.pop(message.key, None)
                if unanswered is not None:
                    unanswered.answered(message)

    def _tell(self, outcome: Outcome) -> None:
        for receiver in self._receivers.get(outcome.task, ()):
            _deliver(outcome, receiver)
            if receiver.finished:
                self.forget(outcome.task, receiver)

    def _reconnect(self) -> Link | None:
        """Return a new connection, or None if the session was closed or the node stays away.

        Raise InvalidInput if another version of a node came back.
        """
        with self.changed:
            self._link = None
        deadline = time.monotonic() + self._reconnect_s
        while not self._closed.wait(_RECONNECT_EVERY_S) and time.monotonic() < deadline:
            try:
                link = self._connect()
            except Unavailable:
                continue
            self._resume(link)
            return link
        return None

    def _resume(self, link: Link) -> None:
        with self.changed:
            if self.is_closed:
                link.close()
                return
            self._link = link
            waiting = list(self._unanswered.values())
            for unanswered in waiting:
                self._send(encode_message(unanswered.request))
            repeated = {task for unanswered in waiting for task in _tasks_of(unanswered.request)}
            for task, receivers in self._receivers.items():
                if task not in repeated:
                    self._watch_again(task, receivers)

    def _watch_again(self, task: TaskId, receivers: tuple[Receiver, ...]) -> None:
        def answered(answer: Answer) -> None:
            error = error_of(answer)
            if error is not None:
                for receiver in receivers:
                    receiver.lost(error)
                    self.forget(task, receiver)

        missing = EMPTY
        for receiver in receivers:
            missing |= receiver.missing
        self.post(lambda key: Watch(key, task, missing), answered)

    def _give_up(self, reason: RoostError) -> None:
        with self.changed:
            self._closed.set()
            unanswered, self._unanswered = self._unanswered, {}
            receivers, self._receivers = self._receivers, {}
            self.changed.notify_all()
        for key, (_, answered) in unanswered.items():
            answered(Refused(key, Blame.UNAVAILABLE, str(reason)))
        for receiver in itertools.chain.from_iterable(receivers.values()):
            receiver.lost(reason)
        with self.changed:
            self.changed.notify_all()


def _deliver(outcome: Outcome, receiver: Receiver) -> None:
    match outcome:
        case Results(segments=segments):
            for segment in segments:
                receiver.arrived(segment)
        case Failures(failures=failures):
            for index, failure in failures:
                receiver.failed(index, failure)
        case Ended(state=state, ranges=ranges):
            receiver.ended(state, ranges)


def _tasks_of(request: Request) -> list[TaskId]:
    """The tasks whose outcomes will follow when this request is repeated."""
    if isinstance(request, Submit):
        return [task.id for task in request.tasks]
    return [request.task] if isinstance(request, Watch) else []


def _gone(seconds: float) -> Unavailable:
    return Unavailable(
        f"the node went away and did not come back within {seconds:g} s; what it had accepted goes on when it is "
        "started again ('roost up'), and roost.attach(id) finds it"
    )
