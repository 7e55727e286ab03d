"""How long a node stays on line: a model of its lifetime, from the log of when it was there (HTC 4.1 to 4.3, 4.6).

How it is estimated
- By maximum likelihood, with right censoring: the stretch that still lasts counts with its time and not as an end. A
  plain mean of the stretches that ended leaves out just the long ones, and comes out too short.
- Whatever ends a stretch takes the work away, so a node that its owner stops, one that falls asleep and one that dies
  count alike.
- The exponential needs only how many ends there were and how long it all took, so it also counts what the log has
  summed up. The Weibull needs each stretch by itself, and counts those that the log still has.
- The Weibull is taken if it explains the same stretches so much better that its second parameter is worth it (Akaike).
  Its rate of failure may fall with age (shape below 1), as in what Javadi measured (HTC 4.6), or rise (above 1).
- With too few ends nothing is known, and the node is taken to be very stable, as HTC 4.4.1 begins.
"""

import math
from collections.abc import Sequence
from typing import Final, NamedTuple, TypeAlias

import msgspec

from roost.model.online import OnlineLog

#: What is assumed of a node of which too little is known, in failures per second (HTC 4.4.1).
BOOTSTRAP_RATE: Final = 1e-8
#: So many ends tell something. HTC begins with the first; but only from the third on an estimated rate scatters within
#: bounds (the inverse of a gamma of shape n has a variance for n > 2), and one restart after installing says nothing.
KNOWN_ENDS_MIN: Final = 3
#: So many single ends tell a shape. Its standard error is 0.78 / sqrt(n): with fewer it cannot be told from 1.
SHAPE_ENDS_MIN: Final = 10
#: Shapes beyond these are taken for these: equal stretches have no likeliest shape, and nobody leaves so punctually.
SHAPE_MIN: Final = 0.1
SHAPE_MAX: Final = 10.0
#: A stretch counts at least so long. A crash loses its last minute from the log, so a shorter one is not measured, and
#: the logarithm of nothing would outweigh all others.
LENGTH_MIN_S: Final = 1.0
#: The score of an element that is exactly as long as the node is expected to stay (HTC 4.2.2, footnote).
MAX_SCORE: Final = 3.40282347e38
#: Newton's steps double the digits; what needs more than this has only halved its bounds, and is exact enough.
_STEPS_MAX: Final = 60
_EXACT: Final = 1e-7
#: The exponent beyond which a float has no room.
_EXPONENT_MAX: Final = 709.0


class Exponential(msgspec.Struct, frozen=True, tag_field="model", tag="exponential"):
    #: Failures per second.
    rate: float

    @property
    def mean_s(self) -> float:
        """How long it lasts on average (4.7)."""
        return 1 / self.rate if self.rate else math.inf

    def survival(self, length_s: float, age_s: float) -> float:  # noqa: ARG002 - one signature for all models
        """Return the chance to last for another ``length_s``; how old it is does not matter (4.2, 4.3)."""
        return math.exp(-self.rate * max(length_s, 0.0))

    def deaths(self, length_s: float, age_s: float) -> float:  # noqa: ARG002 - as above
        """Return how often it dies on average in another ``length_s``, were it to live on after each."""
        return self.rate * max(length_s, 0.0)


class Weibull(msgspec.Struct, frozen=True, tag_field="model", tag="weibull"):
    scale_s: float
    shape: float

    @property
    def mean_s(self) -> float:
        """How long it lasts on average (4.12): 1e6 s for HTC's stable nodes, of scale 789999.5 s and shape 0.7."""
        return _exp(math.log(self.scale_s) + math.lgamma(1 + 1 / self.shape))

    def survival(self, length_s: float, age_s: float) -> float:
        """Return the chance to last for another ``length_s`` at this age (4.1)."""
        return min(1.0, math.exp(-self.deaths(length_s, age_s)))

    def deaths(self, length_s: float, age_s: float) -> float:
        """Return how often it dies on average in another ``length_s``, were it to live on after each."""
        if length_s <= 0:
            return 0.0
        if age_s < length_s:
            after = self._hazard(age_s + length_s)
            return after - self._hazard(age_s) if after < math.inf else math.inf
        # The difference of two large and nearly equal numbers would have no digits left.
        return self._hazard(age_s) * math.expm1(min(self.shape * math.log1p(length_s / age_s), _EXPONENT_MAX))

    def _hazard(self, age_s: float) -> float:
        """Return the cumulated rate of failure until this age."""
        return _exp(self.shape * (math.log(age_s) - math.log(self.scale_s))) if age_s > 0 else 0.0


Lifetime: TypeAlias = Exponential | Weibull

UNKNOWN: Final = Exponential(BOOTSTRAP_RATE)


class Reliability(msgspec.Struct, frozen=True):
    """What is known of how long a node stays."""

    lifetime: Lifetime
    #: How often it was on line, this time among them.
    periods: int
    #: False: too little history, and the lifetime is the one that is assumed at first.
    is_known: bool


def reliability_of(log: OnlineLog, online_since: float, now: float) -> Reliability:
    """Return what is known of a node that was on line before as ``log`` says, and is again since ``online_since``."""
    age_s = max(now - online_since, 0.0)
    periods = log.times + (age_s > 0)
    if log.times < KNOWN_ENDS_MIN:
        return Reliability(UNKNOWN, periods, is_known=False)
    ends = [max(stretch.length_s, LENGTH_MIN_S) for stretch in log.stretches]
    weibull = _better_weibull(ends, age_s) if len(ends) >= SHAPE_ENDS_MIN else None
    if weibull is not None:
        return Reliability(weibull, periods, is_known=True)
    older_s = max(log.older_s, log.older * LENGTH_MIN_S)
    return Reliability(Exponential(log.times / (sum(ends) + older_s + age_s)), periods, is_known=True)


def published_reliability(log: OnlineLog) -> Reliability:
    """Return what HTC 4.4.1 takes of a node: always exponential, by the plain mean of the stretches that ended (4.4).

    So it is reckoned from the first end on, and without the time that it is on line now. Experiments go by it.
    """
    total_s = log.older_s
    for stretch in log.stretches:
        total_s += stretch.length_s
    if not total_s:
        return Reliability(UNKNOWN, log.times + 1, is_known=False)
    return Reliability(Exponential(log.times / total_s), log.times + 1, is_known=True)


def survival_score(lifetime: Lifetime, length_s: float, age_s: float) -> float:
    """Return f1: the chance that a node stays for as long as an element takes (HTC 4.2.1)."""
    return lifetime.survival(length_s, age_s)


def fitness_score(lifetime: Lifetime, length_s: float, age_s: float) -> float:
    """Return f2: f1 by how far the element's length is from the node's expected lifetime (HTC 4.2.2)."""
    gap = abs(length_s / lifetime.mean_s - 1)
    return min(survival_score(lifetime, length_s, age_s) / gap, MAX_SCORE) if gap else MAX_SCORE


# The fit. Lengths are in units of the longest, so that no power of them can grow out of bounds.


class _Sums(NamedTuple):
    """Over all lengths x, ended or not: the sums of x^k, of x^k ln x and of x^k (ln x)^2."""

    zero: float
    one: float
    two: float


def _better_weibull(ends: Sequence[float], age_s: float) -> Weibull | None:
    """Return the likeliest Weibull, if it explains what was seen better than the likeliest exponential, by Akaike."""
    longest = max(*ends, age_s)
    log_longest = math.log(longest)
    logs = [math.log(length) - log_longest for length in ends]
    mean_log = sum(logs) / len(logs)
    everything = [*logs, math.log(age_s) - log_longest] if age_s > 0 else logs
    shape = _likeliest_shape(everything, mean_log)
    # The likeliest scale for a shape: its power is the mean of the powers, all lengths over the ends only.
    log_scale = math.log(_sums(everything, shape).zero / len(logs)) / shape
    total = _sums(everything, 1.0).zero
    of_weibull = math.log(shape) - shape * log_scale + (shape - 1) * mean_log
    of_exponential = -math.log(total / len(logs))
    # Both have a further -1 for each end. Akaike: one parameter more is worth 1 of the log-likelihood.
    if len(logs) * (of_weibull - of_exponential) <= 1:
        return None
    return Weibull(longest * math.exp(log_scale), shape)


def _likeliest_shape(everything: Sequence[float], mean_log: float) -> float:
    """Solve the profile equation by Newton's steps within bounds that close in.

    S1(k) / S0(k) - 1 / k = the mean logarithm of the ends. The left side only rises with k, so there is one solution.
    """
    low, high, shape = SHAPE_MIN, SHAPE_MAX, 1.0
    for _ in range(_STEPS_MAX):
        zero, one, two = _sums(everything, shape)
        mean = one / zero
        off = mean - 1 / shape - mean_log
        low, high = (low, shape) if off > 0 else (shape, high)
        step = off / (two / zero - mean * mean + 1 / (shape * shape))
        following = shape - step
        if not low < following < high:
            following = math.sqrt(low * high)
        if abs(following - shape) <= _EXACT * shape:
            return following
        shape = following
    return shape


def _sums(logs: Sequence[float], shape: float) -> _Sums:
    zero = one = two = 0.0
    exp = math.exp
    for log in logs:
        power = exp(shape * log)
        zero += power
        power *= log
        one += power
        two += power * log
    return _Sums(zero, one, two)


def _exp(exponent: float) -> float:
    return math.exp(exponent) if exponent < _EXPONENT_MAX else math.inf
