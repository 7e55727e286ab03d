"""Which objects a simulated cluster keeps, where their copies are, and how often each is asked for (HTC 3.1 and 3.3).

Rules
- Nodes stand in a ring. An object's copies are on one node and on those that follow it; each node is the first of as
  many objects as any other.
- All objects are asked for alike, or as Zipf has it: the i-th of them with weight 1 / i^s. Which of them are asked for
  most has nothing to do with where they are.
"""

from collections.abc import Sequence
from typing import Final
from zlib import crc32

#: What has to differ for two trials to be drawn apart.
SHAPES: Final = {"exponential": (1.0, 1.0), "weibull": (0.7, 0.5)}
ACCESSES: Final = {"uniform": 0.0, "zipf": 1.0}


def copies_on(first: int, replicas: int, nodes: int) -> tuple[int, ...]:
    """Return the nodes that keep what this node is the first of."""
    return tuple((first + at) % nodes for at in range(replicas))


def shares_of(objects: int, zipf: float) -> Sequence[float]:
    """Return for each object how likely an operation is one on it; with 0 all are alike."""
    weights = [rank**-zipf for rank in range(1, objects + 1)]
    total = sum(weights)
    return [weight / total for weight in weights]


def number_of(*told: object) -> int:
    """Return a number for a generator of chance: the same in each process for the same words."""
    return crc32("/".join(map(str, told)).encode())
