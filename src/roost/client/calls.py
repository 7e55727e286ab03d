"""Calls and arrays become tasks of one run.

A call that finds nothing on its way leaves at once. While one is on its way the next collect, and leave together, as
arrays, when the node has accepted it: the busier the caller, the longer the arrays. Arrays of a map leave as they are
made, a few at a time.
"""

import logging
import re
from collections import deque
from collections.abc import Callable
from functools import partial
from threading import Condition
from typing import Any, Final, NamedTuple

import msgspec

from roost.api.python_session import Answer, Blame, Cancel, Named, NameRun, NewTask, Refused, Seal, Submit, Taken
from roost.client.arrays import ArrayResults
from roost.client.batching import Batcher, Call
from roost.client.conversation import Conversation, error_of
from roost.client.forking import tell_after_fork
from roost.client.futures import Calls, RoostFuture
from roost.client.pickling import Code
from roost.executors.worker.place import task_here
from roost.executors.worker.raised import PYTHON
from roost.model.errors import InvalidInput, RoostError, Unavailable
from roost.model.ids import BlobHash, RunId, TaskId, task_id
from roost.model.ranges import EMPTY, RangeSet
from roost.model.segments import Segment, pack
from roost.model.task import Function, Needs, Priority, RunKind

log = logging.getLogger("roost")

#: Arrays on their way at a time: enough that the journal always has some to write together.
_ARRAYS_ON_THE_WAY: Final = 4
_NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9_.-]+")


class Options(msgspec.Struct, frozen=True):
    """What all tasks of a session have in common."""

    needs: Needs = Needs()
    priority: Priority = Priority.LOW
    retries: int = 0
    length_s: float | None = None
    initializer: Code | None = None
    quorum: bool = False
    policy: str = ""
    #: What its functions find in their environment.
    variables: Code | None = None


class Draft(NamedTuple):
    """A task that has no run yet."""

    name: str
    code: Code
    segment: Segment
    receiver: Calls | ArrayResults


class _Submission(NamedTuple):
    drafts: tuple[Draft, ...]
    is_calls: bool


class _Cancelling(NamedTuple):
    """Whose elements are to be cancelled, and whether those that run, or are about to, go on."""

    receiver: Calls | ArrayResults
    unleased: bool


class Session:
    """The run behind a pool. Every method may be called by any thread."""

    def __init__(self, conversation: Conversation, name: str, options: Options) -> None:
        self.conversation = conversation
        self._name = name
        self._options = options
        self._prepare()
        tell_after_fork(self)

    def _prepare(self) -> None:
        self._run: RunId | None = None
        #: Whether the node has accepted anything of it.
        self._is_known = False
        self._naming = False
        self._task_count = 0
        #: What has not been sent.
        self._calls = Batcher()
        self._arrays: deque[_Submission] = deque()
        self._to_cancel: dict[_Cancelling, RangeSet] = {}
        #: What has been sent and not been answered.
        self._calls_on_the_way = 0
        self._arrays_on_the_way = 0
        self._cancels_on_the_way = 0
        #: What the node has, as of which connection.
        self._known_blobs: set[BlobHash] = set()
        self._connection = self.conversation.connections

    @property
    def _changed(self) -> Condition:
        return self.conversation.changed

    def forsake(self) -> None:
        """See Heir. What the child hands in goes into a run of its own."""
        self._prepare()

    def call(self, code: Code, item: bytes) -> RoostFuture[Any]:
        """Hand in one call. Waits only if very many wait already."""
        future: RoostFuture[Any] = RoostFuture(self)
        item = self.conversation.values.shrunk(item)
        with self._changed:
            if self._calls.is_full:
                self._wait_for(lambda: not self._calls.is_full)
            self.conversation.ensure_open()
            self._calls.add(Call(code, item, future))
            self._pump()
        return future

    def array(self, code: Code, items: list[bytes]) -> ArrayResults:
        """Hand in an array with these arguments. Waits while others are on their way, so that memory stays bounded."""
        values = self.conversation.values
        results = ArrayResults(RangeSet.span(0, len(items)), values.read)
        segment = pack(0, values.all_shrunk(items))
        with self._changed:
            self._wait_for(lambda: len(self._arrays) < _ARRAYS_ON_THE_WAY)
            self.conversation.ensure_open()
            draft = Draft(self._new_name(code), code, segment, results)
            self._arrays.append(_Submission((draft,), is_calls=False))
            self._pump()
        return results

    def cancel_call(self, future: RoostFuture[Any]) -> None:
        # A call that has not been sent is left out when its turn comes.
        if future.calls is not None:
            self.cancel(future.calls, RangeSet.span(future.index, future.index + 1))

    def cancel(self, receiver: Calls | ArrayResults, ranges: RangeSet, *, unleased: bool = False) -> None:
        """Ask the node to stop these elements, as soon as it knows them; ``unleased``: only those that do not run."""
        with self._changed:
            if ranges and not self.conversation.is_closed:
                key = _Cancelling(receiver, unleased)
                self._to_cancel[key] = self._to_cancel.get(key, EMPTY) | ranges
                self._pump()

    def is_running(self, future: RoostFuture[Any]) -> bool:
        """Ask the node whether a call runs; one that has not been accepted does not."""
        calls = future.calls
        if calls is None or calls.task is None or not calls.is_accepted:
            return False
        return self.conversation.is_running(calls.task, future.index)

    def cancel_waiting(self) -> None:
        """Cancel everything that does not run, sent or not."""
        with self._changed:
            unsent = self._calls.take_all()
            receivers = [
                *self.conversation.receivers,
                *(draft.receiver for array in self._arrays for draft in array.drafts),
            ]
        for call in unsent:
            call.future.mark_cancelled()
        for receiver in receivers:
            if isinstance(receiver, Calls | ArrayResults):
                self.cancel(receiver, receiver.missing, unleased=True)

    def wait_until_accepted(self, future: RoostFuture[Any]) -> None:
        """Wait until the node has the call; raise if it never will."""
        with self._changed:
            self._wait_for(lambda: future.done() or _is_accepted(future))
        if _is_accepted(future):
            return
        if future.cancelled():
            raise InvalidInput("this call was cancelled before it was handed in, so it has no id")
        if not future.done():
            raise InvalidInput("the node has not accepted this call yet, so it has no id; ask outside of a callback")
        future.result()

    def flush(self, timeout: float | None = None) -> bool:
        """Wait until the node has accepted everything; tell whether it has."""
        with self._changed:
            return self._changed.wait_for(lambda: self.conversation.is_closed or self._all_accepted, timeout)

    def seal(self, timeout: float | None = None) -> None:
        """Say that no more tasks follow."""
        run = self._run
        if run is not None and self._is_known and not self.conversation.is_closed:
            self.conversation.ask(lambda key: Seal(key, run), timeout)

    @property
    def run(self) -> RunId | None:
        return self._run

    @property
    def _all_accepted(self) -> bool:
        unsent = self._calls or self._arrays or self._to_cancel
        return not (unsent or self._calls_on_the_way or self._arrays_on_the_way or self._cancels_on_the_way)

    def _wait_for(self, condition: Callable[[], bool]) -> None:
        """Wait, unless this is the thread that would end the waiting."""
        if not self.conversation.is_reader:
            self._changed.wait_for(lambda: self.conversation.is_closed or condition())

    def _go_on(self) -> None:
        """An answer has come: send what waited for it. The lock is held."""
        if not self.conversation.is_closed:
            self._pump()

    def _pump(self) -> None:
        """Send what may be sent now. The lock is held."""
        if self._run is None:
            self._ask_for_run()
            return
        while self._arrays and self._arrays_on_the_way < _ARRAYS_ON_THE_WAY:
            self._arrays_on_the_way += 1
            self._send(self._run, self._arrays.popleft())
        if self._calls and not self._calls_on_the_way:
            drafts = self._drafts_of_calls()
            if drafts:
                self._calls_on_the_way += 1
                self._send(self._run, _Submission(drafts, is_calls=True))
        self._send_cancels()

    def _ask_for_run(self) -> None:
        if not self._naming and (self._calls or self._arrays):
            self._naming = True
            self.conversation.post(NameRun, self._named)

    def _named(self, answer: Answer) -> None:
        error = error_of(answer)
        if error is not None:
            self._lose_unsent(error)
            return
        assert isinstance(answer, Named)
        with self._changed:
            self._naming = False
            self._run = answer.run
            if not self.conversation.is_closed:
                self._pump()
                return
        self._lose_unsent(Unavailable("the session with the node has ended; connect again"))

    def _drafts_of_calls(self) -> tuple[Draft, ...]:
        return tuple(
            Draft(
                self._new_name(group.code),
                group.code,
                pack(0, group.items),
                Calls(group.futures, self.conversation.values.read),
            )
            for group in self._calls.take()
        )

    def _new_name(self, code: Code) -> str:
        """Name a task after its function, with a number that no other task of the session has."""
        self._task_count += 1
        readable = _NOT_IN_A_NAME.sub("", code.name).lstrip("0123456789.-")[:40] or "call"
        return f"{readable}-{self._task_count}"

    def _send(self, run: RunId, submission: _Submission) -> None:
        tasks = tuple(self._new_task(run, draft) for draft in submission.drafts)
        for task, draft in zip(tasks, submission.drafts, strict=True):
            draft.receiver.task = task.id
            self.conversation.expect(task.id, draft.receiver)
        blobs = tuple(self._unknown_blobs(submission).items())
        answered = partial(self._answered, run, submission)
        try:
            self.conversation.post(
                lambda key: Submit(
                    key,
                    run,
                    self._name,
                    RunKind.SESSION,
                    tasks,
                    blobs,
                    quorum=self._options.quorum,
                    within=task_here(),
                    policy=self._options.policy,
                ),
                answered,
            )
        except InvalidInput as error:
            answered(Refused(0, Blame.INVALID, str(error)))
        except Unavailable as error:
            # The conversation has ended meanwhile, in another thread.
            answered(Refused(0, Blame.UNAVAILABLE, str(error)))

    def _new_task(self, run: RunId, draft: Draft) -> NewTask:
        initializer, variables = self._options.initializer, self._options.variables
        return NewTask(
            id=task_id(run, draft.name),
            work=Function(
                code=draft.code.blob,
                python=PYTHON,
                name=draft.code.name,
                initializer=None if initializer is None else initializer.blob,
                variables=None if variables is None else variables.blob,
            ),
            elements=draft.segment.ranges,
            items=(draft.segment,),
            needs=self._options.needs,
            priority=self._options.priority,
            retries=self._options.retries,
            length_s=self._options.length_s,
        )

    def _unknown_blobs(self, submission: _Submission) -> dict[BlobHash, bytes]:
        """Return what the node may lack. It has what it accepted, but after a reconnection it may be another node."""
        if self._connection != self.conversation.connections:
            self._known_blobs.clear()
            self._connection = self.conversation.connections
        return {code.blob: code.content for code in self._codes(submission) if code.blob not in self._known_blobs}

    def _codes(self, submission: _Submission) -> list[Code]:
        of_all = (self._options.initializer, self._options.variables)
        return [*(draft.code for draft in submission.drafts), *(code for code in of_all if code is not None)]

    def _answered(self, run: RunId, submission: _Submission, answer: Answer) -> None:
        error = error_of(answer)
        with self._changed:
            if submission.is_calls:
                self._calls_on_the_way -= 1
            else:
                self._arrays_on_the_way -= 1
            if isinstance(answer, Refused) and answer.blame is Blame.SEALED:
                self._go_on_in_another_run(run, submission)
                error = None
            elif error is None:
                self._note_accepted(submission)
            self._changed.notify_all()
            if error is None:
                self._go_on()
        if error is not None:
            self._lose(submission, error)
            with self._changed:
                self._go_on()
        if isinstance(answer, Taken):
            for warning in answer.warnings:
                log.warning(warning)

    def _note_accepted(self, submission: _Submission) -> None:
        self._is_known = True
        self._known_blobs.update(code.blob for code in self._codes(submission))
        for draft in submission.drafts:
            draft.receiver.is_accepted = True

    def _go_on_in_another_run(self, run: RunId, submission: _Submission) -> None:
        """The node sealed the run when the connection broke; what it had not accepted goes into a new one."""
        for draft in submission.drafts:
            self.conversation.forget(task_id(run, draft.name), draft.receiver)
        self._arrays.appendleft(_Submission(submission.drafts, is_calls=False))
        if self._run == run:
            self._run, self._is_known = None, False

    def _lose(self, submission: _Submission, error: RoostError) -> None:
        for draft in submission.drafts:
            draft.receiver.lost(error)
            if draft.receiver.task is not None:
                self.conversation.forget(draft.receiver.task, draft.receiver)
        if self.conversation.is_closed:
            self._lose_unsent(error)

    def _lose_unsent(self, error: RoostError) -> None:
        with self._changed:
            calls, arrays = self._calls.take_all(), list(self._arrays)
            self._arrays.clear()
        for call in calls:
            call.future.settle(None, error)
        for submission in arrays:
            for draft in submission.drafts:
                draft.receiver.lost(error)

    def _send_cancels(self) -> None:
        """Ask for all cancellations of a task at once; those of an array that is on its way come after it."""
        if self._cancels_on_the_way:
            return
        for key in [key for key in self._to_cancel if key.receiver.is_accepted or key.receiver.finished]:
            ranges = self._to_cancel.pop(key) & key.receiver.missing
            task = key.receiver.task
            if ranges and task is not None:
                self._cancels_on_the_way += 1
                self.conversation.post(partial(_cancel, task, ranges, key.unleased), self._cancelled)

    def _cancelled(self, answer: Answer) -> None:
        if isinstance(answer, Refused) and not self.conversation.is_closed:
            log.warning("a cancellation was refused: %s", answer.message)
        with self._changed:
            self._cancels_on_the_way -= 1
            self._changed.notify_all()
            self._go_on()


def _cancel(task: TaskId, ranges: RangeSet, unleased: bool, key: int) -> Cancel:
    return Cancel(key, task, ranges, unleased)


def _is_accepted(future: RoostFuture[Any]) -> bool:
    return future.calls is not None and future.calls.is_accepted
