"""What went wrong in a function, told as its author would want to read it."""

import traceback

from roost.model.errors import InvalidInput, RoostError
from roost.model.limits import FAILURE_TEXT_MAX
from roost.model.task import Failure


def failure_of(error: BaseException, seconds: float) -> Failure:
    """Describe what an element raised, without the frames of ours that called it."""
    return Failure(
        _told(_missing(error) if isinstance(error, ModuleNotFoundError) else _reason(error)),
        detail=_told(_traceback(error)),
        duration_s=round(seconds, 6),
        permanent=isinstance(error, ModuleNotFoundError | InvalidInput),
    )


def _told(text: str) -> str:
    """Return a text that can be sent: half a surrogate pair, which an exception may hold, cannot."""
    return text.encode(errors="backslashreplace").decode()


def _missing(error: ModuleNotFoundError) -> str:
    return f"needs the module '{error.name}', which the Python of this node does not have; install it there"


def _reason(error: BaseException) -> str:
    if isinstance(error, RoostError):
        return str(error)
    lines = traceback.format_exception_only(error)
    return lines[0].strip()[:FAILURE_TEXT_MAX] if lines else type(error).__name__


def _traceback(error: BaseException) -> str:
    frames = error.__traceback__
    while frames is not None and frames.tb_frame.f_globals.get("__name__", "").startswith("roost.executors.worker."):
        frames = frames.tb_next
    text = "".join(traceback.format_exception(type(error), error, frames))
    return text[-FAILURE_TEXT_MAX:]
