"""Hybrid logical clock: stamps that follow cause and effect and stay near the wall clock, though no clock is trusted.

A stamp is larger than every stamp that its maker had made or seen, but for those that lead absurdly
(core/clock_bounds.py). Wall clocks may be off, drift or step back: the stamp then counts on from the largest that was
seen. The order of stamps is total, because the node's name breaks ties.
"""

import math

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
    # Asked for many times after every event: a generator in ``min`` takes four times as long.
    first = None
    for time in times:
        if time is not None and (first is None or time < first):
            first = time
    return first


def zero(node: NodeId) -> Stamp:
    return Stamp(0, 0, node)


def tick(last: Stamp, wall_s: float, latest_s: float = math.inf) -> Stamp:
    """Return the stamp of an event of the node that made ``last``, at its own wall time.

    A last stamp after ``latest_s`` came of a clock that was wrong: the stamp then begins anew with the wall time.
    """
    wall_ms = int(wall_s * 1000)
    if wall_ms > last.wall_ms or last.wall_ms > latest_s * 1000:
        return Stamp(wall_ms, 0, last.node)
    return Stamp(last.wall_ms, last.count + 1, last.node)


def observe(last: Stamp, seen: Stamp, latest_s: float = math.inf) -> Stamp:
    """Return what ``last`` becomes once ``seen`` has arrived; the next tick is larger than both.

    What was seen after ``latest_s`` is not followed.
    """
    if (seen.wall_ms, seen.count) <= (last.wall_ms, last.count) or seen.wall_ms > latest_s * 1000:
        return last
    return Stamp(seen.wall_ms, seen.count, last.node)


def after(stamp: Stamp, known: Stamp) -> Stamp:
    """Return ``stamp``, or if a clock that was wrong has made a larger one known, the next after that."""
    return stamp if stamp > known else Stamp(known.wall_ms, known.count + 1, stamp.node)
