import pickle
import sys
from typing import Any

import pytest

from roost.client.failures import RemoteTraceback, TaskFailed, error_for, unreadable
from roost.executors.worker.failures import failure_of
from roost.model.errors import RoostError
from roost.model.task import Failure

ID = "5-kedova/f-1[17]"


def failure_with(error: Exception, cause: Exception | None = None) -> Failure:
    """What a worker tells of a function that raises this."""
    with pytest.raises(type(error)) as caught:
        raise error from cause
    return failure_of(caught.value, 0.0)


def test_a_failure_without_an_exception_says_which_call_and_why() -> None:
    error = error_for(ID, Failure("exit code 3", exit_code=3))
    assert isinstance(error, TaskFailed)
    assert str(error) == "5-kedova/f-1[17] failed: exit code 3"
    assert (error.id, error.reason, error.exit_code, error.signal) == (ID, "exit code 3", 3, None)
    assert isinstance(error, RoostError)


def test_what_the_function_raised_is_what_the_caller_gets() -> None:
    error = error_for(ID, failure_with(FileNotFoundError(2, "none", "a.txt")))
    assert type(error) is FileNotFoundError
    assert (error.errno, error.filename) == (2, "a.txt")


def test_the_remote_traceback_and_the_id_are_the_cause() -> None:
    error = error_for(ID, failure_with(ValueError("bad")))
    assert isinstance(error.__cause__, RemoteTraceback)
    assert f"{ID} failed: ValueError: bad" in str(error.__cause__)
    assert "raise error from cause" in str(error.__cause__)


def test_a_cause_of_its_own_comes_before_the_traceback() -> None:
    error = error_for(ID, failure_with(ValueError("bad"), KeyError("k")))
    assert repr(error.__cause__) == "KeyError('k')"
    assert error.__cause__ is not None
    assert isinstance(error.__cause__.__cause__, RemoteTraceback)


@pytest.mark.parametrize(
    "failure",
    [Failure("ValueError: bad", detail="line 7"), Failure("ValueError: bad", detail="line 7", raised=b"nothing")],
)
def test_what_cannot_be_opened_is_a_task_failed_with_its_words(failure: Failure) -> None:
    error = error_for(ID, failure)
    assert type(error) is TaskFailed
    assert str(error) == f"{ID} failed: ValueError: bad"
    assert "line 7" in str(error.__cause__)


def test_the_error_survives_pickling() -> None:
    error = pickle.loads(pickle.dumps(error_for(ID, Failure("exit code 3", detail="line 7"))))
    assert isinstance(error, TaskFailed)
    assert error.failure.detail == "line 7"
    assert isinstance(error.__cause__, RemoteTraceback)


def test_an_exception_of_an_earlier_run_of_the_script_is_one_of_this_run(monkeypatch: pytest.MonkeyPatch) -> None:
    failure = failure_with(_class_of_a_script()("x"))
    own = _class_of_a_script()
    monkeypatch.setattr(sys.modules["__main__"], "Local", own, raising=False)
    error = error_for(ID, failure)
    assert type(error) is own
    assert error.args == ("x",)


def test_a_class_that_is_made_otherwise_in_this_run_stays_another(monkeypatch: pytest.MonkeyPatch) -> None:
    failure = failure_with(_class_of_a_script()("x"))
    monkeypatch.setattr(sys.modules["__main__"], "Local", _class_of_a_script("OSError"), raising=False)
    error = error_for(ID, failure)
    assert type(error).__name__ == "Local"
    assert not isinstance(error, OSError)


def test_a_result_whose_unpickling_would_end_the_program_is_a_failure_of_its_call() -> None:
    plain = ValueError("x")
    assert unreadable("5-kedova/f[1]", plain) is plain
    ended = unreadable("5-kedova/f[1]", SystemExit(1))
    assert isinstance(ended, TaskFailed)
    assert "raises SystemExit" in str(ended)


def _class_of_a_script(base: str = "Exception") -> type[Exception]:
    space: dict[str, Any] = {"__name__": "__main__"}
    exec(f"class Local({base}): pass", space)
    made: type[Exception] = space["Local"]
    return made
