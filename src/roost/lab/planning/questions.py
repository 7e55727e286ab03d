"""What the models are asked in HTC 3.4.3 and 3.4.4: how much churn is borne, and how often to repair."""

from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple

from roost.lab.availability.consistency import Consistency
from roost.lab.availability.lost_disks import Fate
from roost.lab.availability.precision import ONE, precisely
from roost.lab.availability.transient import Transient, unavailability
from roost.lab.planning.group import Failures, outlook

#: Beyond these no node is: it is there for as many times as long as it is away.
RATIO_MIN, RATIO_MAX = Decimal("1e-12"), Decimal("1e30")
_HALVINGS = 120


class Borne(NamedTuple):
    """How much churn a group bears."""

    replicas: int
    level: str
    #: How many times longer than away nodes have to be there on average; None: it is never enough.
    ratio: Decimal | None


def lacking_at(ratio: Decimal, replicas: int, level: str) -> Decimal:
    """Return the unavailability if nodes are there so many times longer than away (figure 3.15)."""
    return unavailability(Transient(ratio, ONE), replicas, Consistency(level, level))


@precisely
def churn_borne(lacking: Decimal, replicas: int, level: str) -> Borne:
    """Return the ratio from which on no more than this is lacking."""
    low, high = RATIO_MIN, RATIO_MAX
    if lacking_at(high, replicas, level) > lacking:
        return Borne(replicas, level, None)
    for _ in range(_HALVINGS):
        middle = (low * high).sqrt()
        low, high = (low, middle) if lacking_at(middle, replicas, level) <= lacking else (middle, high)
    return Borne(replicas, level, high)


def repaired(failures: Failures, replicas: int, consistency: Consistency, thetas: Sequence[Decimal]) -> list[Fate]:
    """Return what becomes of a group for each chance that anti-entropy repair is run after a node is back."""
    return [
        outlook(failures._replace(upkeep=failures.upkeep._replace(theta=theta)), replicas, consistency)
        for theta in thetas
    ]
