"""What a caller sees when a call does not come back with a value."""

import sys
from contextlib import suppress

from roost.executors.worker.raised import add_cause, load_raised
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
    """A call failed for good, and no exception of its function tells why: it exited, it was killed, it took too long.

    So it is, too, if the function raised something that cannot be sent. The traceback of the worker is the cause.
    """

    def __init__(self, element: str, failure: Failure) -> None:
        super().__init__(f"{element} failed: {failure.reason}")
        #: The id of the call, such as ``5-kedova/f-1[17]``.
        self.id = element
        self.failure = failure
        if failure.detail:
            self.__cause__ = RemoteTraceback(failure.detail)

    @property
    def reason(self) -> str:
        return self.failure.reason

    @property
    def exit_code(self) -> int | None:
        return self.failure.exit_code

    @property
    def signal(self) -> int | None:
        return self.failure.signal

    def __reduce__(self) -> tuple[type["TaskFailed"], tuple[str, Failure]]:
        return TaskFailed, (self.id, self.failure)


def unreadable(element: str, error: BaseException) -> Exception:
    """Make the error for a result whose unpickling has raised: what would end the caller's program is a TaskFailed."""
    if isinstance(error, Exception):
        return error
    return TaskFailed(element, Failure(f"its result cannot be unpickled here, for that raises {type(error).__name__}"))


def error_for(element: str, failure: Failure) -> Exception:
    """Make the error for a failed element: what its function raised, or a TaskFailed.

    Behind whatever that was raised from, the last cause is the worker's traceback, with the id of the call.
    """
    error = load_raised(failure.raised) if failure.raised else None
    if error is None:
        return TaskFailed(element, failure)
    _be_of_this_script(error)
    add_cause(error, RemoteTraceback(f"{element} failed: {failure.reason}\n\n{failure.detail}"))
    return error


def _be_of_this_script(error: BaseException) -> None:
    """Let an exception of an earlier run of this script, which came with its class, be one of the class of this run."""
    kind = type(error)
    if kind.__module__ != "__main__":
        return
    own = vars(sys.modules["__main__"]).get(kind.__qualname__)
    if isinstance(own, type) and own is not kind and issubclass(own, Exception):
        # Not if the two are not made alike.
        with suppress(TypeError):
            object.__setattr__(error, "__class__", own)
