"""What went wrong in a function, told as its author would want to read it."""

import traceback
from typing import Final

from roost.executors.worker.raised import dump_raised
from roost.model.errors import InvalidInput, RoostError
from roost.model.limits import FAILURE_TEXT_MAX
from roost.model.stray import with_escapes
from roost.model.task import Failure

#: The modules that stand between a worker and a function.
_CALLING: Final = ("roost.executors.worker.", "roost.client.shipping")


def failure_of(error: BaseException, seconds: float) -> Failure:
    """Describe what an element raised, without the frames of ours that called it."""
    return Failure(
        with_escapes(_missing(error) if isinstance(error, ModuleNotFoundError) else _reason(error)),
        detail=with_escapes(_traceback(error)),
        duration_s=round(seconds, 6),
        permanent=isinstance(error, ModuleNotFoundError | InvalidInput),
        raised=dump_raised(error) if _is_for_the_caller(error) else b"",
    )


def _is_for_the_caller(error: BaseException) -> bool:
    """Whether the caller is to see the exception itself.

    Not what would end his process, such as SystemExit; nor our own refusals, which are words about the element.
    """
    return isinstance(error, Exception) and not (isinstance(error, RoostError) and _is_ours(error))


def _is_ours(error: BaseException) -> bool:
    frames = error.__traceback__
    while frames is not None and frames.tb_next is not None:
        frames = frames.tb_next
    return frames is None or frames.tb_frame.f_globals.get("__name__", "").startswith("roost.executors.")


def _missing(error: ModuleNotFoundError) -> str:
    return f"needs the module '{error.name}', which the Python of this node does not have; install it there"


def _reason(error: BaseException) -> str:
    if isinstance(error, RoostError):
        return str(error)
    lines = traceback.format_exception_only(error)
    return lines[0].strip()[:FAILURE_TEXT_MAX] if lines else type(error).__name__


def _traceback(error: BaseException) -> str:
    frames = error.__traceback__
    while frames is not None and frames.tb_frame.f_globals.get("__name__", "").startswith(_CALLING):
        frames = frames.tb_next
    text = "".join(traceback.format_exception(type(error), error, frames))
    return text[-FAILURE_TEXT_MAX:]
