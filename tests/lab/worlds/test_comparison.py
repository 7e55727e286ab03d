"""Policies beside each other in HTC's scenarios, small."""

import pytest

from roost.lab.worlds.comparison import Size, Tried, policy_of, try_once, try_policy
from roost.lab.worlds.lifetimes import Model
from roost.lab.worlds.scenarios import Scenario
from roost.policy.catalogue import POLICIES

SIZE = Size(nodes=20, each_s=1e5, seeds=2)
MIXED = Scenario("mixed", "medium", Model.EXPONENTIAL)


def test_no_policy_ends_before_there_was_time_for_the_work() -> None:
    for name in POLICIES:
        result = try_policy(name, MIXED, SIZE)
        assert 1.0 < result.make_span_999.mean <= result.make_span.mean
        assert result.wasted.mean > 0.0
        assert result.given_up == 0


@pytest.mark.parametrize("workload", ["small", "large"])
def test_where_nodes_differ_the_default_is_done_sooner_than_first_come_first_served_and_loses_less(
    workload: str,
) -> None:
    scenario = Scenario("mixed", workload, Model.EXPONENTIAL)
    ours, theirs = (try_policy(name, scenario, SIZE) for name in ("roost", "fcfs"))
    assert ours.make_span.mean < theirs.make_span.mean
    assert ours.wasted.mean < theirs.wasted.mean


def test_the_default_attempts_what_is_late_as_nodes_do() -> None:
    assert policy_of("roost") is not POLICIES["roost"].policy
    assert policy_of("bfgc") is POLICIES["bfgc"].policy


def test_one_life_is_what_the_comparison_averages() -> None:
    scenario = Scenario("mixed", "medium", Model.EXPONENTIAL)
    once = [try_once(Tried("fr", *scenario, 8, 2e4, seed)) for seed in range(2)]
    result = try_policy("fr", scenario, Size(8, 2e4, 2))
    assert result.make_span.mean == pytest.approx(sum(one.make_span for one in once) / 2)
    assert result.given_up == sum(one.given_up for one in once)
