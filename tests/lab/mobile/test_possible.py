"""Which sums a published variance allows, compared with all ways to share jobs out."""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.lab.mobile.possible import possible_sums
from roost.policy.fairness_measures import variance


@given(st.lists(st.integers(0, 40), min_size=2, max_size=20))
def test_what_came_out_of_some_counts_is_possible_for_their_sum(counts: list[int]) -> None:
    found = variance(counts)
    assert found is not None
    rounded = round(found + 1e-12, 2)
    assert possible_sums(rounded, len(counts), len(counts) - 1, [sum(counts)]) == [sum(counts)]


def shared_out(total: int, workers: int) -> Iterator[list[int]]:
    if workers == 1:
        yield [total]
        return
    for first in range(total + 1):
        yield from ([first, *rest] for rest in shared_out(total - first, workers - 1))


def test_what_no_counts_have_is_mostly_not_possible() -> None:
    """The check is necessary and not sufficient: it asks for squares of the right sum and parity, not for counts."""
    there_are = {round(variance(counts) or 0.0, 2) for counts in shared_out(6, 3)}
    possible = {value / 100 for value in range(1300) if possible_sums(value / 100, 3, 2, [6])}
    assert there_are <= possible
    # 3 to 36 over 12, in steps of 2, and no other.
    assert possible == {float(value) for value in range(13)}


def test_fairs_largest_variance_is_that_of_two_workers_with_half_of_the_jobs_each() -> None:
    assert variance([30, 30, *[0] * 18]) == pytest.approx(85.26, abs=0.005)
    assert possible_sums(85.26, 20, 19, [60]) == [60]
    assert possible_sums(85.26, 20, 20, [60]) == []


def test_two_of_fairs_figures_are_possible_with_60_jobs_only_if_digits_were_cut_off() -> None:
    for figure in (0.73, 61.57):
        assert possible_sums(figure, 20, 19, [60]) == []
        assert possible_sums(figure, 20, 19, [60], is_cut=True) == [60]
