"""Hybrid logical clock: stamps that follow cause and effect and stay near the wall clock, though no clock is trusted.

A stamp is larger than every stamp that its maker had made or seen. Wall clocks may be off, drift or step back: the
stamp then counts on from the largest that was seen. The order of stamps is total, because the node's name breaks ties.
"""

import msgspec

from roost.model.ids import NodeId


class Stamp(msgspec.Struct, frozen=True, gc=False, order=True, array_like=True):
    """A moment in the order of events. Compare stamps; do not compute durations from them."""

    wall_ms: int
    count: int
    node: NodeId

    def __str__(self) -> str:
        return f"{self.wall_ms}.{self.count}@{self.node}"


#: Before everything that ever happened.
NEVER = Stamp(0, 0, NodeId(""))


def soonest(*times: float | None) -> float | None:
    """Return the first of these deadlines; None stands for never."""
    first = None
    for time in times:
        if time is not None and (first is None or time < first):
            first = time
    return first


def zero(node: NodeId) -> Stamp:
    return Stamp(0, 0, node)


def tick(last: Stamp, wall_s: float) -> Stamp:
    """Return the stamp of an event of the node that made ``last``, at its own wall time."""
    wall_ms = int(wall_s * 1000)
    if wall_ms > last.wall_ms:
        return Stamp(wall_ms, 0, last.node)
    return Stamp(last.wall_ms, last.count + 1, last.node)


def observe(last: Stamp, seen: Stamp) -> Stamp:
    """Return what ``last`` becomes once ``seen`` has arrived; the next tick is larger than both."""
    if (seen.wall_ms, seen.count) <= (last.wall_ms, last.count):
        return last
    return Stamp(seen.wall_ms, seen.count, last.node)
