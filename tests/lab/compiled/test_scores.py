"""Scores of numbers are those of policy/rating.py."""

import pytest

from roost.lab.compiled.scores import remembers, score_of
from roost.lab.compiled.state import BOUND, FAILURE_RATE, FITNESS, SHORTEST_KEPT, SURVIVAL
from roost.model.online import OnlineLog, Stretch
from roost.policy.lifetime_bound import lifetime_bound
from roost.policy.reliability import MAX_SCORE, fitness_score, published_reliability, survival_score
from tests.lab.compiled.small_states import small_state

LENGTHS = (1.0, 700.0, 4000.0, 9000.0, 20000.0)


@pytest.mark.parametrize("stays", [(), (9000.0,), (10_000.0, 20_000.0, 300.0)])
def test_survival_and_fitness_are_those_of_the_published_estimate(stays: tuple[float, ...]) -> None:
    log = OnlineLog(tuple(Stretch(0.0, stay) for stay in stays))
    lifetime = published_reliability(log).lifetime
    for score, formula in ((SURVIVAL, survival_score), (FITNESS, fitness_score)):
        state = small_state(1, *LENGTHS, score=score, correction=1.0)
        for stay in stays:
            remembers(state, 0, stay)
        for at, length in enumerate(LENGTHS):
            assert score_of(state, 0, at) == -formula(lifetime, length, 0.0)


def test_a_task_as_long_as_the_node_stays_has_the_best_score() -> None:
    state = small_state(1, 9000.0, score=FITNESS, correction=1.0)
    remembers(state, 0, 9000.0)
    assert score_of(state, 0, 0) == -MAX_SCORE


def test_aborted_tasks_count_as_longer_with_a_correction() -> None:
    state = small_state(1, 1000.0, score=SURVIVAL, correction=1.1)
    remembers(state, 0, 9000.0)
    before = score_of(state, 0, 0)
    state.tasks["tries"] = 3
    assert score_of(state, 0, 0) > before


def test_failure_rates_make_tasks_longer() -> None:
    state = small_state(1, 1000.0, score=FAILURE_RATE)
    assert score_of(state, 0, 0) == 1000.0
    state.nodes["finished"], state.nodes["aborted"] = 3, 1
    assert score_of(state, 0, 0) == 1250.0


def test_the_shortest_stays_are_kept_for_bounds() -> None:
    stays = [float((7919 * at) % 1009 + 1) for at in range(300)]
    state = small_state(1, 1.0, score=BOUND)
    for stay in stays:
        remembers(state, 0, stay)
    assert state.shortest[0].tolist() == sorted(stays)[:SHORTEST_KEPT]
    assert score_of(state, 0, 0) == -lifetime_bound(stays)
