"""With whom a node compares itself: its group of neighbours (FAIR 3.2).

All nodes stand on a ring in the order of their names, and a node's group of n is itself, those before it and those
behind it. The groups overlap, so that what one group evens out reaches all others in time.
"""

from bisect import bisect_left
from collections.abc import Sequence

from roost.model.ids import NodeId


def group_of(node: NodeId, others: Sequence[NodeId], size: int) -> tuple[NodeId, ...]:
    """Return the rest of the group of a node: of the others, which are sorted, the floor((n-1)/2) that precede it and
    the ceil((n-1)/2) that follow it; all of them if there are no more."""
    if len(others) < size:
        return tuple(others)
    before, behind = (size - 1) // 2, size // 2
    at = bisect_left(others, node)
    return tuple(sorted(others[(at + step) % len(others)] for step in range(-before, behind)))
