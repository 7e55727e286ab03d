"""Averages over worlds, with what is known of their error; and how far single worlds are from them."""

from collections.abc import Sequence
from statistics import fmean, stdev
from typing import Final, NamedTuple

from scipy.special import stdtrit

_BOTH_SIDES: Final = 0.975


class Average(NamedTuple):
    mean: float
    #: Half of the interval of 95 % around the mean, by Student's t; 0 of one world, or of worlds that are all alike.
    error: float
    #: Half of the interval in which a single further world is with 95 %.
    reach: float


def average(values: Sequence[float]) -> Average:
    count, mean = len(values), fmean(values)
    if min(values) == max(values):
        return Average(values[0], 0.0, 0.0)
    deviation = stdev(values, mean)
    times = float(stdtrit(count - 1, _BOTH_SIDES))
    return Average(mean, times * deviation / count**0.5, times * deviation * (1 + 1 / count) ** 0.5)
