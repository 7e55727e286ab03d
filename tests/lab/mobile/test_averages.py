"""Averages, compared with what the standard library and tables of Student's t say."""

from math import sqrt
from statistics import mean, stdev

import pytest

from roost.lab.mobile.averages import average

VALUES = [1.0, 2.0, 4.0, 8.0]


def test_the_interval_is_that_of_students_t() -> None:
    found = average(VALUES)
    assert found.mean == mean(VALUES)
    assert found.error == pytest.approx(3.1824 * stdev(VALUES) / 2, rel=1e-4)
    assert found.reach == pytest.approx(3.1824 * stdev(VALUES) * sqrt(1.25), rel=1e-4)


def test_of_one_world_nothing_is_known_of_the_error() -> None:
    assert average([3.0]) == (3.0, 0.0, 0.0)


def test_worlds_that_are_alike_have_no_error_not_even_of_rounding() -> None:
    assert average([85.26315789473684] * 20) == (85.26315789473684, 0.0, 0.0)
