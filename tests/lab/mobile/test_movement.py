"""Where devices are."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.lab.mobile.movement import SPEED_M_S, Place, Waypoint, along, distance, movement_of, read_paths
from roost.model.errors import InvalidInput


def test_between_waypoints_it_goes_straight_and_outside_it_stands() -> None:
    place_at = along([Waypoint(10.0, Place(0.0, 0.0)), Waypoint(20.0, Place(10.0, 20.0))])
    assert [place_at(now) for now in (0.0, 10.0, 15.0, 99.0)] == [(0, 0), (0, 0), (5, 10), (10, 20)]


def test_who_stands_still_stays_where_he_is() -> None:
    place_at = movement_of("still", 100.0, 1000.0, Random("1"))
    assert place_at(0.0) == place_at(999.0)


@given(st.integers(0, 100), st.floats(0.0, 3000.0), st.floats(0.1, 60.0))
def test_who_walks_stays_in_the_field_and_is_never_too_fast(seed: int, now: float, later_s: float) -> None:
    place_at = movement_of("waypoint", 50.0, 3100.0, Random(seed))
    here, there = place_at(now), place_at(now + later_s)
    assert 0.0 <= min(here) <= max(here) <= 50.0
    assert distance(here, there) <= SPEED_M_S[1] * later_s + 1e-6


def test_a_movement_that_nobody_knows_is_refused() -> None:
    with pytest.raises(InvalidInput, match="there is no movement"):
        movement_of("hop", 10.0, 10.0, Random(1))


def test_a_time_line_of_places_is_read() -> None:
    paths = read_paths("# a walk\nworker1 0 0 0\n\nworker2 5 1 1\nworker1 10 4 8  # done\n", ["worker1", "worker2"])
    assert paths["worker1"](5.0) == (2.0, 4.0)
    assert paths["worker2"](99.0) == (1.0, 1.0)


@pytest.mark.parametrize("line", ["worker3 0 0 0", "worker1 0 0", "worker1 0 x 0", "worker1 1 0 0\nworker1 1 0 0"])
def test_a_line_that_is_no_place_is_named(line: str) -> None:
    with pytest.raises(InvalidInput, match=r"line \d of the time-line of places is"):
        read_paths(line, ["worker1", "worker2"])
