"""Populations of desktop grids: how long their machines stay on line and away.

Where the figures are from
- What is called by a place and a year are fits of measured traces: B. Javadi, D. Kondo, A. Iosup and D. Epema, "The
  Failure Trace Archive: Enabling the comparison of failure measurements and models of distributed systems", Journal of
  Parallel and Distributed Computing 73, 2013; its fits of the times of availability and unavailability, in hours. They
  were checked against the failure models of OpenDC, which have the same figures and name that paper as their source.
  Microsoft 1999 are office machines of a company, Notre Dame 2007 the processors of a university's Condor pool, and
  Skype 2006 machines that took part in that network.
- All others are assumptions, and are called what they are. ``laptops`` sleep when nobody uses them; ``nightly`` are
  those of a laboratory that start anew each night; ``office`` is a trace of a day; ``knobs`` is whatever is asked for.

A fit describes a population by one distribution for all. Its machines are alike then, and differ only in how long each
of them has been there; so policies can tell them apart by age alone. ``mixed`` has a third each of the three measured
ones, whose machines do differ.
"""

import math
from collections.abc import Mapping, Sequence
from random import Random
from typing import Final, Literal, NamedTuple, TypeAlias

import msgspec

from roost.lab.worlds.day import by_the_clock
from roost.lab.worlds.lifetimes import Churn, Presence, drawn_past, of_mean
from roost.model.errors import InvalidInput
from roost.model.online import OnlineLog
from roost.model.visible import quoted
from roost.policy.reliability import Exponential, Lifetime, Weibull

HOUR_S: Final = 3600.0
DAY_S: Final = 24 * HOUR_S
#: Which of the fits of a measured population is drawn from.
Family: TypeAlias = Literal["weibull", "exponential", "log-normal"]


class LogNormal(NamedTuple):
    """Times whose logarithm, in hours, is normal."""

    mean: float
    deviation: float

    @property
    def mean_s(self) -> float:
        return math.exp(self.mean + self.deviation**2 / 2) * HOUR_S

    def draw_s(self, rng: Random) -> float:
        return rng.lognormvariate(self.mean, self.deviation) * HOUR_S


class LogNormalChurn(NamedTuple):
    """A kind of node that comes and goes by log-normal times."""

    up: LogNormal
    away: LogNormal
    speed: float = 1.0

    def past(self, times: int, rng: Random) -> OnlineLog:
        return drawn_past(self, times, rng)

    def comes_first_s(self) -> float:
        return 0.0

    def stays_s(self, now: float, rng: Random) -> float:  # noqa: ARG002 - the hour does not matter
        return self.up.draw_s(rng)

    def is_away_s(self, now: float, rng: Random) -> float:  # noqa: ARG002 - as above
        return self.away.draw_s(rng)


Kind: TypeAlias = Churn | LogNormalChurn


class _Fits(NamedTuple):
    """Three fits of the times of one kind, in hours."""

    mean: float
    shape: float
    scale: float
    log_mean: float
    log_deviation: float

    def lifetime(self, family: Family) -> Lifetime:
        if family == "weibull":
            return Weibull(self.scale * HOUR_S, self.shape)
        return Exponential(1 / (self.mean * HOUR_S))

    def log_normal(self) -> LogNormal:
        return LogNormal(self.log_mean, self.log_deviation)


class _Measured(NamedTuple):
    up: _Fits
    away: _Fits

    def presence(self, family: Family) -> Kind:
        if family == "log-normal":
            return LogNormalChurn(self.up.log_normal(), self.away.log_normal())
        return Churn(self.up.lifetime(family), self.away.lifetime(family))


_MEASURED: Final[Mapping[str, _Measured]] = {
    "microsoft-1999": _Measured(_Fits(67.01, 0.55, 35.30, 2.62, 1.84), _Fits(16.49, 0.60, 9.34, 1.42, 1.54)),
    "notre-dame-2007": _Measured(_Fits(13.73, 0.45, 4.16, 0.30, 2.20), _Fits(4.25, 0.51, 0.74, -1.02, 1.27)),
    "skype-2006": _Measured(_Fits(16.27, 0.64, 10.86, 1.60, 1.57), _Fits(14.31, 0.63, 9.48, 1.40, 1.73)),
}
#: A laptop is used for 40 minutes at a time, half of the times, and then sleeps for an hour and a half.
_LAPTOP: Final = LogNormalChurn(LogNormal(-0.405, 1.0), LogNormal(0.405, 1.2))
#: A machine that starts anew each night does so after a day, nearly to the hour, and is back after ten minutes.
_NIGHTLY: Final = Churn(of_mean(DAY_S - 600.0, 20.0), of_mean(600.0, 3.0))
#: All names, in the order in which they are shown.
NAMES: Final = (*_MEASURED, "mixed", "laptops", "nightly", "office", "knobs")


class Knobs(msgspec.Struct, frozen=True, kw_only=True):
    """Weibull times of what is asked for, in hours, and which fits are drawn from where there are several."""

    family: Family = "weibull"
    up_shape: float = 0.6
    up_scale: float = 10.0
    down_shape: float = 0.6
    down_scale: float = 2.0


class Day(msgspec.Struct, frozen=True):
    """A trace of one period: the stays of each machine, in seconds."""

    machines: tuple[tuple[tuple[float, float], ...], ...]
    period_s: float


def nodes_of(name: str, count: int, knobs: Knobs, day: Day, rng: Random) -> Sequence[Presence]:
    """Return the nodes of a population, kinds mixed. Raise InvalidInput, with those that there are, for any other name.

    At which hour a world by the clock begins is drawn.
    """
    if name == "office":
        begins_s = rng.uniform(0.0, day.period_s)
        clocks = [by_the_clock(stays, day.period_s, begins_s) for stays in day.machines]
        return [clocks[at % len(clocks)] for at in range(count)]
    kinds = _kinds_of(name, knobs)
    return [kinds[at % len(kinds)] for at in range(count)]


def typical_stay_s(name: str, knobs: Knobs, day: Day) -> float:
    """Return a stay by which lengths of tasks are scaled: the mean of what is measured, whichever fit is drawn from."""
    if name in _MEASURED:
        return _MEASURED[name].up.mean * HOUR_S
    if name == "mixed":
        return sum(measured.up.mean for measured in _MEASURED.values()) / len(_MEASURED) * HOUR_S
    if name == "office":
        stays = [ends_s - begins_s for machine in day.machines for begins_s, ends_s in machine]
        return sum(stays) / len(stays)
    return _kinds_of(name, knobs)[0].up.mean_s


def _kinds_of(name: str, knobs: Knobs) -> Sequence[Kind]:
    if name in _MEASURED:
        return (_MEASURED[name].presence(knobs.family),)
    match name:
        case "mixed":
            return tuple(measured.presence(knobs.family) for measured in _MEASURED.values())
        case "laptops":
            return (_LAPTOP,)
        case "nightly":
            return (_NIGHTLY,)
        case "knobs":
            up = Weibull(knobs.up_scale * HOUR_S, knobs.up_shape)
            return (Churn(up, Weibull(knobs.down_scale * HOUR_S, knobs.down_shape)),)
        case _:
            raise InvalidInput(f"there is no population {quoted(name)}; there are {', '.join(NAMES)}")
