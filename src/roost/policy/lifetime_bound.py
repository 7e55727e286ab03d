"""How long a node stays at the least, nearly surely: the binomial method (HTC 4.3.1, equation 4.10).

Of n past lifetimes, in their order, about q * n are shorter than the quantile X_q of their distribution. How many those
are is binomial. So the largest k is sought for which it is still unlikely, with at most 1 - C, that only k or fewer are
shorter: then the one behind those k is a lower bound of X_q, with confidence C. No kind of distribution is assumed.

With few lifetimes there is no such k: for C = 0.98 and q = 0.05 at least 77 are needed. Then nothing is known.
"""

from collections.abc import Sequence
from typing import Final

#: What WQR-FA takes (HTC 4.3.1).
CONFIDENCE: Final = 0.98
QUANTILE: Final = 0.05


def lifetime_bound(lifetimes: Sequence[float], confidence: float = CONFIDENCE, quantile: float = QUANTILE) -> float:
    """Return a lower bound, with this confidence, of the quantile of lifetimes; 0 if there are too few to tell."""
    n, bound = len(lifetimes), 0.0
    # The chance that none, and then that k or fewer, are shorter than the quantile.
    term = (1 - quantile) ** n
    sum_of_terms = 0.0
    for k, lifetime in enumerate(sorted(lifetimes)):
        sum_of_terms += term
        if sum_of_terms > 1 - confidence:
            break
        bound = lifetime
        term *= (n - k) / (k + 1) * quantile / (1 - quantile)
    return bound
