"""How much is told of stories, and that no kind crowds out another."""

from roost.core.facts import StoryTold
from roost.core.telling.story_bounds import bounded_report, bounded_story
from roost.model.clock import Stamp
from roost.model.happenings import REPORTED, AnsweredBy, DoneOn, Happening, HowLost, LeasedBy, NodeLost, drawer_of
from roost.model.ids import CauseId, TaskId
from roost.model.limits import HAPPENED_MAX, STORY_LINES_MAX
from roost.model.ranges import RangeSet
from tests.sentences import ASH, ELM, HAPPENINGS, TASK
from tests.tokens import attempt

OTHER = TaskId("5-kedova/other")
DONE, ANSWER, DEATH = DoneOn(ASH), AnsweredBy("anna"), NodeLost(ELM, HowLost.SILENT)


def line(at: int, what: Happening = DONE, task: TaskId = TASK) -> StoryTold:
    return StoryTold(task, Stamp(at, 0, ASH), RangeSet.span(0, 1), what, CauseId("c"))


def test_of_each_task_the_last_lines_are_told() -> None:
    long = [line(at) for at in range(STORY_LINES_MAX + 5)]
    short = line(0, task=OTHER)
    assert bounded_story([short, *long]) == [short, *long[5:]]


def test_an_answer_and_a_death_outlive_thousands_of_leases() -> None:
    early = [line(0, ANSWER), line(1, DEATH)]
    leases = [line(at, LeasedBy(ASH, 1, attempt(at))) for at in range(2, 5002)]
    assert bounded_story([*early, *leases]) == [*early, *leases[-STORY_LINES_MAX:]]


def test_an_answer_outlives_thousands_of_deaths() -> None:
    early, deaths = line(0, ANSWER), [line(at, DEATH) for at in range(1, 5001)]
    assert bounded_story([early, *deaths]) == [early, *deaths[-STORY_LINES_MAX:]]
    assert bounded_report([early, *deaths]) == [early, *deaths[-HAPPENED_MAX:]]


def test_every_kind_that_a_report_tells_outlives_all_others() -> None:
    first = [line(at, what) for at, what in enumerate(HAPPENINGS) if drawer_of(what)]
    assert {drawer_of(one.what) for one in first} == set(REPORTED)
    for one in first:
        others = [other for other in HAPPENINGS if drawer_of(other) != drawer_of(one.what)]
        crowd = [line(100 + at, others[at % len(others)]) for at in range(20 * STORY_LINES_MAX)]
        assert bounded_story([one, *crowd])[0] == one


def test_a_report_is_bounded_by_kind_over_all_tasks() -> None:
    deaths = [line(at, DEATH, TaskId(f"5-kedova/t{at}")) for at in range(HAPPENED_MAX + 7)]
    assert bounded_report(deaths) == deaths[7:]
