"""Preemption: interactive work does not wait behind low work that was leased and has not begun.

A lane holds about 0.4 s of short work, which it would do first.

Rules
- While interactive work is first in the queue and does not fit, as many lanes with low work as it needs give back what
  they have not begun, those with the shortest elements first. What they run ends; then the interactive work begins.
- Before them go lanes with further attempts, which end at once: others run what they are at.
- Only work goes back that comes after it in the queue: what has waited for so long that it is before it does not, nor
  does what another user has in hand who has had less (policy/shares.py).
- Among others a node makes way for what it has claimed and for what was handed in here, so that not all of them do for
  one. Not for what it has asked for and may not get: the lane would be filled again before the answer comes.
"""

from roost.core.actions import StopMode
from roost.core.queue.fair_queue import FairQueue
from roost.core.queue.lanes import Lane
from roost.core.queue.leasing import Claims
from roost.core.queue.readiness import Readiness
from roost.core.queue.scheduler import Scheduler
from roost.core.queue.stopping import Stopping
from roost.core.tickets import Tickets
from roost.model.ids import NodeId
from roost.model.ranges import RangeSet
from roost.model.task import Priority, TaskSpec


class Preemption:
    def __init__(
        self,
        name: NodeId,
        tickets: Tickets,
        scheduler: Scheduler,
        fair_queue: FairQueue,
        readiness: Readiness,
        claims: Claims,
        stopping: Stopping,
    ) -> None:
        self._name = name
        self._tickets = tickets
        self._scheduler = scheduler
        self._queue = fair_queue
        self._lanes = scheduler.lanes
        self._readiness = readiness
        self._claims = claims
        self._stopping = stopping

    def make_way(self) -> None:
        """Have lanes give back low work, if interactive work waits for them."""
        waiting = [] if self._scheduler.closed or self._tickets.trouble else self._scheduler.hurried()
        if not waiting:
            return
        lacking = -max(self._lanes.free.cpus, 0.0)
        for entry in waiting:
            lacking += entry.spec.needs.cpus * len(self._wanted(entry.spec))
        for lane in self._giving(waiting[-1].spec):
            if lacking <= 1e-9:
                return
            lacking -= lane.needs.cpus
            self._give_back(lane)

    def _wanted(self, spec: TaskSpec) -> RangeSet:
        if spec.submitted.node != self._name:
            return self._claims.claimed(spec.id)
        return self._readiness.ready_here(spec.id) - self._claims.unanswered(spec.id)

    def _giving(self, before: TaskSpec) -> list[Lane]:
        """Return the lanes that make way for a task that waits, the best first."""
        lanes = [
            (self._scheduler.mean_s(lane.front.spec), lane.name, lane)
            for lane in self._lanes.open_lanes.values()
            if not (lane.paused or lane.lent)
            and all(self._comes_after(lease.spec, before) for lease in lane.leases.values())
        ]
        further = [lane for _, _, lane in lanes if lane.front.further]
        known = [(mean_s, name, lane) for mean_s, name, lane in lanes if mean_s is not None and lane not in further]
        return [*further, *(lane for _, _, lane in sorted(known))]

    def _give_back(self, lane: Lane) -> None:
        for lease in lane.leases.values():
            unbegun = lease.outstanding - lease.stopping
            if lease is lane.front and not lease.further:
                unbegun -= lease.outstanding.take(1)
            if unbegun:
                self._stopping.stop(lease, unbegun, StopMode.KILL if lease.further else StopMode.UNSTARTED)

    def _comes_after(self, spec: TaskSpec, before: TaskSpec) -> bool:
        return spec.priority is Priority.LOW and self._queue.comes_after(spec, before)
