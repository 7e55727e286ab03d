"""What went wrong in a function."""

import pickle

import pytest

from roost.executors.worker.failures import failure_of
from roost.executors.worker.raised import load_raised
from roost.executors.worker.taking import list_of
from roost.model.errors import InvalidInput
from roost.model.limits import FAILURE_TEXT_MAX


def throw(error: BaseException, cause: BaseException | None = None) -> None:
    raise error from cause


def caught(error: BaseException, cause: BaseException | None = None) -> BaseException:
    with pytest.raises(type(error)) as info:
        throw(error, cause)
    return info.value


def test_an_exception_is_told_as_python_does() -> None:
    failure = failure_of(caught(ValueError("bad")), 0.25)
    assert failure.reason == "ValueError: bad"
    assert failure.detail.startswith("Traceback (most recent call last):")
    assert failure.detail.endswith("ValueError: bad\n")
    assert (failure.duration_s, failure.permanent) == (0.25, False)


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(2), MemoryError(), ValueError()])
def test_any_exception_has_a_reason(error: BaseException) -> None:
    assert failure_of(caught(error), 0).reason.startswith(type(error).__name__)


def test_causes_are_told_too_and_a_long_text_keeps_its_end() -> None:
    short = failure_of(caught(RuntimeError("outer"), KeyError("inner")), 0)
    assert "KeyError: 'inner'" in short.detail
    long = failure_of(caught(RuntimeError("x" * 2 * FAILURE_TEXT_MAX + " end")), 0)
    assert long.detail.endswith(" end\n")
    assert len(long.detail) == FAILURE_TEXT_MAX


def test_what_was_raised_is_sent_unless_it_would_end_the_caller_or_is_about_the_element() -> None:
    assert isinstance(load_raised(failure_of(caught(OSError("gone")), 0).raised), OSError)
    assert isinstance(load_raised(failure_of(caught(InvalidInput("raised by a function")), 0).raised), InvalidInput)
    assert not failure_of(caught(SystemExit(3)), 0).raised
    with pytest.raises(InvalidInput) as refusal:
        list_of(pickle.dumps(3))
    assert not failure_of(refusal.value, 0).raised


def test_what_trying_again_cannot_help_is_permanent() -> None:
    missing = failure_of(caught(ModuleNotFoundError("no", name="numpy")), 0)
    assert missing.reason.startswith("needs the module 'numpy', which")
    assert missing.permanent
    wrong = failure_of(caught(InvalidInput("no such port")), 0)
    assert (wrong.reason, wrong.permanent) == ("no such port", True)
