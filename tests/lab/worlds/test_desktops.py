"""Policies on populations of desktop grids, one trial at a time."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.lab.worlds.desktops import Trial, lives_of, shortest_make_span_s
from roost.lab.worlds.populations import NAMES, Day, Knobs
from roost.model.online import Stretch
from roost.policy.catalogue import POLICIES

DAY = Day((((0.0, 40_000.0),), ((20_000.0, 70_000.0),), ((0.0, 86_400.0),)), 86_400.0)


def trial(population: str, policy: str = "fcfs", workload: str = "medium", **changes: int) -> Trial:
    own = {"nodes": 8, "tasks_per_node": 5, "seeds": 2, "seed": 1} | changes
    return Trial(population=population, workload=workload, policy=policy, knobs=Knobs(), day=DAY, **own)


@pytest.mark.parametrize("population", NAMES)
@pytest.mark.parametrize("policy", ["fcfs", "bfgc", "roost"])
def test_nobody_is_sooner_than_the_shortest_make_span(population: str, policy: str) -> None:
    for life in lives_of(trial(population, policy)):
        assert 1.0 < life.make_span_999 <= life.make_span
        assert life.given_up == 0
        assert life.wasted >= 0.0
        assert 1 / 8 <= life.jain <= 1.0
        assert 1 / 8 <= life.jain_by_time <= 1.0


@pytest.mark.parametrize("policy", POLICIES)
def test_the_same_trial_brings_the_same_and_another_seed_something_else(policy: str) -> None:
    assert lives_of(trial("mixed", policy)) == lives_of(trial("mixed", policy))
    assert lives_of(trial("mixed", policy)) != lives_of(trial("mixed", policy, seed=2))


def test_long_tasks_lose_more_than_short_ones() -> None:
    lost = {}
    for workload in ("small", "large"):
        lives = lives_of(trial("notre-dame-2007", "fcfs", workload, nodes=12, tasks_per_node=8, seeds=4))
        lost[workload] = sum(life.wasted for life in lives)
    assert lost["large"] > 2 * lost["small"]


def test_the_shortest_make_span_counts_who_is_there() -> None:
    online = [[Stretch(0.0, 10.0)], [Stretch(5.0, 6.0), Stretch(8.0, 20.0)]]
    assert shortest_make_span_s(online, 5.0) == 5.0
    assert shortest_make_span_s(online, 7.0) == 6.0
    assert shortest_make_span_s(online, 13.0) == 10.0
    assert shortest_make_span_s(online, 16.0) == 13.0
    assert shortest_make_span_s(online, 1000.0) == 20.0


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(1, 20)), min_size=1, max_size=6), st.integers(1, 60))
def test_until_the_shortest_make_span_nodes_were_there_for_as_long_as_the_work_takes(
    stays: list[tuple[int, int]], work_s: int
) -> None:
    online = [[Stretch(float(begins), float(begins + lasts))] for begins, lasts in stays]
    until_s = shortest_make_span_s(online, float(work_s))
    there_s = sum(max(min(one.ended_s, until_s) - one.began_s, 0.0) for (one,) in online)
    assert there_s == pytest.approx(min(work_s, sum(lasts for _, lasts in stays)))
