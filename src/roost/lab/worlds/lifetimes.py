"""How long the nodes of an experiment stay on line and away, drawn by chance: HTC 4.4.1 and 4.6.

Stable nodes stay for 1e6 s on average and are away for 1e4 s; unstable ones stay for 1e4 s and are away for 1e3 s. In
one model both are exponential; in the other they are Weibull with the same means, of shape 0.7 on line and 0.5 away, as
measured in real systems.
"""

import math
from enum import Enum
from random import Random
from typing import Final, NamedTuple

from roost.policy.reliability import Exponential, Lifetime, Weibull

STABLE_UP_S: Final = 1e6
STABLE_AWAY_S: Final = 1e4
UNSTABLE_UP_S: Final = 1e4
UNSTABLE_AWAY_S: Final = 1e3
#: The shapes of HTC 4.6.
UP_SHAPE: Final = 0.7
AWAY_SHAPE: Final = 0.5


class Churn(NamedTuple):
    """A kind of node, by how it comes and goes."""

    up: Lifetime
    away: Lifetime
    #: How much work it does in a second, compared with what lengths are stated for.
    speed: float = 1.0


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


def _churn(model: Model, up_s: float, away_s: float) -> Churn:
    if model is Model.EXPONENTIAL:
        return Churn(Exponential(1 / up_s), Exponential(1 / away_s))
    return Churn(of_mean(up_s, UP_SHAPE), of_mean(away_s, AWAY_SHAPE))
