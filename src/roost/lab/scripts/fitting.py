"""What a job costs to start, and what a turn costs: t = start + n * turn, fitted to what was measured.

Every sample size counts alike: what is made small is the relative error. Neither cost can be negative.
"""

from collections.abc import Sequence

import msgspec
import numpy as np
from scipy.optimize import nnls

from roost.model.errors import InvalidInput


class Fit(msgspec.Struct, frozen=True):
    start_s: float
    turn_s: float
    #: How far it is off: the root of the mean of the squares of relative errors.
    error: float

    def flops(self, operations: int) -> float | None:
        """How many operations a second would be attained if the start cost nothing; None if the start hides it."""
        return operations / self.turn_s if self.turn_s else None

    def size(self, share: float) -> float | None:
        """From which sample size on the start costs less than this share of a job; None if the start hides it."""
        return self.start_s * (1 - share) / (share * self.turn_s) if self.turn_s else None

    def job_s(self, share: float) -> float:
        """How long a job of that size takes."""
        return self.start_s / share


def fit(sizes: Sequence[float], seconds: Sequence[float]) -> Fit:
    """Fit what two sample sizes or more took. Raise InvalidInput if they are fewer."""
    if len(set(sizes)) < 2:
        raise InvalidInput("a start and a turn cannot be told apart by fewer than two sample sizes")
    n, t = np.asarray(sizes, dtype=float), np.asarray(seconds, dtype=float)
    # A turn is a billion times shorter than a start: both are brought to the size of one.
    scale = n.max()
    found, residue = nnls(np.column_stack((1 / t, n / scale / t)), np.ones_like(t))
    return Fit(float(found[0]), float(found[1] / scale), float(residue / np.sqrt(len(t))))


def of_rates(sizes: Sequence[float], mflops: Sequence[float], operations: int) -> Fit:
    """Fit rates that were attained, each with the start in it."""
    return fit(sizes, [n * operations / (rate * 1e6) for n, rate in zip(sizes, mflops, strict=True)])
