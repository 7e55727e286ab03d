"""How evenly something is shared out, by formulas worked out by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.policy.fairness_measures import jains_index, variance

# Jain, Chiu and Hawe 1984: (sum x)² / (n · sum x²).


def test_where_all_have_the_same_the_index_is_one() -> None:
    assert jains_index([7.0, 7.0, 7.0]) == 1.0


def test_where_one_of_four_has_all_the_index_is_a_quarter() -> None:
    assert jains_index([0.0, 12.0, 0.0, 0.0]) == 0.25


def test_the_index_of_1_2_and_3_is_36_of_42() -> None:
    # (1 + 2 + 3)² = 36; 3 · (1 + 4 + 9) = 42.
    assert jains_index([1.0, 2.0, 3.0]) == pytest.approx(36 / 42)


def test_where_two_of_three_are_served_alike_the_index_is_two_thirds() -> None:
    assert jains_index([5.0, 5.0, 0.0]) == pytest.approx(2 / 3)


@pytest.mark.parametrize("amounts", [[], [0.0], [0.0, 0.0]])
def test_of_nothing_there_is_no_index(amounts: list[float]) -> None:
    assert jains_index(amounts) is None


@given(st.lists(st.floats(0.1, 1e6), min_size=1, max_size=20), st.floats(0.1, 1e3))
def test_the_index_has_no_unit_and_lies_between_one_nth_and_one(amounts: list[float], unit: float) -> None:
    index, scaled = jains_index(amounts), jains_index([amount * unit for amount in amounts])
    assert index is not None
    assert scaled == pytest.approx(index)
    assert 1 / len(amounts) - 1e-9 <= index <= 1 + 1e-9


# FAIR 4.1: the variance of the number of jobs per worker, as of a sample.


def test_the_variance_divides_by_one_less_than_there_are() -> None:
    # The mean is 5, the squares are 9 + 1 + 1 + 9 = 20, and 20 / 3.
    assert variance([2.0, 4.0, 6.0, 8.0]) == pytest.approx(20 / 3)


def test_where_all_have_the_same_there_is_no_variance() -> None:
    assert variance([3.0] * 20) == 0.0


def test_what_two_of_twenty_workers_heap_on_themselves_shows() -> None:
    # Sixty jobs, as in FAIR 4: the mean is 3, and (2 · 27² + 18 · 3²) / 19.
    assert variance([30.0, 30.0, *[0.0] * 18]) == pytest.approx((2 * 729 + 18 * 9) / 19)


@pytest.mark.parametrize("amounts", [[], [4.0]])
def test_of_one_there_is_no_variance(amounts: list[float]) -> None:
    assert variance(amounts) is None
