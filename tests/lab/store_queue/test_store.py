"""A store that is only eventually consistent: when replicas have what was written, and what is seen."""

from random import Random
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.lab.store_queue.store import STRETCH_MAX, Store, StoreTimes, sees


def store(seed: int = 1, **times: object) -> Store:
    return Store(StoreTimes(**times), Random(seed))  # type: ignore[arg-type]  # the fields that a test names


def test_a_read_of_one_replica_may_miss_what_is_confirmed() -> None:
    missed = 0
    own = store(operation_s=0.001, spread_s=0.01)
    for _ in range(300):
        arrivals, confirmed_s = own.write(0.0)
        missed += not sees(arrivals, own.replicas(), confirmed_s)
    assert 100 < missed < 280


@given(st.integers(0, 2**32), st.integers(1, 9))
def test_most_replicas_see_all_that_most_have_confirmed(seed: int, replicas: int) -> None:
    own = store(seed, replicas=replicas, consistency="quorum", spread_s=1.0)
    arrivals, confirmed_s = own.write(5.0)
    assert min(arrivals) > 5.0
    assert sees(arrivals, own.replicas(), confirmed_s)


def test_an_operation_takes_its_mean_and_longer_when_the_store_is_busy() -> None:
    own = store(operation_s=0.01)
    assert fmean(2 * own.half_trip_s() for _ in range(4000)) == pytest.approx(0.01, rel=0.03)
    own.stretch = 3.0
    assert fmean(2 * own.half_trip_s() for _ in range(4000)) == pytest.approx(0.03, rel=0.03)
    assert fmean(own.conditional_s() for _ in range(2000)) == pytest.approx(0.12, rel=0.03)


def test_the_busier_a_store_is_the_longer_it_takes_with_a_limit() -> None:
    times = StoreTimes(busy_s=0.003, replicas=3)
    assert times.stretch(0.0) == 1.0
    assert times.stretch(500.0) == pytest.approx(2.0)
    assert times.stretch(999.0) == times.stretch(5000.0) == STRETCH_MAX
    # Each read of most of them keeps two busy.
    assert StoreTimes(busy_s=0.003, consistency="quorum").stretch(250.0) == pytest.approx(2.0)


def test_a_slower_store_takes_as_many_times_as_long() -> None:
    slow, times = StoreTimes().slower(7.0), StoreTimes()
    assert (slow.operation_s, slow.spread_s) == (7.0 * times.operation_s, 7.0 * times.spread_s)
    assert slow.stretch(100.0) == times.stretch(700.0)
