"""What stories say about people: since when something waits, and who answered."""

import asyncio
import time
from collections.abc import Sequence

import pytest

from roost.app.web.told import Stories, Wait, ago
from roost.core.facts import StoryTold
from roost.core.telling.views import TaskView
from roost.model.clock import Stamp
from roost.model.happenings import (
    AmendedBy,
    AnsweredBy,
    DataDamaged,
    DoneOn,
    FailedOn,
    Happening,
    LeasedBy,
    LeaseKept,
    SentBackBy,
)
from roost.model.ids import CauseId, NodeId, RunId, TaskId, task_id
from roost.model.limits import EXPLAINED_TASKS_MAX
from roost.model.ranges import RangeSet
from tests.app.web.manual_steps import check_of, manual, submit_review
from tests.app.web.running_api import RunningApi
from tests.tokens import attempt

#: Far beyond the moment at which the plain service submits everything.
BEGIN = 1_700_000_100.0
ASH = NodeId("ash")
LEASED = LeasedBy(ASH, 1, attempt(1))


def told(task: TaskId, at: float, elements: str, what: Happening) -> StoryTold:
    return StoryTold(task, Stamp(int(at * 1000), 0, ASH), RangeSet.parse(elements), what, CauseId("c"))


def stories(api: RunningApi, *lines: StoryTold) -> Stories:
    api.service.stories += lines
    return Stories(api.service, api.service.stories)


def view(api: RunningApi, run: RunId) -> TaskView:
    return api.in_loop(api.service.task, check_of(run))


def test_it_waits_since_the_last_of_what_it_needs_was_done(api: RunningApi) -> None:
    run = submit_review(api, deadline_s=60.0)
    measure = task_id(run, "measure")
    known = stories(
        api,
        told(measure, BEGIN, "1-2", LEASED),
        told(measure, BEGIN + 1, "1", DoneOn(ASH)),
        told(measure, BEGIN + 2, "2-3", DoneOn(NodeId("elm"))),
    )
    assert known.wait_of(view(api, run), 1) == Wait(BEGIN + 1, BEGIN + 61)
    assert known.wait_of(view(api, run), 2) == Wait(BEGIN + 2, BEGIN + 62)


def test_what_was_sent_back_waits_since_it_was_done_again(api: RunningApi) -> None:
    run = submit_review(api)
    measure = task_id(run, "measure")
    why = SentBackBy("ben", "check", "not level")
    known = stories(
        api,
        told(measure, BEGIN, "1-3", DoneOn(ASH)),
        told(check_of(run), BEGIN + 5, "2", why),
        told(measure, BEGIN + 5, "2", why),
        told(measure, BEGIN + 9, "2", DoneOn(ASH)),
    )
    assert known.wait_of(view(api, run), 2) == Wait(BEGIN + 9, None)
    assert known.wait_of(view(api, run), 1) == Wait(BEGIN, None)
    sent_back = known.sent_back(view(api, run), 2)
    assert sent_back is not None
    assert sent_back.what == why
    assert known.sent_back(view(api, run), 1) is None


def test_what_no_node_remembers_is_not_guessed(api: RunningApi) -> None:
    run = submit_review(api, deadline_s=60.0)
    known = stories(api, told(task_id(run, "measure"), BEGIN, "1", LEASED))
    assert known.wait_of(view(api, run), 1) == Wait(None, None)
    assert not known.wait_of(view(api, run), 1).is_late(BEGIN + 1e9)
    assert known.answer_to(check_of(run), 1) is None


def test_what_needs_nothing_or_values_waits_since_its_submission(api: RunningApi) -> None:
    edges = [{"source": "number", "kind": "broadcast", "port": "value"}]
    run = api.submit({"name": "number", "value": {"json": 5}}, manual(edges=edges))
    known = stories(api)
    submitted = view(api, run).spec.submitted.wall_ms / 1000
    assert known.wait_of(view(api, run), 1).since == pytest.approx(submitted, abs=0.1)


def test_the_last_answer_counts(api: RunningApi) -> None:
    run = submit_review(api)
    known = stories(
        api,
        told(check_of(run), BEGIN, "1-2", AnsweredBy("anna")),
        told(check_of(run), BEGIN + 1, "2", AmendedBy("ben of the night shift", check_of(run))),
        told(check_of(run), BEGIN + 2, "2", LeaseKept(NodeId("elm"))),
    )
    assert known.answer_to(check_of(run), 1) == ("anna", BEGIN)
    assert known.answer_to(check_of(run), 2) == ("ben of the night shift", BEGIN + 1)
    assert known.answer_to(check_of(run), 3) is None


@pytest.mark.parametrize("who", ["x, and y", "carried out by ann", "ann\nof the night shift", "a person", "done by"])
def test_whoever_answered_is_found_whatever_the_name(api: RunningApi, who: str) -> None:
    check = check_of(submit_review(api))
    known = stories(
        api,
        told(check, BEGIN, "1-2", AnsweredBy(who)),
        told(check, BEGIN + 1, "2", AmendedBy(who, check)),
        told(check, BEGIN + 2, "1-2", DataDamaged(ASH, "done by hand, what was written")),
        told(check, BEGIN + 3, "1-2", FailedOn(ASH, "done by nobody")),
    )
    assert known.answer_to(check, 1) == (who, BEGIN)
    assert known.answer_to(check, 2) == (who, BEGIN + 1)


def test_words_that_sound_like_an_answer_are_none(api: RunningApi) -> None:
    check = check_of(submit_review(api))
    known = stories(api, told(check, BEGIN, "1", DataDamaged(ASH, "done by hand, what was written")))
    assert known.answer_to(check, 1) is None


def test_what_was_made_of_an_amended_answer_has_not_ended_by_that(api: RunningApi) -> None:
    """The line of the amendment also stands in the story of what is to be done again."""
    run = submit_review(api)
    measure = task_id(run, "measure")
    known = stories(api, told(measure, BEGIN, "1-3", AmendedBy("anna", task_id(run, "plan"))))
    assert known.wait_of(view(api, run), 1) == Wait(None, None)
    assert known.answer_to(measure, 1) is None


def test_it_is_late_after_its_deadline() -> None:
    assert [Wait(1.0, 5.0).is_late(now) for now in (4.0, 5.0, 5.1)] == [False, False, True]
    assert [ago(2.0, 5.0), ago(5.0, 2.0)] == ["3.0 s", "0 ms"]


def test_many_stories_are_asked_for_a_few_at_a_time(api: RunningApi, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    sources = [{"name": f"s{number}"} for number in range(EXPLAINED_TASKS_MAX + 5)]
    edges = [{"source": source["name"], "kind": "broadcast", "port": source["name"]} for source in sources]
    run = api.submit(*sources, manual(edges=edges, form={"show": []}))
    tell = api.service.story

    async def counted(tasks: Sequence[TaskId]) -> list[StoryTold]:
        asked.append(len(tasks))
        return await tell(tasks)

    monkeypatch.setattr(api.service, "story", counted)
    asyncio.run(Stories.gather(api.service, [view(api, run)]))
    assert asked == [EXPLAINED_TASKS_MAX, 6]


def test_explain_says_for_how_long_it_waits_and_what_is_late(api: RunningApi) -> None:
    run = submit_review(api, deadline_s=60.0)
    measure, now = task_id(run, "measure"), time.time()
    stories(
        api,
        told(measure, now - 100.5, "1", DoneOn(ASH)),
        told(measure, now - 30.5, "2", SentBackBy("ben", "check", "no")),
        told(measure, now - 10.5, "2", DoneOn(ASH)),
    )
    lines = api.get(f"/v1/runs/{run}/explain", task="check").json()["lines"]
    assert len(lines) == 4, lines
    assert lines[1].startswith("element 1: it waits for a person for 1 min 4")
    assert ", and is late by 40." in lines[1]
    assert lines[2].startswith("element 2: it waits for a person for 10.")
    assert "; an answer is expected within 49." in lines[2]
    assert lines[3].startswith("element 2: what it needs was sent back by ben from check: no (30.")
    one = api.get(f"/v1/runs/{run}/explain", task="check", element=1).json()["lines"]
    assert [line.partition(":")[0] for line in one[1:]] == ["element 1"]
