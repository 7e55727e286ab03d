"""Batteries lose charge evenly, and faster under load."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.lab.mobile.battery import BUSY_S, IDLE_S, Battery, battery_of
from roost.model.errors import InvalidInput

SECONDS = st.floats(0.0, 1e5)


def test_a_full_battery_lasts_as_long_as_it_says() -> None:
    assert Battery().remaining(IDLE_S / 2, 0.0) == pytest.approx(0.5)
    assert Battery().remaining(BUSY_S / 2, BUSY_S / 2) == pytest.approx(0.5)
    assert Battery().remaining(2 * IDLE_S, 0.0) == 0.0


@given(SECONDS, SECONDS, SECONDS)
def test_it_never_gains_and_work_never_costs_less(lived: float, worked: float, more: float) -> None:
    worked = min(lived, worked)
    now = Battery().remaining(lived, worked)
    assert 0.0 <= Battery().remaining(lived + more, worked) <= now <= Battery().remaining(lived, 0.0) <= 1.0


def test_what_is_missing_is_what_work_would_have_cost() -> None:
    lacking, full = battery_of("linear", 100.0), Battery()
    assert lacking.remaining(1000.0, 0.0) == pytest.approx(full.remaining(1000.0, 100.0))


def test_on_mains_nothing_is_lost() -> None:
    assert battery_of("mains", 100.0).remaining(1e9, 1e9) == 1.0


def test_a_battery_that_nobody_knows_is_refused() -> None:
    with pytest.raises(InvalidInput, match="there is no battery"):
        battery_of("solar", 0.0)
