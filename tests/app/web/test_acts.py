"""Acts reach the elements that were meant, or nothing at all."""

import pytest

from roost.core.events import CancelAsked, RetryAsked, SuspendAsked
from roost.model.errors import Unavailable
from roost.model.ids import task_id
from roost.model.ranges import RangeSet
from roost.model.task import Failure
from tests.app.web.running_api import RunningApi


def test_cancel_without_more_words_is_about_the_whole_run(api: RunningApi) -> None:
    run = api.submit({"name": "a", "array": "1-3"}, {"name": "b"})
    answer = api.post(f"/v1/runs/{run}/cancel")
    assert (answer.status, answer.json()) == (200, {"elements": 4, "warnings": []})
    asked = api.service.asked[-1]
    assert isinstance(asked, CancelAsked)
    assert asked.cause.startswith("cancel")
    assert asked.tasks == ((task_id(run, "a"), RangeSet.span(1, 4)), (task_id(run, "b"), RangeSet.span(0, 1)))


def test_cancel_takes_one_task_or_elements_of_it(api: RunningApi) -> None:
    run = api.submit({"name": "a", "array": "1-9"}, {"name": "b"})
    assert api.post(f"/v1/runs/{run}/cancel", {"task": "b"}).json() == {"elements": 1, "warnings": []}
    assert api.post("/v1/runs/last/cancel", {"task": "a", "elements": "2-4,9"}).json() == {
        "elements": 4,
        "warnings": [],
    }
    assert str(api.service.ranges[task_id(run, "a")]["cancelled"]) == "2-4,9"


def test_retry_asks_for_the_elements_that_were_named(api: RunningApi) -> None:
    task = api.submit_one(array="1-9")
    for index in (2, 3, 8):
        api.in_loop(api.service.fail, task, index, Failure("exit code 1"))
    assert api.post("/v1/runs/1/retry", {"elements": "1-5"}).json() == {"elements": 2, "warnings": []}
    assert isinstance(api.service.asked[-1], RetryAsked)


@pytest.mark.parametrize(("act", "on"), [("suspend", True), ("resume", False)])
def test_suspend_and_resume_turn_the_switch_of_the_run(api: RunningApi, act: str, on: bool) -> None:
    run = api.submit({"name": "a", "array": "1-9"})
    assert api.post(f"/v1/runs/{run}/{act}").json() == {"elements": 9, "warnings": []}
    asked = api.service.asked[-1]
    assert isinstance(asked, SuspendAsked)
    assert (asked.run, asked.on) == (run, on)
    assert asked.cause.startswith(act)


@pytest.mark.parametrize(
    ("act", "body", "status", "sentence"),
    [
        ("suspend", {"task": "a"}, 400, "suspend is for whole runs; leave 'task' and 'elements' away"),
        ("resume", {"elements": "1"}, 400, "resume is for whole runs; leave 'task' and 'elements' away"),
        ("cancel", {"elements": "1"}, 400, "run 1-rubogo has 2 tasks; say which one you mean with 'task'"),
        ("cancel", {"task": "a", "elements": "3-5"}, 404, "task 'a' has no element 4; it has 1-3"),
        ("retry", {"task": "c"}, 404, "run 1-rubogo has no task 'c'; 'roost show 1-rubogo' lists them"),
        (
            "retry",
            {"task": "a", "elements": "x"},
            400,
            "'x' is not a set of indices; write for example 5 or 1-10 or 1,3,5-8",
        ),
        ("cancel", {"tasks": "a"}, 400, "the request is not valid: there is no field 'tasks'"),
        ("cancel", {"task": 5}, 400, "field 'task': expected text or null but got a whole number"),
        ("cancel", [], 400, "the request is not valid: expected an object but got a list"),
    ],
)
def test_an_act_that_cannot_be_is_refused_and_changes_nothing(
    api: RunningApi, act: str, body: object, status: int, sentence: str
) -> None:
    run = api.submit({"name": "a", "array": "1-3"}, {"name": "b"})
    before = api.service.snapshot()
    answer = api.post("/v1/runs/1/" + act, body)
    assert (answer.status, answer.message.replace(run, "1-rubogo")) == (status, sentence)
    assert api.service.snapshot() == before


def test_an_act_on_several_runs_at_once_is_refused(api: RunningApi) -> None:
    for _ in range(2):
        api.submit({"name": "a"})
    answer = api.post("/v1/runs/1-2/cancel")
    assert answer.status == 400
    assert answer.message.endswith("; name one run")


def test_a_node_that_cannot_write_says_so(api: RunningApi) -> None:
    api.submit({"name": "a"})
    api.service.refusal = Unavailable("the disk is full; make room and try again")
    answer = api.post("/v1/runs/1/cancel")
    assert (answer.status, answer.kind) == (503, "unavailable")
    assert answer.message == "the disk is full; make room and try again"


def test_shutdown_is_answered_and_then_done(api: RunningApi) -> None:
    assert api.post("/v1/shutdown").json() == {"stopping": True}
    assert api.service.stopped


def test_who_retries_a_damaged_run_goes_on_with_what_is_left_of_it(api: RunningApi) -> None:
    run = api.submit({"name": "a"})
    api.service.damaged_runs.add(run)
    assert api.post(f"/v1/runs/{run}/retry").status == 200
    assert api.service.mended == [run]
