"""What a run went through, put together from its stories."""

import pytest

from roost.core.facts import StoryTold
from roost.model.clock import Stamp
from roost.model.happenings import (
    AmendedBy,
    AnsweredBy,
    DoneOn,
    Happening,
    HowLost,
    MadeOfDropped,
    NodeLost,
    NodeRestarted,
    ResultDropped,
    ReusedFrom,
    SentBackBy,
    TakenOver,
)
from roost.model.ids import CauseId, NodeId, RunId, TaskId, task_id
from roost.model.ranges import RangeSet
from roost.runtime.far.timelines import Timeline
from tests.app.web.manual_steps import check_of, submit_review
from tests.app.web.running_api import RunningApi
from tests.tokens import attempt

#: Far beyond the moment at which the plain service submits everything.
BEGIN = 1_700_000_100.0
ASH, ELM, OAK = NodeId("ash"), NodeId("elm"), NodeId("oak")
BACK = SentBackBy("ben", "check", "not level")


def told(task: TaskId, at: float, elements: str, what: Happening, cause: str = "c", node: str = "ash") -> StoryTold:
    stamp = Stamp(int((BEGIN + at) * 1000), 0, NodeId(node))
    return StoryTold(task, stamp, RangeSet.parse(elements), what, CauseId(cause))


def events(api: RunningApi, run: RunId, *lines: StoryTold) -> list[tuple[object, ...]]:
    api.service.stories += lines
    found = api.get(f"/v1/runs/{run}/timeline").json()["happened"]
    return [(event["kind"], event["who"], event["where"], event["took_s"]) for event in found]


def test_an_answer_says_how_long_it_was_waited_for(api: RunningApi) -> None:
    run = submit_review(api)
    measure, check = task_id(run, "measure"), check_of(run)
    lines = [
        told(measure, 0, "1-3", DoneOn(ASH)),
        told(check, 20, "1", AnsweredBy("anna"), "answer-1.1"),
        told(measure, 30, "2", BACK, "reject-1.2"),
        told(check, 30, "2", BACK, "reject-1.2"),
        told(measure, 35, "2", TakenOver(ASH, ReusedFrom(TaskId("1-a/measure"), RangeSet.span(2, 3)))),
        told(check, 40, "2", AnsweredBy("ben"), "answer-1.3"),
        told(check, 60, "2", AmendedBy("anna", check), "amend-1.4"),
    ]
    assert events(api, run, *lines) == [
        ("answered", "anna", ["check 1"], 20.0),
        ("sent back", "ben", ["measure 2", "check 2"], None),
        ("answered", "ben", ["check 2"], 5.0),
        ("amended", "anna", ["check 2"], None),
    ]


def test_what_no_node_remembers_of_the_wait_is_not_guessed(api: RunningApi) -> None:
    run = submit_review(api)
    answer = told(check_of(run), 20, "1", AnsweredBy("anna"), "answer-1.1")
    assert events(api, run, answer) == [("answered", "anna", ["check 1"], None)]


def test_whoever_sent_back_is_named_whatever_the_name(api: RunningApi) -> None:
    run = submit_review(api)
    back = SentBackBy("ben from the night shift", "check", "done by anna from check: no")
    assert events(api, run, told(task_id(run, "measure"), 1, "2", back)) == [
        ("sent back", "ben from the night shift", ["measure 2"], None)
    ]


def test_an_answer_that_came_second_is_an_amendment_whatever_was_asked(api: RunningApi) -> None:
    """Two people answered at once: the second request was to answer, and the node took it for a change."""
    check = check_of(run := submit_review(api))
    assert events(api, run, told(check, 1, "1", AmendedBy("ben", check), "answer-1.2")) == [
        ("amended", "ben", ["check 1"], None)
    ]


def test_what_no_report_tells_is_left_out_though_another_node_tells_it(
    api: RunningApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    check = check_of(run := submit_review(api))
    lines = [told(check, 1, "1", DoneOn(ASH)), told(check, 2, "1", AnsweredBy("anna"))]

    async def timeline(_: RunId) -> Timeline:
        return Timeline([], [], lines)

    monkeypatch.setattr(api.service, "timeline", timeline)
    found = api.get(f"/v1/runs/{run}/timeline").json()["happened"]
    assert [(event["kind"], event["what"]) for event in found] == [("answered", "done by anna")]


def test_the_loss_of_a_node_is_one_event_however_many_tasks_it_held(api: RunningApi) -> None:
    run = submit_review(api)
    measure, check, what = task_id(run, "measure"), check_of(run), NodeLost(ELM, HowLost.SILENT)
    lines = [
        told(measure, 1, "1", what, "failure"),
        told(check, 1.5, "2", what, "failure"),
        told(measure, 2, "3", what, "failure", "oak"),
        told(measure, 100, "1", what, "failure"),
        told(measure, 200, "1", NodeRestarted(OAK), "restart", "oak"),
    ]
    assert events(api, run, *lines) == [
        ("node lost", "elm", ["measure 1,3", "check 2"], None),
        ("node lost", "elm", ["measure 1"], None),
        ("node restarted", "oak", ["measure 1"], None),
    ]


def test_results_that_were_overruled_are_told_by_who_noticed(api: RunningApi) -> None:
    run = submit_review(api)
    measure, check = task_id(run, "measure"), check_of(run)
    lines = [
        told(measure, 1, "1", ResultDropped(ELM, attempt(1), ASH, attempt(2)), "overruled", "oak"),
        told(check, 2, "1", MadeOfDropped(OAK, attempt(1), measure), "made of overruled", "oak"),
    ]
    assert events(api, run, *lines) == [
        ("result dropped", "oak", ["measure 1"], None),
        ("made of a dropped result", "oak", ["check 1"], None),
    ]
