"""Leasing ahead: the next step of a chain goes to the lane in which the one before it still runs.

A chain of short functions would otherwise wait at every step for a message there and back, and for the disk.

Rules
- A task is leased ahead if it needs nothing but the result of the last lease of a lane, and both are single elements of
  the same run. It runs in that lane behind it, in the same process, which still has the result.
- The executor starts it only if what is before it was done, and gives it back otherwise. Nothing is promised of it
  before what it rests on: the journal keeps the order.
- A function that was given back although what is before it was done (its input was too large to be kept) is not leased
  ahead again.
- Tasks with keys are not: they are made of the input, which must be here for it. Nor are those with a quorum, which go
  on from what was decided.
- Only while nothing else is ready, the lane is short and this node is alone: what waits here, nobody else can do.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from roost.core.queue.lanes import Lane
from roost.core.queue.leases import Lease
from roost.core.queue.replica import TaskEntry
from roost.model.ranges import ONE, RangeSet
from roost.model.task import blobs_of

if TYPE_CHECKING:
    from roost.core.node import Node


def lease_ahead(node: "Node", grant: Callable[[TaskEntry, RangeSet, Lane], Lease]) -> None:
    """Lease to lanes of functions what follows from their last leases."""
    lanes = node.scheduler.lanes_to_chain()
    if not lanes or node.mesh.has_company:
        return
    for lane in lanes:
        last, ahead_s = next(reversed(lane.leases.values())), node.scheduler.ahead_s(lane)
        while _goes_well(node, lane, last) and (entry := _follower(node, last)) is not None:
            if not node.scheduler.is_short(lane, entry.spec, ahead_s):
                break
            lease = grant(entry, ONE, lane)
            lease.behind = last.name
            lane.leases[lease.name] = last = lease
            ahead_s += node.scheduler.mean_s(entry.spec) or 0.0


def _goes_well(node: "Node", lane: Lane, last: Lease) -> bool:
    """Whether the last lease of a lane may be expected to give its one result."""
    front = lane.front
    rests = not front.behind or front.behind in node.leases.ended_well
    return rests and last.spec.elements == ONE and last.outstanding == ONE and not last.stopping


def _follower(node: "Node", last: Lease) -> TaskEntry | None:
    entry = node.dataflow.sole_follower(last.spec.id)
    if entry is None or entry.pending != ONE:
        return None
    spec = entry.spec
    plain = spec.run == last.spec.run and not (spec.has_items or spec.is_mapped or last.spec.is_mapped)
    waits = spec.reuse.keeps or spec.voters
    if not plain or waits or node.replica.runs[spec.run].suspended or node.requests.withdrawn(spec.id):
        return None
    blobs = blobs_of(spec)
    if node.leases.never_ahead and not node.leases.never_ahead.isdisjoint(blobs):
        return None
    return entry if all(map(node.inventory.has_blob, blobs)) else None
