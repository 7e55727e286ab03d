"""Back to a call by its id, from any process and after any restart."""

import re
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import Any, TypeVar

from roost.api.python_session import Answer, Cancel, Watch, Watched
from roost.client.command_output import read_command_output
from roost.client.conversation import Conversation, Receiver, agreed
from roost.client.futures import Calls, RoostFuture
from roost.model.errors import InvalidInput, RoostError
from roost.model.ids import RUN_ID, TASK_NAME, TaskId
from roost.model.ranges import RangeSet
from roost.wire.values import decode_item, is_json

R = TypeVar("R", bound=Receiver)

_ID = re.compile(rf"(?P<task>{RUN_ID.pattern}/{TASK_NAME.pattern})(?:\[(?P<index>[0-9]{{1,13}})\])?")


class _Attached:
    """Stands for the session that a call belonged to."""

    def __init__(self, conversation: Conversation, task: TaskId) -> None:
        self._conversation = conversation
        self._task = task

    def cancel_call(self, future: RoostFuture[Any]) -> None:
        index = RangeSet.span(future.index, future.index + 1)
        self._conversation.post(lambda key: Cancel(key, self._task, index), lambda _: None)

    def wait_until_accepted(self, future: RoostFuture[Any]) -> None:
        """It was, long ago."""

    def is_running(self, future: RoostFuture[Any]) -> bool:
        return self._conversation.is_running(self._task, future.index)


def parse_id(future_id: str) -> tuple[TaskId, int | None]:
    """Read ``5-kedova/f-1[17]``, or ``5-kedova/f-1`` for a task of one element."""
    match = _ID.fullmatch(future_id)
    if match is None:
        raise InvalidInput(f"'{future_id[:80]}' is not the id of a future; it looks like 5-kedova/f-1[17]")
    return TaskId(match["task"]), None if match["index"] is None else int(match["index"])


def attach_to(conversation: Conversation, future_id: str) -> RoostFuture[Any]:
    """Return a future for the element, done or not. Raise NotFound if the node does not know it.

    The result of a command is a CommandOutput; that of a function or a script is its own.
    """
    task, index = parse_id(future_id)
    future: RoostFuture[Any] = RoostFuture(_Attached(conversation, task))
    wanted = None if index is None else RangeSet.span(index, index + 1)
    watch(
        conversation, task, wanted, lambda watched: _calls_of(future, task, watched, reader_of(conversation, watched))
    )
    return future


def _calls_of(future: RoostFuture[Any], task: TaskId, watched: Watched, read: Callable[[bytes], Any]) -> Calls:
    if len(watched.ranges) != 1:
        example = f"{task}[{watched.ranges.first}]"
        raise InvalidInput(f"task {task} has {len(watched.ranges):,} elements; name one of them, such as {example}")
    calls = Calls((), read)
    calls.task, calls.is_accepted = task, True
    calls.add(watched.ranges.first, future)
    return calls


def reader_of(conversation: Conversation, watched: Watched) -> Callable[[bytes], Any]:
    return read_command_output if watched.command else partial(_value_of, conversation)


def _value_of(conversation: Conversation, data: bytes) -> Any:
    return decode_item(data) if is_json(data) else conversation.values.read(data)


def watch(conversation: Conversation, task: TaskId, wanted: RangeSet | None, receiver_for: Callable[[Watched], R]) -> R:
    """Have the outcomes of a task delivered; return who receives them once the node has agreed."""
    receiving: Future[R] = Future()

    def answered(answer: Answer) -> None:
        # Here, in the reading thread: the outcomes may be right behind the answer.
        try:
            watched = agreed(answer)
            assert isinstance(watched, Watched)
            receiver = receiver_for(watched)
        except RoostError as error:
            receiving.set_exception(error)
        else:
            conversation.expect(task, receiver)
            receiving.set_result(receiver)

    conversation.post(lambda key: Watch(key, task, wanted), answered)
    return receiving.result()
