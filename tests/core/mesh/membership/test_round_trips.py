"""Delivery times from echoes."""

import pytest

from roost.core.mesh.membership.round_trips import BEATS_KEPT, DELIVERY_UNKNOWN_S, ROUND_TRIP_MAX_S, SAMPLES, RoundTrips
from roost.model.ids import NodeId

ASH, OAK = NodeId("ash"), NodeId("oak")


def measured(*times_s: float, by: NodeId = ASH, trips: RoundTrips | None = None) -> RoundTrips:
    trips = trips or RoundTrips()
    for beat, took_s in enumerate(times_s):
        trips.sent(beat, 10.0 * beat)
        trips.echoed(by, beat, 0.3, 10.0 * beat + 0.3 + took_s)
    return trips


def test_before_anything_is_measured_a_guess_serves() -> None:
    assert RoundTrips().delivery_s((ASH,)) == DELIVERY_UNKNOWN_S


def test_the_time_for_which_a_beat_was_held_does_not_count() -> None:
    trips = measured(0.004)
    assert trips.round_trip_s(ASH) == pytest.approx(0.004)
    assert trips.delivery_s((ASH,)) == pytest.approx(0.002)


def test_a_rare_stall_does_not_stretch_the_delivery_time() -> None:
    trips = measured(*[0.004] * (SAMPLES - 1), 1.0)
    for beat in range(100, 130):
        trips.sent(beat, 0.0)
        trips.echoed(ASH, beat, 0.0, 0.004)
    assert trips.delivery_s((ASH,)) < 0.01


def test_a_slow_neighbour_among_many_quick_ones_counts() -> None:
    trips = measured(*[0.002] * SAMPLES)
    measured(0.2, by=OAK, trips=trips)
    assert trips.delivery_s((ASH, OAK)) == pytest.approx(0.1)


def test_a_neighbour_that_has_gone_does_not_count() -> None:
    trips = measured(*[0.002] * SAMPLES)
    measured(0.2, by=OAK, trips=trips)
    trips.keep([ASH])
    assert trips.delivery_s((ASH, OAK)) == pytest.approx(0.001)
    assert trips.round_trip_s(OAK) is None


@pytest.mark.parametrize(
    ("beat", "held_s"),
    [
        pytest.param(99, 0.0, id="a beat that was never sent"),
        pytest.param(1, 6.0, id="held for longer than it is ago"),
        pytest.param(1, -1.0, id="held for less than nothing"),
        pytest.param(1, float("nan"), id="held for no number"),
        pytest.param(0, 0.0, id="a beat of long ago"),
    ],
)
def test_an_echo_that_cannot_be_true_says_nothing(beat: int, held_s: float) -> None:
    trips = RoundTrips()
    for number in range(BEATS_KEPT + 1):
        trips.sent(number, 0.0)
    trips.echoed(ASH, beat, held_s, 5.0)
    assert trips.round_trip_s(ASH) is None


def test_a_round_trip_across_a_closed_lid_counts_as_the_longest_that_is_believed() -> None:
    assert measured(3_600.0).round_trip_s(ASH) == ROUND_TRIP_MAX_S
