"""The work of HTC 2.5: how much comes, and when."""

from random import Random
from statistics import fmean

import pytest

from roost.lab.store_queue.workload import TASKS_PER_NODE, Kind, Lengths, draw_work


@pytest.mark.parametrize("lengths", ["uniform", "skewed"])
def test_lengths_have_the_mean_that_is_stated_and_none_is_longer_than_the_longest(lengths: Lengths) -> None:
    kind = Kind(300, 1.0, 150.0, lengths)
    drawn = [one.length_s for one in draw_work(kind, Random(1))]
    assert len(drawn) == 300 * TASKS_PER_NODE
    assert 0.0 <= min(drawn) <= max(drawn) <= 150.0
    assert fmean(drawn) == pytest.approx(kind.mean_s, rel=0.03)


def test_skewed_lengths_are_28_percent_of_the_longest_on_average() -> None:
    assert Kind(1, 1.0, 100.0, "skewed").mean_s == pytest.approx(28.1, abs=0.05)


@pytest.mark.parametrize("longest_s", [2.0, 150.0])
def test_as_much_work_comes_as_the_load_says(longest_s: float) -> None:
    work = draw_work(Kind(200, 0.5, longest_s), Random(2))
    assert sum(one.length_s for one in work) / (200 * work[-1].at_s) == pytest.approx(0.5, rel=0.05)
    assert [one.at_s for one in work] == sorted(one.at_s for one in work)


def test_the_two_meanings_of_load_agree_where_tasks_last_a_second_on_average() -> None:
    for longest_s, times in ((2.0, 1.0), (150.0, 75.0)):
        literal = Kind(20, 0.2, longest_s, means="tasks a second").tasks_per_s
        assert literal == pytest.approx(4.0)
        assert literal == pytest.approx(times * Kind(20, 0.2, longest_s).tasks_per_s)
