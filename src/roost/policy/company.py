"""Company: how long the nodes of a mesh stay, and how fast they are, all together.

Who weighs what a node is good for needs something to compare it with. The typical node dies at the average rate of all,
and is as fast as they are on average. Who tells nothing of itself counts as one that stays, and whose speed is usual.
"""

from collections.abc import Iterable
from typing import Final, NamedTuple

from roost.policy.reliability import BOOTSTRAP_RATE, UNKNOWN, Exponential, Lifetime


class Ability(NamedTuple):
    """What a node tells of itself, by which nodes are compared."""

    lifetime: Lifetime
    #: How much work it does in a second, compared with what lengths are stated for; 1 if it does not know.
    speed: float = 1.0


#: What is assumed of a node that tells nothing of itself.
SILENT: Final = Ability(UNKNOWN)


class Company(NamedTuple):
    #: How long a node stays that is as the nodes are on average.
    typical: Exponential
    #: How long the one stays on average that leaves soonest.
    shortest_s: float
    #: The speed of the slowest, of all on average, and of the fastest.
    slowest: float
    speed: float
    fastest: float


def company_of(abilities: Iterable[Ability], silent: int = 0) -> Company:
    """Return what these nodes are together with so many others that tell nothing; there is one at least."""
    total_rate, total_speed, count = BOOTSTRAP_RATE * silent, SILENT.speed * silent, silent
    highest_rate = BOOTSTRAP_RATE if silent else 0.0
    speeds = [SILENT.speed] if silent else []
    for lifetime, speed in abilities:
        rate = 1 / lifetime.mean_s
        highest_rate = max(highest_rate, rate)
        speeds.append(speed)
        total_rate += rate
        total_speed += speed
        count += 1
    return Company(Exponential(total_rate / count), 1 / highest_rate, min(speeds), total_speed / count, max(speeds))
