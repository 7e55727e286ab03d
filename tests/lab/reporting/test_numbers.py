"""Numbers as people read them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.lab.reporting.numbers import shown, shown_difference


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "-"),
        ("∞", "∞"),
        (3.0, "3"),
        (395895.0, "395,895"),
        (85.26, "85.26"),
        (1.37, "1.37"),
        (2375664.25, "2,375,664.2"),
        (99.9999999, "99.9999999"),
        (0.9999999999, "0.9999999999"),
        (3.25e11, "3.25e+11"),
        (1e-6, "1e-06"),
        (float("inf"), "∞"),
        (float("-inf"), "-∞"),
        (float("nan"), "not a number"),
        (0.0, "0"),
        (-2.5, "-2.5"),
    ],
)
def test_figures_have_as_many_digits_as_they_need(value: float | str | None, text: str) -> None:
    assert shown(value) == text


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_what_is_no_whole_number_never_looks_like_one(value: float) -> None:
    text = shown(value).replace(",", "")
    if value != int(value) and abs(value - round(value)) > 1e-14 * abs(value):
        assert float(text) != round(value)
    assert float(text) == pytest.approx(value, rel=1e-5)


@pytest.mark.parametrize(("value", "text"), [(1.5, "+1.5"), (-1.5, "-1.5"), (0.0, "0"), (None, "-")])
def test_differences_have_a_sign(value: float | None, text: str) -> None:
    assert shown_difference(value) == text
