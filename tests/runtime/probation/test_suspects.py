"""Who is blamed for the death of a node, and above all who is not."""

from collections.abc import Sequence

from roost.executors.suspects import DEATHS_MAX
from roost.model.ids import TaskId
from roost.runtime.probation.suspects import WAIT_S, YOUNG_S, NodeSuspect, Ran, after_death

TASK, OTHER = TaskId("1-bababa/a"), TaskId("1-bababa/b")


def one(age_s: float, index: int = 7, task: TaskId = TASK) -> Ran:
    return Ran(task, index, index, age_s)


def deaths(*ages: float) -> Sequence[NodeSuspect]:
    suspects: Sequence[NodeSuspect] = []
    for age_s in ages:
        suspects = after_death(suspects, [one(age_s)])
    return suspects


def test_what_ran_alone_has_failed_after_three_deaths_at_the_same_time() -> None:
    (suspect,) = deaths(0.0, 0.6, 0.3)
    assert suspect.has_failed
    assert suspect.failure().permanent
    assert "the node died 0.3 s after it began" in suspect.failure().reason
    assert not deaths(0.0, 0.6)[0].has_failed
    assert deaths(20.0, 22.0, 21.0)[0].has_failed


def test_deaths_at_other_times_begin_anew() -> None:
    (suspect,) = deaths(0.5, 9.0, 0.5, 9.0, 0.5, 9.0, 9.1)
    assert suspect.deaths == 2


def test_whoever_kills_nodes_by_the_clock_makes_nobody_guilty() -> None:
    for life_s in range(1, int(YOUNG_S) + 1):
        suspects: Sequence[NodeSuspect] = []
        for _ in range(20):
            waited = suspects[0].deaths * WAIT_S if suspects else 0.0
            suspects = after_death(suspects, [one(life_s - waited)] if waited < life_s else [])
            assert not any(suspect.has_failed for suspect in suspects), life_s


def test_of_several_none_is_blamed_however_often_and_all_are_to_run_alone() -> None:
    suspects: Sequence[NodeSuspect] = []
    for _ in range(3 * DEATHS_MAX):
        suspects = after_death(suspects, [one(0.1), one(0.1, 8), one(0.1, 7, OTHER)])
    assert [(suspect.task, suspect.bounds, suspect.deaths) for suspect in suspects] == [
        (TASK, (7, 8), 0),
        (TASK, (8, 9), 0),
        (OTHER, (7, 8), 0),
    ]


def test_of_short_elements_that_ran_one_after_the_other_each_is_to_run_alone() -> None:
    (suspect,) = after_death([], [Ran(TASK, 3, 9, 0.0)])
    assert (suspect.bounds, suspect.deaths) == ((3, 10), 0)
    assert suspect.without(5).bounds == (3, 5, 6, 10)


def test_what_began_long_ago_has_nothing_to_do_with_it() -> None:
    assert after_death([], [one(YOUNG_S + 1)]) == []
    (suspect,) = after_death([], [one(YOUNG_S + 1, 1), one(0.1, 2)])
    assert (suspect.bounds, suspect.deaths) == ((2, 3), 1)


def test_a_death_while_it_did_not_run_clears_a_suspect() -> None:
    assert after_death(deaths(0.1, 0.1), []) == []
    after = after_death(deaths(0.1, 0.1), [one(0.1, 8)])
    assert [(suspect.bounds, suspect.deaths) for suspect in after] == [((8, 9), 1), ((7, 8), 0)]


def test_of_two_that_kill_nodes_both_fail() -> None:
    suspects: Sequence[NodeSuspect] = after_death([], [one(0.1, 1), one(0.1, 2)])
    failed = set()
    for _ in range(2 * DEATHS_MAX):
        tried = max(suspects, key=lambda suspect: suspect.deaths)
        suspects = after_death(suspects, [one(0.1, tried.elements.first)])
        failed |= {suspect.bounds for suspect in suspects if suspect.has_failed}
        suspects = [suspect for suspect in suspects if not suspect.has_failed]
    assert failed == {(1, 2), (2, 3)}


def test_a_trial_outlasts_every_time_at_which_a_death_would_count() -> None:
    for age_s in (0.0, 1.0, 10.0, YOUNG_S):
        (suspect,) = deaths(age_s)
        assert all(later.deaths <= 1 for later in after_death([suspect], [one(suspect.trial_s)]))


def test_what_has_no_name_blames_nobody() -> None:
    assert after_death([], [one(0.1, 0, TaskId(""))]) == []
