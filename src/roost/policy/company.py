"""Company: how long the nodes of a mesh stay, and how fast they are, all together.

Who weighs what a node is good for needs something to compare it with. The typical node dies at the average rate of all,
and is as fast as they are on average. Who tells nothing of itself counts as one that stays, and whose speed is usual.
Nodes with the same type of processor are about as fast (LAN ch. 6): who has seen little yet goes by what they tell.
"""

import math
from collections.abc import Iterable
from functools import lru_cache
from typing import Final, NamedTuple

from roost.model.attributes import PROCESSOR, Attributes
from roost.model.hashing import digest_of
from roost.policy.expected_length import NOTHING_SEEN, Logs
from roost.policy.reliability import BOOTSTRAP_RATE, UNKNOWN, Exponential, Lifetime


class Ability(NamedTuple):
    """What a node tells of itself, by which nodes are compared."""

    lifetime: Lifetime
    #: How much work it does in a second, compared with what lengths are stated for; 1 if it does not know.
    speed: float = 1.0
    #: The type of its processors; 0 if it has not said so.
    processor: int = 0


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
    for lifetime, speed, _ in abilities:
        rate = 1 / lifetime.mean_s
        highest_rate = max(highest_rate, rate)
        speeds.append(speed)
        total_rate += rate
        total_speed += speed
        count += 1
    return Company(Exponential(total_rate / count), 1 / highest_rate, min(speeds), total_speed / count, max(speeds))


def processor_type(attributes: Attributes) -> int:
    """Return a number for the model of a node's processors, the same on all nodes; 0 if it is not known."""
    model = attributes.get(PROCESSOR)
    return _number_of(model) if isinstance(model, str) else 0


@lru_cache(maxsize=16)
def _number_of(model: str) -> int:
    return int.from_bytes(digest_of(model.encode())[:4], "big") or 1


def ratios_of(processor: int, abilities: Iterable[Ability]) -> Logs:
    """Return by how much work took longer than was stated on nodes with this type of processor, one number for each."""
    ratios = NOTHING_SEEN
    for ability in abilities:
        # Who has seen nothing says that its speed is 1.
        if ability.processor == processor and ability.speed != 1.0:
            ratios = ratios.plus(-math.log(ability.speed))
    return ratios
