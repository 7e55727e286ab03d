"""Who is blamed for the death of a launcher."""

from roost.executors.suspects import DEATHS_MAX, Suspects
from roost.model.ids import TaskId
from roost.model.ranges import RangeSet

TASK, OTHER = TaskId("1-bababa/a"), TaskId("1-bababa/b")


def test_an_element_that_ran_alone_each_time_has_failed_after_three_deaths() -> None:
    suspects = Suspects()
    for _ in range(DEATHS_MAX - 1):
        assert suspects.died_under([(TASK, 7)]) is None
    assert suspects.died_under([(TASK, 7)]) == (TASK, 7)
    assert not suspects, "a later attempt, that a person asks for, begins anew"


def test_of_several_none_is_blamed_however_often_and_all_are_to_run_alone() -> None:
    suspects = Suspects()
    for _ in range(3 * DEATHS_MAX):
        assert suspects.died_under([(TASK, 1), (OTHER, 2)]) is None
    assert suspects.are_in(TASK, RangeSet.span(0, 5))
    assert suspects.are_in(OTHER, RangeSet.span(2, 3))
    assert not suspects.are_in(OTHER, RangeSet.span(0, 2))


def test_deaths_beside_others_and_alone_do_not_mix() -> None:
    suspects = Suspects()
    suspects.died_under([(TASK, 1)])
    suspects.died_under([(TASK, 1), (OTHER, 2)])
    suspects.died_under([(TASK, 1)])
    assert suspects.died_under([(TASK, 1)]) == (TASK, 1)
    assert suspects.are_in(OTHER, RangeSet.span(2, 3))


def test_an_element_that_ends_is_a_suspect_no_more() -> None:
    suspects = Suspects()
    suspects.died_under([(TASK, 1)])
    suspects.ended(TASK, [0, 1])
    assert not suspects
    assert suspects.died_under([(TASK, 1)]) is None


def test_a_launcher_under_which_nothing_ran_blames_nobody() -> None:
    suspects = Suspects()
    assert suspects.died_under([]) is None
    assert not suspects
