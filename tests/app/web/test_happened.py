"""What a run went through, put together from its stories."""

from roost.core.facts import DROPPED, MADE_OF_DROPPED, NODE_LOST, NODE_RESTARTED, StoryTold
from roost.model.clock import Stamp
from roost.model.ids import CauseId, NodeId, RunId, TaskId, task_id
from roost.model.ranges import RangeSet
from tests.app.web.manual_steps import check_of, submit_review
from tests.app.web.running_api import RunningApi

#: Far beyond the moment at which the plain service submits everything.
BEGIN = 1_700_000_100.0
BACK = "sent back by ben from check: not level"


def told(task: TaskId, at: float, elements: str, what: str, cause: str = "c", node: str = "ash") -> StoryTold:
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
        told(measure, 0, "1-3", "done on ash"),
        told(check, 20, "1", "done by anna", "answer-1.1"),
        told(measure, 30, "2", BACK, "reject-1.2"),
        told(check, 30, "2", BACK, "reject-1.2"),
        told(measure, 35, "2", "taken over from 1-a/measure element 2, by ash"),
        told(check, 40, "2", "done by ben", "answer-1.3"),
        told(check, 60, "2", "amended by anna", "amend-1.4"),
    ]
    assert events(api, run, *lines) == [
        ("answered", "anna", ["check 1"], 20.0),
        ("sent back", "ben", ["measure 2", "check 2"], None),
        ("answered", "ben", ["check 2"], 5.0),
        ("amended", "anna", ["check 2"], None),
    ]


def test_what_no_node_remembers_of_the_wait_is_not_guessed(api: RunningApi) -> None:
    run = submit_review(api)
    answer = told(check_of(run), 20, "1", "done by anna", "answer-1.1")
    assert events(api, run, answer) == [("answered", "anna", ["check 1"], None)]


def test_the_loss_of_a_node_is_one_event_however_many_tasks_it_held(api: RunningApi) -> None:
    run = submit_review(api)
    measure, check, what = task_id(run, "measure"), check_of(run), "ready again: elm fell silent"
    lines = [
        told(measure, 1, "1", what, NODE_LOST),
        told(check, 1.5, "2", what, NODE_LOST),
        told(measure, 2, "3", what, NODE_LOST, "oak"),
        told(measure, 100, "1", what, NODE_LOST),
        told(measure, 200, "1", "given back: the node that ran it was restarted", NODE_RESTARTED, "oak"),
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
        told(measure, 1, "1", "the result of elm was dropped", DROPPED, "oak"),
        told(check, 2, "1", "the result of oak was made of a result of 'measure'", MADE_OF_DROPPED, "oak"),
    ]
    assert events(api, run, *lines) == [
        ("result dropped", "oak", ["measure 1"], None),
        ("made of a dropped result", "oak", ["check 1"], None),
    ]
