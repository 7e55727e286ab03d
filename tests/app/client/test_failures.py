import builtins
import pickle

import pytest

from roost.app.client.failures import RemoteTraceback, TaskFailed, task_failed
from roost.model.errors import RoostError
from roost.model.task import Failure

ID = "5-kedova/f-1[17]"


def test_the_error_says_which_call_and_why() -> None:
    error = task_failed(ID, Failure("exit code 3", exit_code=3))
    assert str(error) == "5-kedova/f-1[17] failed: exit code 3"
    assert (error.id, error.reason, error.exit_code, error.signal) == (ID, "exit code 3", 3, None)
    assert isinstance(error, RoostError)


def test_the_remote_traceback_is_the_cause() -> None:
    error = task_failed(ID, Failure("ValueError: bad", detail="Traceback ...\n  line 7\n"))
    assert isinstance(error.__cause__, RemoteTraceback)
    assert "line 7" in str(error.__cause__)


@pytest.mark.parametrize("name", ["ValueError", "KeyError", "ZeroDivisionError", "ImportError", "AttributeError"])
def test_a_builtin_exception_can_be_caught_by_its_type(name: str) -> None:
    error = task_failed(ID, Failure(f"{name}: bad"))
    assert isinstance(error, getattr(builtins, name))
    assert isinstance(error, TaskFailed)
    assert str(error) == f"{ID} failed: {name}: bad"


@pytest.mark.parametrize("reason", ["exit: no", "Exception: x", "SystemExit: 1", "OSError: gone", "my.ValueError: x"])
def test_other_reasons_are_a_plain_task_failed(reason: str) -> None:
    assert type(task_failed(ID, Failure(reason))) is TaskFailed


def test_the_error_survives_pickling() -> None:
    error = pickle.loads(pickle.dumps(task_failed(ID, Failure("ValueError: bad", detail="line 7"))))
    assert isinstance(error, ValueError)
    assert isinstance(error, TaskFailed)
    assert error.failure.detail == "line 7"
    assert isinstance(error.__cause__, RemoteTraceback)
