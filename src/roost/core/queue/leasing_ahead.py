"""Leasing ahead: the next step of a chain goes to the lane in which the one before it still runs.

A chain of short functions would otherwise wait at every step for a message there and back, and for the disk.

Rules
- A task is leased ahead if it needs nothing but the result of the last lease of a lane, and both are single elements of
  the same run. It runs in that lane behind it, in the same process, which still has the result.
- The executor starts it only if what is before it was done, and gives it back otherwise. Nothing is promised of it
  before what it rests on: the journal keeps the order.
- A function that was given back although what is before it was done (its input was too large to be kept) is not leased
  ahead again.
- Tasks with keys are not: they are made of the input, which must be here for it. Nor are those with a quorum, or behind
  results that have to agree: they go on from what was decided.
- Only while nothing else is ready, the lane is short and the medium lets this node have what is not ready yet.
- The policy chooses whether, once for all lanes (``TakeAhead``), and not step by step: a view of every follower would
  cost a chain more than its steps take.
"""

from collections.abc import Callable
from typing import Protocol

from roost.core.queue.dataflow import Dataflow
from roost.core.queue.lanes import Lane
from roost.core.queue.leases import Lease, Leases
from roost.core.queue.readiness import Readiness
from roost.core.queue.replica import Replica, TaskEntry
from roost.core.queue.scheduler import Scheduler
from roost.model.ids import BlobHash, TaskId
from roost.model.ranges import ONE, RangeSet
from roost.model.task import blobs_of


class ClaimsAhead(Protocol):
    def claimed_ahead(self, task: TaskId) -> RangeSet: ...


class LeasingAhead:
    def __init__(
        self,
        claims: ClaimsAhead,
        replica: Replica,
        dataflow: Dataflow,
        leases: Leases,
        scheduler: Scheduler,
        readiness: Readiness,
        has_blob: Callable[[BlobHash], bool],
    ) -> None:
        """``has_blob`` says whether a function is on this disk."""
        self._claims = claims
        self._replica = replica
        self._dataflow = dataflow
        self._leases = leases
        self._scheduler = scheduler
        self._readiness = readiness
        self._has_blob = has_blob

    def lease(self, grant: Callable[[TaskEntry, RangeSet, Lane], Lease]) -> None:
        """Lease to lanes of functions what follows from their last leases."""
        for lane in self._scheduler.lanes_to_chain():
            last, ahead_s = next(reversed(lane.leases.values())), self._scheduler.ahead_s(lane)
            while self._goes_well(lane, last) and (entry := self._follower(last)) is not None:
                if not self._scheduler.is_short(lane, entry.spec, ahead_s):
                    break
                lease = grant(entry, ONE, lane)
                lease.behind = last.name
                lane.leases[lease.name] = last = lease
                ahead_s += self._scheduler.mean_s(entry.spec) or 0.0

    def _goes_well(self, lane: Lane, last: Lease) -> bool:
        """Whether the last lease of a lane may be expected to give its one result, and that it counts."""
        front = lane.front
        if last.further:
            return False
        rests = not front.behind or front.behind in self._leases.ended_well
        return rests and last.spec.elements == ONE and last.outstanding == ONE and not last.stopping

    def _follower(self, last: Lease) -> TaskEntry | None:
        entry = self._dataflow.sole_follower(last.spec.id)
        if entry is None or self._claims.claimed_ahead(entry.spec.id) != ONE:
            return None
        spec = entry.spec
        plain = spec.run == last.spec.run and not (spec.has_items or spec.is_mapped or last.spec.is_mapped)
        waits = spec.reuse.keeps or spec.voters or last.spec.agreement
        if not plain or waits or self._replica.runs[spec.run].suspended or self._readiness.withdrawn(spec.id):
            return None
        blobs = blobs_of(spec)
        if self._leases.never_ahead and not self._leases.never_ahead.isdisjoint(blobs):
            return None
        return entry if all(map(self._has_blob, blobs)) else None
