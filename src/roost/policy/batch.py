"""How many elements one lease takes: enough to fill a short time, so that tiny elements do not pay for a lease each."""

import math

from roost.model.limits import LEASE_ELEMENTS_MAX

#: The work that a lease should hold. Longer: fewer messages and journal entries. Shorter: less is repeated when a node
#: is lost, and lanes end closer together.
LEASE_TARGET_S = 0.4
#: How much larger than the last one a task's next lease may be, because the first elements may not be typical.
GROWTH_MAX = 8
#: Leases that may wait in one lane. More: many small tasks cost fewer writes. Fewer: less is held that others could do.
CHAIN_MAX = 64
#: The least share of the newest measurement in the running mean.
_WEIGHT_OF_NEWEST = 0.3


def lease_size(mean_s: float | None, ready: int, lanes: int, previous: int) -> int:
    """Return how many of the ``ready`` elements the next lease takes.

    ``mean_s`` is an element's mean time if known, ``lanes`` how many could share the work, ``previous`` the size of the
    task's largest lease so far (0 before the first). The last part of an array is shared out in shrinking pieces.
    """
    if mean_s is None:
        return 1
    fill = math.ceil(LEASE_TARGET_S / max(mean_s, 1e-9))
    share = math.ceil(ready / (2 * max(lanes, 1)))
    return max(1, min(fill, share, max(previous, 1) * GROWTH_MAX, LEASE_ELEMENTS_MAX))


def updated_mean(mean_s: float | None, seen: int, newest_s: float, elements: int) -> float:
    """Return the mean time of an element, given that of ``seen`` ones so far and of the newest ``elements``.

    However many there were, the newest count for something, because elements change; and if they are more than all
    before, for as much more, because few elements at a time take longer each.
    """
    if mean_s is None:
        return newest_s
    return mean_s + max(_WEIGHT_OF_NEWEST, elements / (elements + seen)) * (newest_s - mean_s)
