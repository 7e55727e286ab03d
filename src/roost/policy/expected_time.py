"""How long an element takes on a node until it is done, if what deaths of the node take with them is done again.

An element of length l on a node that dies at rate h: each death loses what was done, and it begins anew. The expected
time until it has once run through is (e^(hl) - 1) / h. With d = hl, the deaths that a node has in that time, that is

    l (e^d - 1) / d

and so it is reckoned for every kind of lifetime, at the age that the node has: as if its rate of failure over the
element were constant. It is l for a node that never dies, 1.7 l where one in e survives it (where HTC's f2 is largest),
and without bound for what hardly ever ends.
"""

import math
from typing import Final

from roost.policy.reliability import Lifetime

#: The exponent beyond which a float has no room; nothing takes longer than that.
_EXPONENT_MAX: Final = 600.0


def time_until_done(lifetime: Lifetime, length_s: float, age_s: float = 0.0) -> float:
    """Return how long an element takes on a node of this age until it has run through, with all that is lost."""
    deaths = lifetime.deaths(length_s, age_s)
    if deaths <= 0.0:
        return length_s
    deaths = min(deaths, _EXPONENT_MAX)
    return length_s * (math.expm1(deaths) / deaths)


def time_with(holder: Lifetime, left_s: float, again_s: float) -> float:
    """Return how long it takes until an element is done that runs on a node, and would be done so long after its death.

    The node is there for a part of what is left, and if it dies on the way, everything begins anew elsewhere.
    """
    deaths = holder.deaths(left_s, 0.0)
    if deaths <= 0.0:
        return left_s
    dies = -math.expm1(-deaths)
    # It runs until it ends or dies.
    return left_s * (dies / deaths) + dies * again_s
