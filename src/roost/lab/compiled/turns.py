"""Whose turn it is: the node that acts first, kept as a tournament, so that a change costs as many steps as doublings.

Of nodes that act at the same instant those that look at the queue come last, and lower numbers first.
"""

from roost.lab.compiled.compiling import compiled
from roost.lab.compiled.state import State


@compiled
def _goes_first(s: State, one: int, other: int) -> bool:
    if other < 0:
        return True
    if one < 0:
        return False
    first, second = s.nodes[one], s.nodes[other]
    if first.next_at != second.next_at:
        return first.next_at < second.next_at
    if first.looks != second.looks:
        return first.looks < second.looks
    return one < other


@compiled
def enters(s: State, node: int) -> None:
    s.tree[len(s.tree) // 2 + node] = node


@compiled
def _rises(s: State, node: int) -> None:
    at = (len(s.tree) // 2 + node) // 2
    while at > 0:
        one, other = s.tree[2 * at], s.tree[2 * at + 1]
        s.tree[at] = one if _goes_first(s, one, other) else other
        at //= 2


@compiled
def plan(s: State, number: int, at: float, looks: int) -> None:
    """Say when a node acts next, and whether it looks at the queue then; its life may change before."""
    node = s.nodes[number]
    node.acts_at = at
    if at < node.changes_at:
        node.next_at, node.looks = at, looks
    else:
        node.next_at, node.looks = node.changes_at, 0
    _rises(s, number)
