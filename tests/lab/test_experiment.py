"""Rows: whether what was published came out."""

import pytest

from roost.lab.experiment import Row


@pytest.mark.parametrize(
    ("published", "reproduced", "tolerance", "difference", "holds"),
    [
        (10.0, 10.4, 0.5, 0.4, True),
        (10.0, 9.4, 0.5, -0.6, False),
        (10.0, 10.4, None, 0.4, None),
        (None, 10.4, 0.5, None, None),
        ("∞", 1e23, 0.5, None, None),
    ],
)
def test_a_figure_holds_if_it_is_within_the_tolerance_that_is_stated(
    published: float | str | None,
    reproduced: float,
    tolerance: float | None,
    difference: float | None,
    holds: bool | None,
) -> None:
    row = Row(what="x", published=published, reproduced=reproduced, tolerance=tolerance)
    assert row.difference == (None if difference is None else pytest.approx(difference))
    assert row.holds is holds
