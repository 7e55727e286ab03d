"""Clocks that are wrong in four ways, and never run backwards within a life."""

from random import Random

import pytest

from roost.sim.clocks import EPOCH_S, ClockShape, SimClock, draw_shape, draw_steps

TIMES = [number / 50 for number in range(5_000)]


def test_a_right_clock_shows_the_time() -> None:
    assert SimClock(ClockShape()).read(12.5) == EPOCH_S + 12.5


def test_a_clock_may_be_off_drift_and_waver() -> None:
    assert SimClock(ClockShape(offset_s=-30.0)).read(10.0) == EPOCH_S - 20.0
    assert SimClock(ClockShape(drift=0.01)).read(100.0) == pytest.approx(EPOCH_S + 101.0)
    waver = SimClock(ClockShape(wave_s=2.0, wave_period_s=60.0))
    shown = [waver.read(at) - EPOCH_S - at for at in TIMES]
    assert [min(shown), max(shown)] == pytest.approx([-2.0, 2.0], abs=0.01)


def test_a_step_forward_is_seen_at_once_and_one_backwards_by_the_next_life() -> None:
    clock = SimClock(ClockShape())
    clock.step(60.0)
    clock.step(-100.0)
    assert clock.read(1.0) == EPOCH_S + 61.0
    clock.begin_life()
    assert clock.read(1.0) == EPOCH_S - 39.0
    clock.begin_life()
    assert clock.read(1.0) == EPOCH_S - 39.0


@pytest.mark.parametrize("seed", range(30))
def test_no_drawn_clock_runs_backwards(seed: int) -> None:
    clock = SimClock(draw_shape(Random(seed), 3600.0))
    shown = [clock.read(at) for at in TIMES]
    assert shown == sorted(shown)


def test_clocks_are_right_where_nothing_is_wrong() -> None:
    assert draw_shape(Random(1), 0.0) == ClockShape()
    assert draw_steps(Random(1), ["a"], 100.0, 1.0, 0.0) == []
    assert draw_steps(Random(1), ["a"], 100.0, 0.0, 9.0) == []


def test_steps_go_both_ways_and_come_in_time() -> None:
    steps = draw_steps(Random(1), ["a", "b"], 100.0, 2.0, 30.0)
    assert {step.machine for step in steps} == {"a", "b"}
    assert min(step.by_s for step in steps) < 0 < max(step.by_s for step in steps)
    assert all(0 < step.at < 100.0 and abs(step.by_s) <= 30.0 for step in steps)


@pytest.mark.parametrize("seed", range(10))
def test_a_timer_goes_about_as_wrong_as_its_clock(seed: int) -> None:
    clock = SimClock(draw_shape(Random(seed), 30.0))
    for now in (0.0, 3.0, 17.0):
        shown = clock.read(now + clock.delay(now, 0.01)) - clock.read(now)
        assert shown == pytest.approx(0.01, rel=0.02)
