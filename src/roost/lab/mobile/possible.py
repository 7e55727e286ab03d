"""Which sums of jobs a published variance allows: whole numbers have few variances, and FAIR prints two decimals.

The variance of counts x of N workers, times the divisor, is sum x^2 - (sum x)^2 / N. So for each sum S only those
values are possible for which some whole sum of squares fits: it is as odd as S is, because x^2 is as odd as x, and
between that of an even share and S^2.
"""

import math
from collections.abc import Sequence
from typing import Final

#: Half of the last digit that is printed.
HALF: Final = 0.005
_EXACT: Final = 1e-9


def possible_sums(
    variance: float, workers: int, divisor: int, sums: Sequence[int], *, is_cut: bool = False
) -> list[int]:
    """Return with which sums of jobs this variance is possible, rounded to two decimals, or cut off behind them."""
    low, high = (variance, variance + 2 * HALF) if is_cut else (variance - HALF, variance + HALF)
    return [total for total in sums if _is_possible(low * divisor, high * divisor, workers, total)]


def _is_possible(low: float, high: float, workers: int, total: int) -> bool:
    share, more = divmod(total, workers)
    least = share * share * (workers - more) + (share + 1) ** 2 * more
    first = max(math.ceil(low + total * total / workers - _EXACT), least)
    if (first - total) % 2:
        first += 1
    return first <= min(math.floor(high + total * total / workers + _EXACT), total * total)
