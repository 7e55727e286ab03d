"""Policies beside each other in HTC's scenarios, small."""

from statistics import fmean

import pytest

from roost.lab.worlds.comparison import Lasted, Tried, policy_of, try_once
from roost.lab.worlds.lifetimes import Model
from roost.policy.catalogue import POLICIES


def tried(policy: str, workload: str, seeds: int = 2, k: float = 1.0) -> list[Lasted]:
    asked = [Tried(policy, "mixed", workload, Model.EXPONENTIAL, 20, 1e5, seed, k) for seed in range(seeds)]
    return [try_once(one) for one in asked]


def test_no_policy_ends_before_there_was_time_for_the_work() -> None:
    for name in POLICIES:
        for lasted in tried(name, "medium"):
            assert 1.0 < lasted.make_span_999 <= lasted.make_span
            assert lasted.wasted > 0.0
            assert lasted.given_up == 0


@pytest.mark.parametrize("workload", ["small", "large"])
def test_where_nodes_differ_the_default_is_done_sooner_than_first_come_first_served_and_loses_less(
    workload: str,
) -> None:
    ours, theirs = (tried(name, workload) for name in ("roost", "fcfs"))
    assert fmean(one.make_span for one in ours) < fmean(one.make_span for one in theirs)
    assert fmean(one.wasted for one in ours) < fmean(one.wasted for one in theirs)


def test_the_same_seed_is_the_same_life_and_another_length_or_seed_is_another() -> None:
    assert tried("bfgc", "medium") == tried("bfgc", "medium")
    first, second = tried("bfgc", "medium")
    assert first != second
    assert tried("bfgc", "medium", k=3.0) != tried("bfgc", "medium")


def test_the_default_attempts_what_is_late_as_nodes_do() -> None:
    assert policy_of("roost") is not POLICIES["roost"].policy
    assert policy_of("bfgc") is POLICIES["bfgc"].policy
