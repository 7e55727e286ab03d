"""The performance of a node: one number that says how much of its machine there is to give, f(T) of FAIR 3.2.

FAIR leaves open how remaining capacity, utilisation and link are put together. Here they are multiplied,

    f = remaining * (1 - utilisation) * link,

so that a machine has nothing to give when its battery is empty, or it has no time, or nobody can reach it.

Rules
- Utilisation is three shares of a machine: what others than Roost use now, what Roost's lanes take now, and what they
  have taken over a long time. They are put together likewise: what each leaves free is a share of what is left.
- What others use and the link waver all the time, and count in steps of a tenth: else noise would outweigh the work
  that a node has done.
- Numbers travel, and nodes compare them. So a performance is a whole number of millionths, which only its own node
  works out: nodes that know the same numbers compare them alike.
"""

from typing import Final

from roost.model.limits import PERFORMANCE_MAX
from roost.model.vitals import Vitals

#: The steps in which wavering shares count. More: smaller differences are seen. Fewer: they decide less by chance.
STEPS: Final = 10


def performance(vitals: Vitals, lanes: float, worked: float) -> int:
    """Return a node's performance: ``lanes`` is the share that its lanes take now, ``worked`` that over a long time."""
    free = (1.0 - _in_steps(vitals.utilisation)) * (1.0 - _share(lanes)) * (1.0 - _share(worked))
    return round(PERFORMANCE_MAX * _share(vitals.remaining) * free * _in_steps(vitals.link))


def in_words(value: float, *others: float) -> str:
    """Return a performance as people are told it, with as many digits as tell it from these others."""
    for digits in range(2, 6):
        told = f"{value / PERFORMANCE_MAX:.{digits}f}"
        if all(told != f"{other / PERFORMANCE_MAX:.{digits}f}" or other == value for other in others):
            return told
    return f"{value / PERFORMANCE_MAX:.6f}"


def _in_steps(value: float) -> float:
    return round(STEPS * _share(value)) / STEPS


def _share(value: float) -> float:
    """Return a number between 0 and 1; what is none of either, as nothing."""
    return min(value, 1.0) if value > 0.0 else 0.0
