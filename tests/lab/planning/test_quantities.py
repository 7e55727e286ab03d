"""Times and shares as people write them."""

from decimal import Decimal

import pytest

from roost.lab.availability.precision import NEVER
from roost.lab.planning.quantities import (
    parse_lacking,
    parse_list,
    parse_rate,
    parse_replicas,
    parse_share,
    parse_time,
    time_words,
)
from roost.model.errors import InvalidInput


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1000000", "1000000"),
        ("1e6", "1e6"),
        ("0.1", "0.1"),
        ("0", "0"),
        ("90s", "90"),
        ("15m", "900"),
        ("10d", "864000"),
        ("1h 30min", "5400"),
        ("3y", "94608000"),
        ("2 weeks", "1209600"),
        ("5ms", "0.005"),
    ],
)
def test_times_are_seconds_or_have_units(text: str, seconds: str) -> None:
    assert parse_time(text) == Decimal(seconds)


def test_never_is_for_ever() -> None:
    assert parse_time("never") == parse_time("inf") == NEVER


@pytest.mark.parametrize("text", ["", "-5", "soon", "5 parsecs", "1h30", "nan", "1e99999"])
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        parse_time(text)


def test_shares_are_from_nought_to_one_or_in_percent() -> None:
    assert parse_share("99.99%") == Decimal("0.9999")
    assert parse_share("0.95") == Decimal("0.95")
    assert parse_lacking("99.9999999999999999999%") == Decimal("1e-21")


@pytest.mark.parametrize("text", ["2", "101%", "-1", "all"])
def test_what_is_no_share_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="is not a share"):
        parse_share(text)


def test_nobody_can_wish_for_all() -> None:
    with pytest.raises(InvalidInput, match="nothing is available at all times"):
        parse_lacking("100%")


def test_rates_copies_and_lists() -> None:
    assert parse_rate("1e-6") == Decimal("1e-6")
    assert parse_list("3,5 ,7", parse_replicas) == (3, 5, 7)
    for wrong in (lambda: parse_rate("often"), lambda: parse_replicas("0"), lambda: parse_list("1," * 300, parse_rate)):
        with pytest.raises(InvalidInput):
            wrong()


def test_times_are_written_for_people() -> None:
    assert time_words(Decimal(900)) == "15 min 00 s"
    assert time_words(Decimal(864_000)) == "10.0 days"
    assert time_words(Decimal("3.25e11")) == "3.25e11 s (10,306 years)"
    assert time_words(Decimal("1.32e23")) == "1.32e23 s (4.19e+15 years)"
    assert time_words(NEVER) == "never"
