"""Looking back and ahead through the API."""

import pytest

from roost.app.web.outlook import _WHOLE
from roost.model.ids import NodeId, TaskId, run_of
from roost.model.limits import OUTLOOK_TASKS_MAX
from roost.model.ranges import RangeSet
from roost.model.spans import span_of
from tests.app.web.running_api import RunningApi

#: The time of the plain service.
NOW = 1_700_000_000.0


def worked(api: RunningApi, task: TaskId, elements: int, each_s: float, lane: int = 0) -> None:
    """Let a lane have done some elements one after the other, until now."""
    for index in range(elements):
        end = NOW - each_s * (elements - 1 - index)
        span = span_of(task, NodeId("ash"), lane, RangeSet.span(index, index + 1), each_s, 0.0, end)
        api.in_loop(api.service.spans.append, span)


def test_the_timeline_says_who_did_what_when(api: RunningApi) -> None:
    task = api.submit_one(array="0-9")
    worked(api, task, 2, 5.0)
    told = api.get(f"/v1/runs/{run_of(task)}/timeline").json()
    assert told["silent"] == ["yew"]
    assert told["spans"][0] == {
        "task": task,
        "node": "ash",
        "lane": 0,
        "start": NOW - 10,
        "end": NOW - 5,
        "busy_s": 5.0,
        "elements": 1,
        "failed": 0,
        "first": 0,
        "last": 0,
        "first_path": "0",
        "last_path": "0",
    }


def test_nothing_is_promised_before_an_element_has_finished(api: RunningApi) -> None:
    task = api.submit_one(array="0-9")
    ahead = api.get(f"/v1/runs/{run_of(task)}/outlook").json()
    assert (ahead["low_s"], ahead["high_s"], ahead["why"]) == (None, None, "no element has finished yet")
    assert ahead["steps"] == [
        {"task": task, "left": 10, "finished": 0, "mean_s": None, "spread_s": None, "rate_per_s": 0.0}
    ]


def test_the_outlook_is_learnt_from_what_has_finished(api: RunningApi) -> None:
    task = api.submit_one(array="0-99")
    for lane in (0, 1):
        worked(api, task, 20, 2.0, lane)
    for index in range(40):
        api.in_loop(api.service.finish, task, index, b"")
    ahead = api.get(f"/v1/runs/{run_of(task)}/outlook").json()
    assert ahead["busy"] == 2.0
    assert ahead["low_s"] < 60 < ahead["high_s"] < 90
    (step,) = ahead["steps"]
    assert (step["left"], step["finished"], step["mean_s"], step["rate_per_s"]) == (60, 40, 2.0, 1.0)


def test_a_finished_run_and_a_suspended_one_have_nothing_to_reckon(api: RunningApi) -> None:
    task = api.submit_one(array="0")
    run = run_of(task)
    api.in_loop(api.service.finish, task, 0, b"")
    assert api.get(f"/v1/runs/{run}/outlook").json() == {
        "run": run,
        "low_s": 0.0,
        "high_s": 0.0,
        "why": "",
        "busy": 0.0,
        "steps": [],
    }


def test_steps_wait_for_those_that_feed_them_and_others_are_not_mistaken_for_them(api: RunningApi) -> None:
    first = api.submit_one(array="0-3")
    tasks = [
        {"name": "work", "command": {"argv": ["true"]}},
        {"name": "after", "command": {"argv": ["true"]}, "edges": [{"source": str(first), "kind": "after"}]},
    ]
    run = api.post("/v1/runs", {"name": "two", "tasks": tasks}).json()["run"]
    worked(api, TaskId(f"{run}/work"), 1, 3.0)
    ahead = api.get(f"/v1/runs/{run}/outlook").json()
    assert ahead["why"] == "nothing of after has finished yet"
    assert [step["left"] for step in ahead["steps"]] == [1, 1]


def test_of_too_many_steps_only_the_elements_are_looked_at(api: RunningApi, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("roost.app.web.outlook.OUTLOOK_TASKS_MAX", 1)
    tasks = [{"name": name, "command": {"argv": ["true"]}} for name in ("a", "b", "c")]
    run = api.post("/v1/runs", {"name": "many", "tasks": tasks}).json()["run"]
    worked(api, TaskId(f"{run}/a"), 1, 3.0)
    api.in_loop(api.service.finish, TaskId(f"{run}/a"), 0, b"")
    ahead = api.get(f"/v1/runs/{run}/outlook").json()
    assert ahead["steps"] == []
    assert ahead["low_s"] is not None
    assert (_WHOLE, OUTLOOK_TASKS_MAX) == ("the run", 5_000)
