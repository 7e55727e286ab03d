"""Numbers with as many digits as are true."""

import json
from decimal import Context, Decimal, localcontext

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.lab.availability.precision import (
    NEVER,
    complement,
    exact,
    json_number,
    percent,
    rate_of,
    told,
    vanishing,
)


@pytest.mark.parametrize(
    ("lacking", "written"),
    [
        ("0", "100 %"),
        ("1", "0.000 %"),
        ("0.5", "50.000 %"),
        ("0.001", "99.900 %"),
        ("0.00000027", "99.999973 %"),
        ("0.000000001", "99.99999990 %"),
        ("1e-16", "all but 1.0e-14 %"),
        ("1e-300", "all but 1.0e-298 %"),
    ],
)
def test_what_is_nearly_all_is_never_written_as_all(lacking: str, written: str) -> None:
    assert percent(Decimal(lacking)) == written


@given(st.integers(1, 400), st.integers(1, 10**10))
def test_an_availability_has_all_digits_that_its_lack_is_told_with(power: int, digits: int) -> None:
    lacking = Decimal(digits).scaleb(-power - 10)
    available = complement(lacking)
    assert available < 1
    assert Decimal(json_number(available)) == available
    with localcontext(Context(prec=1000)):
        assert told(lacking) + available == 1


def test_json_has_numbers_and_no_strings() -> None:
    assert json_number(complement(Decimal("1e-25"))) == "0." + "9" * 25
    assert json_number(Decimal("1.319262180E+23")) == "1.31926218e+23"
    assert json_number(Decimal("0.0000000")) == "0"
    assert json_number(Decimal(1000)) == "1000"
    assert json.loads(json_number(Decimal("3.25e11"))) == 3.25e11


def test_what_vanishes_keeps_its_digits() -> None:
    assert float(vanishing(Decimal("1e-30"))) == pytest.approx(1e-30, rel=1e-15)
    assert float(vanishing(Decimal(1))) == pytest.approx(0.6321205588285577, rel=1e-15)
    assert vanishing(Decimal(0)) == 0


def test_a_double_is_taken_as_it_is_written() -> None:
    assert exact(0.1) == Decimal("0.1")
    assert rate_of(NEVER) == 0
    assert rate_of(Decimal(4)) == Decimal("0.25")
