"""Free-space loss, and what a link is worth after it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.lab.mobile.radio import loss_db, quality


def test_the_loss_is_that_of_the_textbook() -> None:
    # At 2.4 GHz 100 m cost 80 dB: 20 log10(d in km) + 20 log10(f in MHz) + 32.45.
    assert loss_db(100.0) == pytest.approx(-20.0 + 67.60 + 32.45, abs=0.01)


@given(st.floats(1.0, 1e4))
def test_twice_the_distance_or_the_frequency_costs_six_decibels(distance_m: float) -> None:
    assert loss_db(2 * distance_m) - loss_db(distance_m) == pytest.approx(6.0206, abs=1e-3)
    assert loss_db(distance_m, 4.8e9) - loss_db(distance_m, 2.4e9) == pytest.approx(6.0206, abs=1e-3)


@given(st.floats(0.0, 1e7), st.floats(0.0, 1e7))
def test_who_is_nearer_never_has_a_worse_link(one: float, other: float) -> None:
    assert 0.0 <= quality(max(one, other)) <= quality(min(one, other)) <= 1.0


def test_more_power_makes_a_better_link() -> None:
    assert quality(100.0, power_dbm=20.0) > quality(100.0, power_dbm=10.0)
    # 15 dBm less 80.05 dB arrive as -65.05 dBm, of -110 to -40.
    assert quality(100.0) == pytest.approx(44.95 / 70.0, abs=1e-3)
