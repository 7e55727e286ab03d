"""Chance from what it is for: the same each time, and spread as it should be."""

import math
import statistics

from roost.lab.compiled.lives import chance, stay_s


def test_chance_is_the_same_whenever_it_is_asked() -> None:
    assert [chance(1, 2, 3), chance(1, 2, 4)] == [chance(1, 2, 3), chance(1, 2, 4)]
    assert len({chance(seed, one, other) for seed in range(9) for one in range(9) for other in range(9)}) == 729


def test_chance_is_uniform() -> None:
    numbers = [chance(5, node, turn) for node in range(100) for turn in range(100)]
    assert math.isclose(statistics.fmean(numbers), 0.5, abs_tol=0.01)
    assert math.isclose(statistics.pvariance(numbers), 1 / 12, abs_tol=0.003)
    assert 0 < min(numbers) < max(numbers) < 1


def test_stays_have_the_mean_of_their_distribution() -> None:
    for shape in (1.0, 0.7):
        stays = [stay_s(7, node, turn, 100.0, shape) for node in range(200) for turn in range(100)]
        assert math.isclose(statistics.fmean(stays), 100.0 * math.gamma(1 + 1 / shape), rel_tol=0.05)
