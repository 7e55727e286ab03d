"""Where a process is: by its worker, by its environment, or nowhere."""

import pytest

from roost.executors.worker import place
from roost.executors.worker.place import ElementPlace, here, task_here, told_by, variables
from roost.model.ids import TaskId

TASK = TaskId("5-kedova/f-1")


def test_outside_of_an_element_a_process_is_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ROOST_LEASE", raising=False)
    assert here() is None
    assert task_here() == ""


def test_a_command_is_told_by_its_environment() -> None:
    assert told_by(variables(TASK, 3, 12) | {"ROOST_INDEX": "7"}) == ElementPlace(TASK, 12, 7)
    assert told_by(variables(TASK, 3, 12)) == ElementPlace(TASK, 12, None)


@pytest.mark.parametrize("wrong", [{}, {"ROOST_LEASE": "x"}, {"ROOST_LEASE": "-1"}, {"ROOST_TASK": ""}])
def test_an_environment_that_says_nothing_sensible_says_nothing(wrong: dict[str, str]) -> None:
    told = variables(TASK, 3, 12) | wrong if wrong else {}
    assert told_by(told) is None


def test_a_function_asks_its_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROOST_LEASE", "99")
    place.ask(lambda: ElementPlace(TASK, 1, 2))
    try:
        assert here() == ElementPlace(TASK, 1, 2)
        assert task_here() == TASK
    finally:
        place.ask(None)
