"""The window follows measured delivery times."""

import pytest

from roost.policy.window import WINDOW_DELIVERIES, WINDOW_S_MAX, WINDOW_S_MIN, WINDOW_UNKNOWN_S, window_s


def test_a_node_that_is_alone_does_not_wait() -> None:
    """DICE, time window, situation 1, and design.md: "about zero when alone"."""
    assert window_s(None, others=0) == 0.0
    assert window_s(0.5, others=0) == 0.0


def test_the_window_is_a_few_delivery_times() -> None:
    """DICE, time window: T varies with the time that a message takes to propagate."""
    assert window_s(0.004, others=4) == pytest.approx(WINDOW_DELIVERIES * 0.004)


def test_a_window_covers_the_way_there_and_back() -> None:
    """A rival that bids just before it hears of us is heard after two deliveries."""
    assert window_s(0.01, others=1) > 2 * 0.01


@pytest.mark.parametrize(("delivery_s", "expected"), [(1e-6, WINDOW_S_MIN), (60.0, WINDOW_S_MAX)])
def test_the_window_has_bounds(delivery_s: float, expected: float) -> None:
    assert window_s(delivery_s, others=1) == expected


def test_without_a_measurement_the_window_is_that_of_a_slow_network() -> None:
    assert window_s(None, others=1) == pytest.approx(WINDOW_DELIVERIES * WINDOW_UNKNOWN_S)
