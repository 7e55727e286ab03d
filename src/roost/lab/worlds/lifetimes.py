"""How long the nodes of an experiment stay on line and away, drawn by chance: HTC 4.4.1 and 4.6.

Stable nodes stay for 1e6 s on average and are away for 1e4 s; unstable ones stay for 1e4 s and are away for 1e3 s. In
one model both are exponential; in the other they are Weibull with the same means, of shape 0.7 on line and 0.5 away, as
measured in real systems.

Worlds ask a node's presence when it comes and goes. A churn is one that is drawn, each stay by itself.
"""

import math
from enum import Enum
from random import Random
from typing import Final, NamedTuple, Protocol

from roost.model.online import OnlineLog, Stretch
from roost.policy.reliability import Exponential, Lifetime, Weibull

STABLE_UP_S: Final = 1e6
STABLE_AWAY_S: Final = 1e4
UNSTABLE_UP_S: Final = 1e4
UNSTABLE_AWAY_S: Final = 1e3
#: The shapes of HTC 4.6.
UP_SHAPE: Final = 0.7
AWAY_SHAPE: Final = 0.5


class Presence(Protocol):
    """When a node is on line. A world begins at 0."""

    @property
    def speed(self) -> float:
        """How much work it does in a second, compared with what lengths are stated for."""

    def past(self, times: int, rng: Random) -> OnlineLog:
        """Return its last stays before the beginning, so many of them."""

    def comes_first_s(self) -> float:
        """Return when it is on line for the first time."""

    def stays_s(self, now: float, rng: Random) -> float:
        """Return for how long it stays, having come now."""

    def is_away_s(self, now: float, rng: Random) -> float:
        """Return for how long it is away, having gone now."""


class Churn(NamedTuple):
    """A kind of node, by how it comes and goes: each time is drawn, and all begin on line."""

    up: Lifetime
    away: Lifetime
    #: How much work it does in a second, compared with what lengths are stated for.
    speed: float = 1.0

    def past(self, times: int, rng: Random) -> OnlineLog:
        return drawn_past(self, times, rng)

    def comes_first_s(self) -> float:
        return 0.0

    def stays_s(self, now: float, rng: Random) -> float:  # noqa: ARG002 - the hour does not matter
        return draw(self.up, rng)

    def is_away_s(self, now: float, rng: Random) -> float:  # noqa: ARG002 - as above
        return draw(self.away, rng)


class Model(Enum):
    EXPONENTIAL = "exponential"
    WEIBULL = "weibull"


def stable(model: Model) -> Churn:
    return _churn(model, STABLE_UP_S, STABLE_AWAY_S)


def unstable(model: Model) -> Churn:
    return _churn(model, UNSTABLE_UP_S, UNSTABLE_AWAY_S)


def of_mean(mean_s: float, shape: float) -> Weibull:
    """Return the Weibull distribution of this mean (HTC 4.13)."""
    return Weibull(mean_s / math.gamma(1 + 1 / shape), shape)


def draw(lifetime: Lifetime, rng: Random) -> float:
    if isinstance(lifetime, Exponential):
        return rng.expovariate(lifetime.rate)
    return rng.weibullvariate(lifetime.scale_s, lifetime.shape)


def drawn_past(presence: Presence, times: int, rng: Random) -> OnlineLog:
    """Return stays before 0 of a node whose times do not depend on the hour, which has come back at 0."""
    now, stretches = 0.0, []
    for _ in range(times):
        away_s, up_s = presence.is_away_s(now, rng), presence.stays_s(now, rng)
        now -= away_s
        stretches.append(Stretch(now - up_s, now))
        now -= up_s
    return OnlineLog(tuple(reversed(stretches)))


def _churn(model: Model, up_s: float, away_s: float) -> Churn:
    if model is Model.EXPONENTIAL:
        return Churn(Exponential(1 / up_s), Exponential(1 / away_s))
    return Churn(of_mean(up_s, UP_SHAPE), of_mean(away_s, AWAY_SHAPE))
