"""Nodes that are on line by the clock."""

import math
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.lab.worlds.day import by_the_clock
from roost.model.errors import InvalidInput

RNG = Random(1)


def test_a_machine_comes_and_goes_at_the_same_hours_each_day() -> None:
    office = by_the_clock([(9.0, 12.0), (13.0, 17.0)], 24.0)
    assert office.comes_first_s() == pytest.approx(9.0)
    for day in (0.0, 24.0, 2400.0):
        assert office.stays_s(day + 9.0, RNG) == pytest.approx(3.0)
        assert office.is_away_s(day + 12.0, RNG) == pytest.approx(1.0)
        assert office.is_away_s(day + 17.0, RNG) == pytest.approx(16.0)


def test_a_stay_goes_on_over_midnight() -> None:
    night = by_the_clock([(0.0, 6.0), (22.0, 24.0)], 24.0)
    assert night.comes_first_s() == 0.0
    assert night.stays_s(0.0, RNG) == pytest.approx(6.0)
    assert night.stays_s(22.0, RNG) == pytest.approx(8.0)
    assert night.is_away_s(6.0, RNG) == pytest.approx(16.0)


def test_who_is_there_all_the_time_never_leaves_and_tells_no_stays() -> None:
    server = by_the_clock([(0.0, 10.0), (10.0, 24.0)], 24.0)
    assert math.isinf(server.stays_s(5.0, RNG))
    assert server.past(5, RNG).stretches == ()


def test_a_world_may_begin_at_any_hour() -> None:
    afternoon = by_the_clock([(9.0, 17.0)], 24.0, begins_s=15.0)
    assert afternoon.comes_first_s() == 0.0
    assert afternoon.stays_s(0.0, RNG) == pytest.approx(2.0)
    evening = by_the_clock([(9.0, 17.0)], 24.0, begins_s=20.0)
    assert evening.comes_first_s() == pytest.approx(13.0)
    last = evening.past(2, RNG).stretches[-1]
    assert (last.began_s, last.ended_s) == (pytest.approx(-11.0), pytest.approx(-3.0))


@given(st.lists(st.floats(0.1, 5.0), min_size=2, max_size=8), st.floats(0.0, 100.0), st.integers(0, 12))
def test_stays_and_absences_follow_each_other_as_the_trace_says(
    lengths: list[float], begins_s: float, times: int
) -> None:
    moments = [sum(lengths[:at]) for at in range(len(lengths) // 2 * 2 + 1)]
    stays = list(zip(moments[1:-1:2], moments[2::2], strict=True))
    period_s = moments[-1] + 0.5
    node = by_the_clock(stays, period_s, begins_s)
    past = node.past(times, RNG).stretches
    assert len(past) == times
    assert all(one.ended_s <= 0.0 for one in past)
    now = node.comes_first_s()
    online = 0.0
    now += node.stays_s(now, RNG)
    start = now
    for _ in range(3 * len(stays)):
        now += node.is_away_s(now, RNG)
        stay = node.stays_s(now, RNG)
        online += stay
        now += stay
    # After whole periods as much of the time was on line as within one.
    assert now - start == pytest.approx(3 * period_s, abs=0.05)
    assert online == pytest.approx(3 * sum(ends - begins for begins, ends in stays), abs=0.05)


@pytest.mark.parametrize("stays", [[], [(-1.0, 2.0)], [(3.0, 25.0)]])
def test_stays_outside_of_the_period_are_refused(stays: list[tuple[float, float]]) -> None:
    with pytest.raises(InvalidInput, match="between 0 and 24 s"):
        by_the_clock(stays, 24.0)
