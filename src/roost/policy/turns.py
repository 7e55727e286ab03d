"""Turns: which of the nodes that could attempt something elsewhere begin, without anybody asking anybody.

It follows from the names and the time. Each SHIFT_S others come first, for those that did may be busy, or unable to run
it. Where clocks differ, more may be at work than it takes.
"""

from bisect import bisect_left
from collections.abc import Sequence
from typing import Final

from roost.model.ids import NodeId
from roost.policy.bids import place_of
from roost.policy.choose import Underway, View

#: How long the same nodes come first. Longer: fewer begin what nobody needs. Shorter: less is waited for those that are
#: busy.
SHIFT_S: Final = 2.0


def shift_ends_at(now: float) -> float:
    return (_shift(now) + 1) * SHIFT_S


def is_turn(view: View, one: Underway, index: int, count: int, among: Sequence[NodeId] | None = None) -> bool:
    """Whether this node is among the first ``count`` for an element, of all but its holder; or of it and ``among``."""
    others = [other for other in (view.others if among is None else among) if other != one.holder]
    nodes = 1 + len(others)
    first = place_of(f"{one.task}[{index}] {_shift(view.now)}", nodes)
    return (bisect_left(others, view.node) - first) % nodes < count


def _shift(now: float) -> int:
    return int(now / SHIFT_S)
