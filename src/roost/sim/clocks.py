"""A machine's own clock, in the four ways in which clocks are wrong: off, too fast or slow, wavering, and stepped.

The node's clock (runtime/clock.py) never runs backwards within a life. So a step forward is seen at once, one backwards
by the next life only.
"""

from math import cos, pi, sin
from random import Random

import msgspec

#: What all clocks show, but for their faults, when a world begins.
EPOCH_S = 1_000_000.0
#: How much faster or slower a wavering clock runs at most.
WAVER_MAX = 0.5


class ClockShape(msgspec.Struct, frozen=True):
    offset_s: float = 0.0
    #: Seconds that it gains in a second.
    drift: float = 0.0
    #: How far it wavers to and fro, and in how many seconds once.
    wave_s: float = 0.0
    wave_period_s: float = 60.0


class ClockStep(msgspec.Struct, frozen=True, tag="step"):
    """Somebody sets a machine's clock."""

    at: float
    machine: str
    by_s: float


class SimClock:
    def __init__(self, shape: ClockShape) -> None:
        self._shape = shape
        self._stepped_s = 0.0
        self._next_life_s = 0.0

    def read(self, now: float) -> float:
        shape = self._shape
        shown = EPOCH_S + now * (1.0 + shape.drift) + shape.offset_s + self._stepped_s
        if shape.wave_s:
            shown += shape.wave_s * cos(2 * pi * now / shape.wave_period_s)
        return shown

    def delay(self, now: float, shown_s: float) -> float:
        """Return about how long it takes until it shows so many seconds more; a timer goes as wrong as its clock."""
        shape = self._shape
        rate = 1.0 + shape.drift
        if shape.wave_s:
            rate -= shape.wave_s * 2 * pi / shape.wave_period_s * sin(2 * pi * now / shape.wave_period_s)
        return shown_s / rate

    def step(self, by_s: float) -> None:
        if by_s > 0.0:
            self._stepped_s += by_s
        else:
            self._next_life_s += by_s

    def begin_life(self) -> None:
        """A process starts and reads the clock anew, with all that was done to it."""
        self._stepped_s += self._next_life_s
        self._next_life_s = 0.0


def draw_shape(rng: Random, wrong_s: float) -> ClockShape:
    """Draw a clock that is up to ``wrong_s`` off, and drifts and wavers perhaps; a right one if that is 0."""
    if not wrong_s:
        return ClockShape()
    period = rng.choice([5.0, 60.0, 600.0])
    return ClockShape(
        offset_s=rng.uniform(-wrong_s, wrong_s),
        drift=rng.choice([0.0, rng.uniform(-0.001, 0.001), rng.uniform(-0.05, 0.05)]),
        wave_s=rng.choice([0.0, min(rng.uniform(0.0, wrong_s), WAVER_MAX * period / (2 * pi))]),
        wave_period_s=period,
    )


def draw_steps(rng: Random, machines: list[str], until: float, every_s: float, wrong_s: float) -> list[ClockStep]:
    steps: list[ClockStep] = []
    at = 0.0
    while every_s and wrong_s:
        at += rng.expovariate(1 / every_s)
        if at >= until:
            break
        steps.append(ClockStep(at, rng.choice(machines), rng.uniform(-wrong_s, wrong_s)))
    return steps
