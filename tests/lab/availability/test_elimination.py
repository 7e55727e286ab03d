"""Elimination without a subtraction, beside exact fractions."""

from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roost.lab.availability.elimination import sojourn
from roost.lab.availability.plain_equations import mean_time_until
from tests.lab.availability.exact import mean_times

END = -1
#: Over twenty orders of magnitude.
RATES = st.builds(lambda digits, power: digits * 10.0**power, st.integers(1, 99), st.integers(-10, 10))


@st.composite
def chains(draw: st.DrawFn) -> dict[int, dict[int, float]]:
    """Draw a chain of which each state is reached, and in which the end is reached from each."""
    size = draw(st.integers(1, 6))
    rates: dict[int, dict[int, float]] = {}
    for state in range(size):
        others = [to for to in (END, *range(size)) if to != state]
        to_some = draw(st.lists(st.sampled_from(others), unique=True, max_size=4))
        onwards = state + 1 if state + 1 < size else END
        rates[state] = {to: draw(RATES) for to in dict.fromkeys([onwards, *to_some])}
    return rates


def exactly(rates: dict[int, dict[int, float]]) -> dict[int, dict[int, Fraction]]:
    return {state: {to: Fraction(rate) for to, rate in leaving.items()} for state, leaving in rates.items()}


@given(chains())
@settings(max_examples=150, deadline=None)
def test_doubles_are_exact_to_nine_digits_whatever_the_rates(rates: dict[int, dict[int, float]]) -> None:
    found, times = sojourn(rates, END), mean_times(exactly(rates), END)
    whole = sum(times.values())
    assert 1 / found.end_rate == pytest.approx(float(whole), rel=1e-9)
    assert found.shares == pytest.approx({state: float(time / whole) for state, time in times.items()}, rel=1e-9, abs=0)


@given(chains())
@settings(max_examples=50, deadline=None)
def test_fractions_are_exact(rates: dict[int, dict[int, float]]) -> None:
    found, times = sojourn(exactly(rates), END), mean_times(exactly(rates), END)
    assert 1 / found.end_rate == sum(times.values())
    assert sum(found.shares.values()) == 1


@given(chains(), st.integers(0, 100))
@settings(max_examples=50, deadline=None)
def test_the_order_of_states_behind_the_first_does_not_matter(rates: dict[int, dict[int, float]], turn: int) -> None:
    first, *others = rates
    turned = others[turn % max(len(others), 1) :] + others[: turn % max(len(others), 1)]
    renamed = {state: rates[state] for state in (first, *turned)}
    found, other = sojourn(rates, END), sojourn(renamed, END)
    assert other.end_rate == pytest.approx(found.end_rate, rel=1e-12)
    assert other.shares == pytest.approx(found.shares, rel=1e-12, abs=0)


def test_a_chain_that_never_ends_has_its_shares_of_the_long_run() -> None:
    found = sojourn({"up": {"down": 1.0}, "down": {"up": 3.0}})
    assert found.shares == pytest.approx({"up": 0.75, "down": 0.25})
    assert found.end_rate == 0.0


def test_a_chain_of_one_state_lasts_until_it_is_left() -> None:
    assert sojourn({"up": {"end": 0.25}}, "end") == ({"up": 1.0}, 0.25)


def test_where_doubles_have_no_room_decimals_have() -> None:
    rates: dict[int, dict[int, Decimal]] = {
        at: {at + 1: Decimal("1e-60")} | ({at - 1: Decimal(1)} if at else {}) for at in range(9)
    }
    found = sojourn(rates, 9)
    assert (1 / found.end_rate).adjusted() == 540


def test_a_chain_in_which_nothing_happens_is_refused() -> None:
    with pytest.raises(ValueError, match="nothing ever happens"):
        sojourn({"up": {"down": 0.0}, "down": {}})


def test_ordinary_equations_lose_all_digits_where_elimination_keeps_them() -> None:
    """This is what the comparison is for: seven nodes that fail a million times less often than they come back."""
    rates: dict[Any, dict[Any, float]] = {
        down: {down + 1: (7 - down) * 1e-6} | ({down - 1: float(down)} if down else {}) for down in range(7)
    }
    whole = float(sum(mean_times(exactly(rates), 7).values()))
    assert 1 / sojourn(rates, 7).end_rate == pytest.approx(whole, rel=1e-12)
    assert mean_time_until(rates, 7) != pytest.approx(whole, rel=0.1)
