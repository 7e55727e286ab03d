"""Exceptions as bytes: out of one process, into another."""

import builtins
import pickle
import subprocess
import sys
from dataclasses import dataclass
from typing import Any

import cloudpickle  # type: ignore[import-untyped]  # it has no types
import msgspec
import pytest

from roost.executors.worker import raised
from roost.executors.worker.raised import add_cause, dump_raised, load_raised
from roost.model.limits import EXCEPTION_BYTES_MAX, EXCEPTION_CHAIN_MAX

_ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "BlockingIOError": (11, "wait", 5),
    "ExceptionGroup": ("several", [ValueError(1), KeyError("two")]),
    "FileNotFoundError": (2, "none", "a.txt"),
    "IndentationError": ("bad", ("a.py", 1, 2, "x y")),
    "SyntaxError": ("bad", ("a.py", 1, 2, "x y")),
    "TabError": ("bad", ("a.py", 1, 2, "x y")),
    "UnicodeDecodeError": ("utf-8", b"\xff", 0, 1, "bad"),
    "UnicodeEncodeError": ("utf-8", "x", 0, 1, "bad"),
    "UnicodeTranslateError": ("x", 0, 1, "bad"),
}
_BUILT_IN = sorted(
    name
    for name, kind in vars(builtins).items()
    if isinstance(kind, type) and issubclass(kind, Exception) and kind.__name__ == name
)


class Own(Exception):
    """What many have: other arguments than it passes on."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code


@dataclass(frozen=True)
class Frozen(Exception):
    number: int


class ExitsWhenLoaded(Exception):
    """Loads well where it was made, and nowhere else."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _exit_elsewhere, (1,)


def _exit_elsewhere(_: int) -> ExitsWhenLoaded:
    if _is_elsewhere:
        raise SystemExit(3)
    return ExitsWhenLoaded()


_is_elsewhere = False


class Unwilling(Exception):
    def __reduce__(self) -> tuple[Any, ...]:
        raise KeyboardInterrupt


class Changeling(Exception):
    def __reduce__(self) -> tuple[Any, ...]:
        return str, ("no exception",)


class Unpicklable:
    def __reduce__(self) -> tuple[Any, ...]:
        raise SystemExit(3)


def back(error: BaseException) -> Exception:
    """Send an exception and take it in."""
    loaded = load_raised(dump_raised(error))
    assert loaded is not None
    return loaded


@pytest.mark.parametrize("name", _BUILT_IN)
def test_built_in_exceptions_keep_type_and_arguments(name: str) -> None:
    error = getattr(builtins, name)(*_ARGUMENTS.get(name, ("bad", 2)))
    loaded = back(error)
    assert type(loaded) is type(error)
    assert repr(loaded) == repr(error)


def test_what_an_os_error_is_about_comes_along() -> None:
    loaded = back(FileNotFoundError(2, "none", "a.txt"))
    assert isinstance(loaded, FileNotFoundError)
    assert (loaded.errno, loaded.filename) == (2, "a.txt")


@pytest.mark.parametrize("error", [Own(7, "seven"), subprocess.CalledProcessError(3, ["a"], b"out"), Frozen(4)])
def test_exceptions_of_others_keep_type_arguments_and_attributes(error: Exception) -> None:
    loaded = back(error)
    assert type(loaded) is type(error)
    assert (loaded.args, vars(loaded)) == (error.args, vars(error))


def test_a_class_of_a_script_comes_back_as_itself() -> None:
    """As it is in a worker, which has its classes from a pickled function and knows no module of that name."""
    space: dict[str, Any] = {"__name__": "__main__"}
    exec("class Local(Exception): pass", space)
    there = pickle.loads(cloudpickle.dumps(space["Local"]))
    assert type(back(there("x"))) is space["Local"]


def test_notes_causes_and_contexts_come_along() -> None:
    error, cause, context = ValueError("outer"), KeyError("cause"), IndexError("context")
    error.add_note("a hint")
    error.__cause__, error.__context__, cause.__context__ = cause, cause, context
    loaded = back(error)
    assert loaded.__notes__ == ["a hint"]
    assert repr(loaded.__cause__) == "KeyError('cause')"
    assert loaded.__context__ is loaded.__cause__
    assert loaded.__suppress_context__
    assert loaded.__cause__ is not None
    assert repr(loaded.__cause__.__context__) == "IndexError('context')"
    assert not loaded.__cause__.__suppress_context__


def test_a_cause_that_cannot_be_sent_is_left_out() -> None:
    error = ValueError("outer")
    error.__cause__ = KeyError(Unpicklable())
    loaded = back(error)
    assert (repr(loaded), loaded.__cause__) == ("ValueError('outer')", None)


def test_a_circle_of_causes_has_an_end() -> None:
    one, two = ValueError(1), KeyError(2)
    one.__cause__, two.__cause__ = two, one
    loaded = back(one)
    assert repr(loaded.__cause__) == "KeyError(2)"
    assert loaded.__cause__ is not None
    assert loaded.__cause__.__cause__ is None


def test_a_long_chain_is_cut() -> None:
    first = last = ValueError(0)
    for number in range(1, 100):
        last.__cause__ = last = ValueError(number)  # type: ignore[misc]  # the first target is set before the second
    assert len(_causes(back(first))) == EXCEPTION_CHAIN_MAX


def _causes(error: BaseException | None) -> list[BaseException]:
    found = []
    while error is not None:
        found.append(error)
        error = error.__cause__
    return found


@pytest.mark.parametrize("argument", [(x for x in ()), Unpicklable()])
def test_what_cannot_be_pickled_is_not_sent(argument: object) -> None:
    assert dump_raised(ValueError(argument)) == b""


@pytest.mark.parametrize("kind", [Unwilling, Changeling])
def test_one_that_is_pickled_in_a_way_of_its_own_that_fails_is_taken_apart(kind: type[Exception]) -> None:
    loaded = back(kind("x"))
    assert (type(loaded), loaded.args) == (kind, ("x",))


def test_what_is_too_long_is_not_sent_and_not_kept_in_memory() -> None:
    assert len(dump_raised(ValueError("x" * (EXCEPTION_BYTES_MAX // 2)))) <= EXCEPTION_BYTES_MAX
    assert dump_raised(ValueError("x" * EXCEPTION_BYTES_MAX)) == b""
    long = ValueError("short")
    long.__cause__ = ValueError("x" * EXCEPTION_BYTES_MAX)
    assert back(long).__cause__ is None


@pytest.mark.parametrize("data", [b"", b"no chain", msgspec.msgpack.encode(["3.0", []])])
def test_bytes_that_mean_nothing_here_are_no_exception(data: bytes) -> None:
    assert load_raised(data) is None


def test_an_exception_of_another_python_is_not_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    data = dump_raised(ValueError(1))
    monkeypatch.setattr(raised, "PYTHON", "3.0")
    assert load_raised(data) is None


def test_one_that_exits_when_it_is_loaded_ends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    data = dump_raised(ExitsWhenLoaded())
    assert data
    monkeypatch.setattr(sys.modules[__name__], "_is_elsewhere", True)
    assert load_raised(data) is None


def test_a_cause_is_added_behind_all_others() -> None:
    error, cause, last = Frozen(1), ValueError(2), KeyError(3)
    add_cause(error, cause)
    add_cause(error, last)
    assert _causes(error) == [error, cause, last]
    cause.__cause__ = error
    add_cause(error, last)
