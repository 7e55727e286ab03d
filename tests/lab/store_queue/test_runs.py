"""Several runs of one setting."""

import pytest
from scipy.stats import sem, t

from roost.lab.store_queue.runs import Setting, average, runs_of

SETTING = Setting(nodes=5, load=0.5, longest_s=20.0, runs=4, seed=3)


def test_a_cell_gives_the_same_each_time_and_its_runs_differ() -> None:
    outcomes = runs_of(SETTING)
    assert outcomes == runs_of(SETTING)
    assert len({outcome.utilisation for outcome in outcomes}) == 4


def test_the_interval_around_a_mean_is_students() -> None:
    outcomes = runs_of(SETTING)
    values = [outcome.slowdown for outcome in outcomes]
    low, high = t.interval(0.95, 3, loc=sum(values) / 4, scale=sem(values))
    found = average(outcomes, lambda outcome: outcome.slowdown)
    assert (found.mean - found.error, found.mean + found.error) == (pytest.approx(low), pytest.approx(high))
    assert average(outcomes[:1], lambda outcome: outcome.slowdown).error == 0.0
