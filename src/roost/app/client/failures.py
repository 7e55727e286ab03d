"""What a caller sees when a call does not come back with a value."""

import builtins

from roost.model.errors import RoostError
from roost.model.task import Failure


class RemoteTraceback(Exception):
    """The traceback in the worker process, shown above the local one."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text

    def __str__(self) -> str:
        return f'\n"""\n{self.text.rstrip()}\n"""'


class TaskFailed(RoostError):
    """A call failed for good: it raised, it exited, it was killed, it took too long.

    If the function raised one of Python's simple built-in exceptions, the error is of that type too: ``except
    ValueError`` catches a remote ValueError. The traceback of the worker is the cause.
    """

    def __init__(self, element: str, failure: Failure) -> None:
        super().__init__(f"{element} failed: {failure.reason}")
        #: The id of the call, such as ``5-kedova/f-1[17]``.
        self.id = element
        self.failure = failure

    @property
    def reason(self) -> str:
        return self.failure.reason

    @property
    def exit_code(self) -> int | None:
        return self.failure.exit_code

    @property
    def signal(self) -> int | None:
        return self.failure.signal

    def __reduce__(self) -> tuple[object, tuple[str, Failure]]:
        return task_failed, (self.id, self.failure)


#: Those that are nothing but a type and a message; the others want arguments of their own.
_SIMPLE = (
    "ArithmeticError",
    "AssertionError",
    "AttributeError",
    "BufferError",
    "EOFError",
    "FloatingPointError",
    "ImportError",
    "IndexError",
    "KeyError",
    "LookupError",
    "MemoryError",
    "ModuleNotFoundError",
    "NameError",
    "NotImplementedError",
    "OverflowError",
    "RecursionError",
    "ReferenceError",
    "RuntimeError",
    "TypeError",
    "ValueError",
    "ZeroDivisionError",
)
_MIXED: dict[str, type[TaskFailed]] = {}


def task_failed(element: str, failure: Failure) -> TaskFailed:
    """Make the error for a failed element."""
    error = _type_for(failure.reason)(element, failure)
    if failure.detail:
        error.__cause__ = RemoteTraceback(failure.detail)
    return error


def _type_for(reason: str) -> type[TaskFailed]:
    name = reason.partition(":")[0]
    if name not in _SIMPLE:
        return TaskFailed
    if name not in _MIXED:
        # KeyError shows the repr of its message; a TaskFailed always shows the sentence.
        members = {"__str__": RoostError.__str__, "__module__": TaskFailed.__module__}
        _MIXED[name] = type("TaskFailed", (TaskFailed, getattr(builtins, name)), members)
    return _MIXED[name]
