"""Averages, and what is asked of the nine scenarios."""

import pytest

from roost.lab.compiled.nine_scenarios import ALL_POLICIES, SHOWN_POLICIES, Nine, Size, average, reduction
from roost.lab.worlds.published import PUBLISHED


def test_an_average_has_the_interval_of_students_distribution() -> None:
    one = average([1.0, 2.0, 3.0])
    assert one.mean == 2.0
    # 4.303 is the quantile for two degrees of freedom.
    assert one.interval == pytest.approx(4.303 / 3**0.5, abs=1e-3)
    assert average([5.0]).interval == 0.0


def test_a_reduction_is_in_percent() -> None:
    assert reduction(average([200.0, 200.0]), average([150.0, 150.0])).mean == pytest.approx(25.0)


def test_all_published_policies_are_shown() -> None:
    assert set(ALL_POLICIES) == set(PUBLISHED)
    assert set(SHOWN_POLICIES) < set(ALL_POLICIES)


def test_experiments_that_show_the_same_ask_for_the_same() -> None:
    nine = Nine(Size(10, 1e6, 2), 1)
    shown = {cell.argument for cell in nine.cells(SHOWN_POLICIES)}
    assert shown < {cell.argument for cell in nine.cells(ALL_POLICIES)}
    assert len(shown) == 9 * 5 * 2
