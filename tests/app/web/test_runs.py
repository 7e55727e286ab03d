"""Looking at the node and its runs."""

import os

import pytest

from roost.api.answers import Counts
from roost.core.telling.views import STATES
from roost.model.ids import task_id
from roost.model.ranges import EMPTY
from roost.model.task import Failure
from roost.runtime import origin
from roost.version import VERSION
from tests.app.web.running_api import RunningApi


def test_the_status_says_who_the_node_is_and_where_it_listens(api: RunningApi) -> None:
    api.submit({"name": "work"})
    status = api.get("/v1/status").json()
    assert status["address"] == api.server.address
    assert status["address"].startswith("http://127.0.0.1:")
    assert (status["node"], status["pid"], status["boot"], status["runs"]) == ("ash", 4711, 3, 1)
    assert status["capacity"] == {"cpus": 2.0, "memory_bytes": 8 * 2**30}
    assert (status["python"], status["trouble"], status["alone"]) == ("3.11", None, True)
    assert status["version"] == VERSION
    assert status["online"] == {"since": 900.0, "times_before": 2, "mean_s_before": 25.0}
    assert (status["fairness"], status["fairness_group"]) == ("worst", 4)
    assert (status["reliability"]["model"], status["reliability"]["rate"]) == ("exponential", 0.02)
    assert (status["state"], status["role"]) == ("too unstable", "none")
    assert status["why"] == "its battery is at 15 %"


def test_a_submission_is_answered_with_its_ids_and_warnings(api: RunningApi) -> None:
    tasks = [{"name": name, "command": {"argv": ["true"]}} for name in ("first", "second")]
    answer = api.post("/v1/runs", {"name": "odd", "tasks": tasks})
    run = api.service.run_ids()[0]
    assert answer.status == 201
    assert answer.json() == {
        "run": run,
        "number": 1,
        "tasks": [f"{run}/first", f"{run}/second"],
        "warnings": ["a warning"],
    }


def test_every_state_is_counted_even_if_nothing_is_in_it(api: RunningApi) -> None:
    assert set(Counts.__struct_fields__) == {*STATES, "total"}
    task = api.submit_one(array="1-4")
    api.in_loop(api.service.finish, task, 1, b"")
    api.in_loop(api.service.fail, task, 2, Failure("exit code 3"))
    (run,) = api.get("/v1/runs").json()["runs"]
    assert run["counts"] == dict.fromkeys(STATES, 0) | {"done": 1, "failed": 1, "ready": 2, "total": 4}
    assert (run["progress"], run["state"], run["finished_at"], run["tasks"]) == (0.5, "running", None, 1)
    assert run["submitted_at"] == 1_700_000_000.0
    assert (run["owner"], run["host"]) == (origin.owner(), os.uname().nodename)


def test_runs_are_listed_oldest_first_and_the_limit_keeps_the_newest(api: RunningApi) -> None:
    for name in ("one", "two", "three"):
        api.submit({"name": "work"}, name=name)

    def names(**query: object) -> list[str]:
        return [run["name"] for run in api.get("/v1/runs", **query).json()["runs"]]

    assert names() == ["one", "two", "three"]
    assert names(limit=2) == ["two", "three"]
    assert names(select="last") == ["three"]
    assert names(select="1,3") == ["one", "three"]
    assert names(select="1-2", limit=1) == ["two"]


def test_an_unknown_run_is_not_found(api: RunningApi) -> None:
    for path in ("/v1/runs/7", "/v1/runs/7/results", "/v1/runs/7/explain"):
        answer = api.get(path)
        assert (answer.status, answer.kind, answer.message) == (404, "not_found", "there is no run '7'")


def test_a_step_says_what_kind_of_work_it_is(api: RunningApi) -> None:
    run = api.submit(
        {"name": "call", "function": {"call": "math:sqrt", "arguments": [4]}},
        {"name": "job", "script": {"code": "function weevil_main() {}"}},
    )
    steps = api.get(f"/v1/runs/{run}").json()["steps"]
    assert [(step["kind"], step["what"]) for step in steps] == [("function", "math:sqrt"), ("script", "job")]


def test_a_run_shows_its_steps_with_what_they_do_and_where_they_are(api: RunningApi) -> None:
    run = api.submit(
        {"name": "draw", "command": {"argv": ["draw", "a b"]}, "array": "1-9", "cpus": 2, "retries": 3},
        {"name": "join", "edges": [{"source": "draw", "kind": "all", "port": "frames"}], "priority": "interactive"},
    )
    draw = task_id(run, "draw")
    api.in_loop(api.service.finish, draw, 4, b"")
    api.in_loop(api.service.run_element, draw, 5)
    detail = api.get(f"/v1/runs/{run}").json()
    assert detail["run"] == run
    first, second = detail["steps"]
    assert (first["name"], first["kind"], first["what"]) == ("draw", "command", "draw 'a b'")
    assert first["ranges"] == {"ready": "1-3,6-9", "running": "5", "done": "4"}
    assert first["running"] == [
        {"index": 5, "path": "5", "node": "ash", "seconds": 2.5, "fraction": 0.4, "note": "fold 2/5"}
    ]
    assert (first["cpus"], first["retries"], first["time_limit_s"], first["priority"]) == (2.0, 3, None, "low")
    assert (first["done_on"], second["done_on"]) == ({"ash": 1}, {})
    assert second["edges"] == [{"source": draw, "kind": "all", "port": "frames", "pick": "", "type": ""}]
    assert second["priority"] == "interactive"


def test_a_very_long_command_line_is_shown_shortened(api: RunningApi) -> None:
    run = api.submit({"name": "long", "command": {"argv": ["echo", "x" * 5_000]}})
    what = api.get(f"/v1/runs/{run}").json()["steps"][0]["what"]
    assert len(what) == 1_000
    assert what.endswith("…")


def test_an_explanation_has_reasons_and_the_story_in_order(api: RunningApi) -> None:
    run = api.submit({"name": "a", "array": "1-3"}, {"name": "b"})
    explanation = api.get(f"/v1/runs/{run}/explain").json()
    assert explanation["lines"] == ["a: a waits", "b: b waits"]
    assert [line["task"] for line in explanation["story"]] == [f"{run}/a", f"{run}/b"]
    one = api.get(f"/v1/runs/{run}/explain", task="a", element=2).json()
    assert one["lines"] == ["element 2 of a waits"]
    assert [(line["elements"], line["kind"], line["who"], line["what"]) for line in one["story"]] == [
        ("1-3", "submitted", "ada", "submitted by ada on ash")
    ]


def test_what_was_reused_is_told_task_by_task_without_the_story(api: RunningApi) -> None:
    run = api.submit({"name": "a", "array": "1-3"}, {"name": "b"})
    told = api.get(f"/v1/runs/{run}/explain", cache="true").json()
    assert told == {"lines": ["a: a was taken over", "b: b was taken over"], "story": []}
    one = api.get(f"/v1/runs/{run}/explain", task="a", element=2, cache="true").json()
    assert one["lines"] == ["element 2 was taken over"]


def test_an_explanation_of_an_element_needs_its_task(api: RunningApi) -> None:
    run = api.submit({"name": "a", "array": "1-3"}, {"name": "b"})
    several = api.get(f"/v1/runs/{run}/explain", element=2)
    assert (several.status, several.message) == (
        400,
        f"run {run} has 2 tasks; say which one you mean with 'task'",
    )
    missing = api.get(f"/v1/runs/{run}/explain", task="a", element=9)
    assert (missing.status, missing.message) == (404, "task 'a' has no element 9; it has 1-3")


def test_what_is_not_done_is_explained_first(api: RunningApi) -> None:
    run = api.submit({"name": "a"}, {"name": "b"})
    api.in_loop(api.service.finish, task_id(run, "a"), 0, b"")
    assert api.get(f"/v1/runs/{run}/explain").json()["lines"] == ["b: b waits", "a: a waits"]


def test_a_run_may_be_counted_by_one_of_its_tasks(api: RunningApi) -> None:
    run = api.submit({"name": "a", "array": "1-3"}, {"name": "b", "array": "1-2"})
    api.in_loop(api.service.finish, task_id(run, "a"), 1, b"")
    (told,) = api.get("/v1/runs", select=run, task="a").json()["runs"]
    assert (told["counts"]["done"], told["counts"]["total"], told["tasks"], told["ended"]) == (1, 3, 1, False)
    assert told["progress"] == pytest.approx(1 / 3)
    for index in (2, 3):
        api.in_loop(api.service.finish, task_id(run, "a"), index, b"")
    assert api.get("/v1/runs", select=run, task="a").json()["runs"][0]["ended"]
    assert not api.get("/v1/runs", select=run).json()["runs"][0]["ended"]
    refused = api.get("/v1/runs", select=run, task="c")
    assert refused.status == 404
    assert f"run {run} has no task 'c'; 'roost show {run}' lists them" in refused.json()["error"]["message"]


def test_a_pool_has_not_ended_before_it_is_known_how_long_it_is(api: RunningApi) -> None:
    spread = [{"source": "list", "kind": "spread", "port": "item"}]
    run = api.submit({"name": "list"}, {"name": "pool", "edges": spread})
    pool = task_id(run, "pool")
    api.in_loop(api.service.ranges.update, {pool: dict.fromkeys(STATES, EMPTY)})
    assert not api.get("/v1/runs", select=run, task="pool").json()["runs"][0]["ended"]
    api.in_loop(api.service.finish, task_id(run, "list"), 0, b"[]")
    assert api.get("/v1/runs", select=run, task="pool").json()["runs"][0]["ended"]


def test_a_run_that_is_to_resume_what_nobody_ran_says_so(api: RunningApi) -> None:
    body = {"tasks": [{"name": "a", "command": {"argv": ["true"]}}], "workflow": "pi of flow.yaml"}
    told = [api.post("/v1/runs", body | {"resume": resume}).json()["warnings"] for resume in (True, False, True)]
    assert ["no earlier run of this workflow" in "".join(warnings) for warnings in told] == [True, False, False]


def test_a_damaged_run_does_not_hide_the_others(api: RunningApi) -> None:
    first, second = (api.submit({"name": name}) for name in ("a", "b"))
    api.service.damaged_runs.add(first)
    listed = api.get("/v1/runs").json()
    assert [run["run"] for run in listed["runs"]] == [second]
    assert listed["damaged"] == [f"the record of run {first} on this disk is damaged"]
    refused = api.get(f"/v1/runs/{first}")
    assert (refused.status, refused.json()["error"]["kind"]) == (503, "unavailable")
