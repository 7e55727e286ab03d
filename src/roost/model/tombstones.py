"""Tombstones: a run was forgotten. What is left of it is this, so that nobody brings it back.

A run whose record is hidden by a tombstone is one more state of a lattice, in which whatever sets a run to work again
counts. Each such act of a person (a retry, work that is sent back, a run that builds on it) leaves its stamp in the
run's record, the latest of each node (``touched``). A tombstone names the acts that were known when the run was
forgotten. It hides the run where no other act is known, and nowhere else: what somebody has set to work behind a
partition, and nobody who forgot the run had heard of, is not lost. Both parts only grow, so all nodes come to the same.
"""

from collections.abc import Iterable
from typing import TypeAlias

import msgspec

from roost.model.clock import Stamp
from roost.model.ids import NodeId, RunId

#: The latest act of each node, in the order of their names.
Touches: TypeAlias = tuple[Stamp, ...]


class Tombstone(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """A run was forgotten, with all that these acts had made of it."""

    run: RunId
    at: Stamp
    covers: Touches = ()

    def hides(self, touched: Touches) -> bool:
        """Whether nothing has set the run to work that whoever forgot it did not know."""
        known = {stamp.node: stamp for stamp in self.covers}
        return all(stamp.node in known and stamp <= known[stamp.node] for stamp in touched)

    def merge(self, other: "Tombstone") -> "Tombstone":
        return Tombstone(self.run, max(self.at, other.at), latest((*self.covers, *other.covers)))


def latest(stamps: Iterable[Stamp]) -> Touches:
    """Return the latest of these of each node."""
    found: dict[NodeId, Stamp] = {}
    for stamp in stamps:
        found[stamp.node] = max(found.get(stamp.node, stamp), stamp)
    return tuple(found[node] for node in sorted(found))
