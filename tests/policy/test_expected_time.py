"""How long an element takes on a node that may die over it: worked out by hand."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.policy.expected_time import time_until_done, time_with
from roost.policy.reliability import Exponential, Weibull

HOURLY = Exponential(1 / 3600)


def test_with_exponential_lifetimes_it_is_the_known_formula() -> None:
    # (e^(hl) - 1) / h for an hour on a node that dies every hour: 3600 s * (e - 1).
    assert time_until_done(HOURLY, 3600.0) == pytest.approx(6185.8, abs=0.1)
    # HTC's unstable node (1e-4) and a large task of 15500 s: 1e4 s * (e^1.55 - 1).
    assert time_until_done(Exponential(1e-4), 15_500.0) == pytest.approx(37_114.7, abs=0.1)
    assert time_until_done(Exponential(1e-4), 15_500.0, age_s=1e6) == time_until_done(Exponential(1e-4), 15_500.0)


def test_a_node_that_never_dies_takes_as_long_as_the_element_and_nothing_takes_no_time() -> None:
    assert time_until_done(Exponential(0.0), 3600.0) == 3600.0
    assert time_until_done(HOURLY, 0.0) == 0.0


def test_with_a_failure_rate_that_falls_an_old_node_is_quicker() -> None:
    # Shape 0.5: the cumulated rate is the root of the time over the scale. Of age 0 it is 1 over an hour; of three
    # hours, 2 - 1.732 = 0.268, and 3600 s * (e^0.268 - 1) / 0.268.
    falling = Weibull(3600.0, 0.5)
    assert time_until_done(falling, 3600.0) == pytest.approx(3600 * (math.e - 1))
    assert time_until_done(falling, 3600.0, age_s=3 * 3600.0) == pytest.approx(4128.0, abs=1.0)


@given(st.floats(1e-9, 1e-1), st.floats(0.0, 1e9), st.floats(0.1, 10.0))
def test_it_is_a_number_and_never_less_than_the_length(rate: float, length_s: float, shape: float) -> None:
    for lifetime in (Exponential(rate), Weibull(1 / rate, shape)):
        taken_s = time_until_done(lifetime, length_s)
        assert length_s <= taken_s * (1 + 1e-9)
        assert taken_s < math.inf


def test_what_runs_ends_there_or_begins_anew_elsewhere() -> None:
    # An hour is left on a node that dies every hour: it runs for 3600 s * (1 - 1/e) on average, and with 1 - 1/e it
    # begins anew, for 7200 s.
    assert time_with(HOURLY, 3600.0, 7200.0) == pytest.approx(2275.6 + 4551.3, abs=0.1)
    assert time_with(Exponential(0.0), 3600.0, 7200.0) == 3600.0
    assert time_with(HOURLY, 0.0, 7200.0) == 0.0
