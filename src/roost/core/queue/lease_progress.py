"""How far leases have come: how long they have run, and what their elements say of themselves."""

from roost.core.queue.lanes import Lanes
from roost.core.queue.leases import Lease
from roost.core.turn import Turn
from roost.model.ids import LeaseId
from roost.model.limits import NOTE_TOLD_MAX
from roost.model.ranges import RangeSet


class LeaseProgress:
    def __init__(self, turn: Turn, lanes: Lanes) -> None:
        self._turn = turn
        self._lanes = lanes
        self._said: dict[tuple[LeaseId, int], tuple[float, str]] = {}

    def said(self, lease: Lease, index: int, fraction: float, note: str) -> None:
        """A running element says how far it is."""
        self._said[lease.name, index] = (fraction, note)

    def over(self, lease: Lease, ranges: RangeSet) -> None:
        """Elements of a lease were answered for; the next is at hand."""
        lease.at_hand_since = self._turn.now
        if self._said:
            for index in ranges:
                self._said.pop((lease.name, index), None)

    def at(self, lease: Lease, index: int) -> tuple[float | None, str]:
        """Return how far an element has come, None if it has not said so, and what else it says."""
        return self._said.get((lease.name, index), (None, ""))

    def of(self, lease: Lease) -> tuple[float, str]:
        """Return how far the element at hand has come, as it says itself, and the beginning of what else it says."""
        if not lease.outstanding:
            return 0.0, ""
        fraction, note = self.at(lease, lease.outstanding.first)
        return fraction or 0.0, note[:NOTE_TOLD_MAX]

    def running_s(self, lease: Lease) -> float | None:
        """Return how long its element at hand has run; None if it waits behind others in its lane, or is frozen."""
        lane = self._lanes.open_lanes.get(lease.lane)
        is_front = lane is not None and bool(lane.leases) and lane.front is lease and not lane.paused
        return self._turn.now - lease.at_hand_since if is_front and lease.outstanding else None
