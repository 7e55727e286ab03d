"""Who watches whom: all nodes stand on a ring, ordered by the hash of their names, and each watches its nearest ones.

Watching is mutual, half of the neighbours on either side: so every heartbeat is echoed to its sender, and two nodes
that watch a third mostly hear each other, too, and can vouch for it. Up to nine nodes all watch each other. The hash
spreads names that were given in order (desk-1, desk-2, ...) and may share a switch or a power socket.
"""

from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import TypeVar

from roost.model.ids import NodeId
from roost.model.limits import MEMBERS_MAX

#: Whoever stands on a ring.
Placed = TypeVar("Placed")

#: How many nodes watch each. More: a death is noticed although several watchers went with it, and more can vouch for a
#: node that one of them does not hear. Fewer: less traffic, which is this many heartbeats a node and beat in any mesh.
WATCHERS = 8


@lru_cache(maxsize=2 * MEMBERS_MAX)
def place(node: NodeId) -> tuple[bytes, NodeId]:
    """Return where a node stands on the ring; rings are sorted by this."""
    return blake2b(node.encode(), digest_size=8).digest(), node


def neighbours(ring: Sequence[Placed], at: int, watchers: int = WATCHERS) -> tuple[Placed, ...]:
    """Return those whom the one at this index watches, and is watched by, in the order of the ring."""
    if len(ring) <= watchers + 1:
        return (*ring[at + 1 :], *ring[:at])
    half = watchers // 2
    steps = (*range(1, half + 1), *range(-half, 0))
    return tuple(ring[(at + step) % len(ring)] for step in steps)
