"""How far a lease has come: how long it has run, and what its element says of itself."""

from typing import TYPE_CHECKING

from roost.core.queue.leases import Lease
from roost.model.limits import NOTE_TOLD_MAX

if TYPE_CHECKING:
    from roost.core.node import Node


def progress_of(node: "Node", lease: Lease) -> tuple[float, str]:
    """Return how far the element at hand has come, as it says itself, and the beginning of what else it says."""
    if not lease.outstanding:
        return 0.0, ""
    fraction, note = node.progress.get((lease.name, lease.outstanding.first), (0.0, ""))
    return fraction, note[:NOTE_TOLD_MAX]


def lease_running_s(node: "Node", lease: Lease) -> float | None:
    """Return how long a lease has run; None if it waits behind another in its lane, or is frozen."""
    lane = node.scheduler.lanes.open_lanes.get(lease.lane)
    is_front = lane is not None and bool(lane.leases) and lane.front is lease and not lane.paused
    return node.now - lease.granted_at if is_front and lease.outstanding else None
