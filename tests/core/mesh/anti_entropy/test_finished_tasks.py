"""Finished tasks are remembered for a time and up to a number."""

import pytest

from roost.core.mesh.anti_entropy import finished_tasks
from roost.core.mesh.anti_entropy.finished_tasks import FinishedTasks
from roost.model.ids import RunId, TaskId, task_id

RUN = RunId("5-kedova")
A = task_id(RUN, "a")


def names(count: int) -> list[TaskId]:
    return [task_id(RUN, f"t{number}") for number in range(count)]


def test_a_finished_task_is_remembered_and_then_forgotten() -> None:
    """DICE, task's execution process, steps 6 to 9: put in Finished Map, wait T time, remove."""
    ended = FinishedTasks(keep_s=10.0)
    ended.remember(A, now=100.0)
    assert ended.remembers(A, now=109.9)
    assert not ended.remembers(A, now=110.0)
    assert len(ended) == 0


def test_hearing_of_the_end_again_does_not_prolong_the_time() -> None:
    ended = FinishedTasks(keep_s=10.0)
    ended.remember(A, now=100.0)
    ended.remember(A, now=109.0)
    assert not ended.remembers(A, now=110.0)


def test_a_task_that_ended_after_it_was_forgotten_is_remembered_anew() -> None:
    ended = FinishedTasks(keep_s=10.0)
    ended.remember(A, now=100.0)
    ended.remember(A, now=111.0)
    assert ended.remembers(A, now=120.0)


def test_a_task_that_is_tried_again_has_not_ended() -> None:
    ended = FinishedTasks()
    ended.remember(A, now=100.0)
    ended.reopened(A)
    ended.reopened(A)
    assert not ended.remembers(A, now=100.0)


def test_the_oldest_goes_when_there_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finished_tasks, "FINISHED_TASKS_MAX", 5)
    ended = FinishedTasks()
    tasks = names(8)
    for second, task in enumerate(tasks):
        ended.remember(task, now=float(second))
    assert [task for task in tasks if ended.remembers(task, now=8.0)] == tasks[3:]


def test_the_map_shrinks_as_time_passes() -> None:
    ended = FinishedTasks(keep_s=10.0)
    for second, task in enumerate(names(30)):
        ended.remember(task, now=float(second))
    assert len(ended) == 10
