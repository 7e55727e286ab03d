"""Outcomes: what becomes of elements that an executor has answered for.

Rules
- A result goes to this disk first, and is accepted as the medium decides: alone at once, in company when another node
  keeps it (data/write_acknowledgement.py). One of a task with a quorum is accepted when most voters hold it
  (quorum.py).
- A failure is noted here and told to all. That of a further attempt is told in the story alone.
- What is given back is ready again, for want of room after a pause (queue/disk_pressure.py). So is a result of
  something that its lease has left to another node meanwhile: it may have been made twice, and the other's token is the
  one that counts.
"""

import msgspec

from roost.core.data.inventory import Inventory
from roost.core.events import ElementFailed, ElementsDone
from roost.core.executor_reports import is_duration
from roost.core.facts import Fact, FailureNoted, KeysNoted, ResultsStored, StatesMerged, Worked
from roost.core.medium.port import Medium
from roost.core.origin import GIVEN_BACK
from roost.core.queue.applying import Applying
from roost.core.queue.disk_pressure import DiskPressure
from roost.core.queue.leases import Lease, Leases
from roost.core.queue.readiness import Readiness
from roost.core.queue.replica import TaskEntry
from roost.core.queue.scheduler import Scheduler
from roost.core.tickets import Note, Outcome, Proposed, ResultOffer
from roost.core.turn import Turn
from roost.model.happenings import AttemptFailedOn, DoneOn, FailedOn, GivenBackBy, TakenOver
from roost.model.ids import NodeId, TaskId
from roost.model.ranges import EMPTY, RangeSet
from roost.model.token import Token


class Outcomes:
    def __init__(
        self,
        turn: Turn,
        medium: Medium,
        leases: Leases,
        scheduler: Scheduler,
        readiness: Readiness,
        disk_pressure: DiskPressure,
        applying: Applying,
        inventory: Inventory,
    ) -> None:
        self._turn = turn
        self._medium = medium
        self._leases = leases
        self._scheduler = scheduler
        self._lanes = scheduler.lanes
        self._readiness = readiness
        self._disk_pressure = disk_pressure
        self._applying = applying
        self._inventory = inventory

    def done(self, lease: Lease, entry: TaskEntry, event: ElementsDone) -> RangeSet:
        ranges = _made(event)
        too_late = ranges & lease.left
        if too_late:
            self.returned(lease, entry, too_late)
            event = _without(event, too_late)
        if event.segments:
            self._keep(lease, event)
        return ranges

    def _keep(self, lease: Lease, event: ElementsDone) -> None:
        task, ranges = lease.spec.id, _made(event)
        delta = self._leases.done(lease, ranges, dict(event.lengths), reused=event.reused_from is not None)
        for other in self._disk_pressure.found_room(task, ranges, self._turn.now, self._readiness.has_ready):
            self._turn.touch(other)
        if is_duration(event.busy_s):
            self._scheduler.learn(lease.spec, len(ranges), event.busy_s)
        self._inventory.add_results(task, lease.token, self._turn.name, ranges)
        told = self._turn.story(task, ranges, _how_done(event, self._turn.name), f"lease {lease.name}")
        span = self._lanes.span(lease, self._turn.name, ranges, event.busy_s, self._turn.now)
        # What was taken over is no work of a lane.
        worked = (span,) if event.reused_from is None else ()
        facts = (told, *_results_and_keys(event, task, lease.token, self._turn.name), *map(Worked, worked))
        made = tuple((task, lease.token, self._turn.name, segment) for segment in event.segments)
        if lease.spec.voters:
            self._turn.persist(Proposed(task, delta, made, worked), *facts)
        else:
            self._medium.accept(ResultOffer(task, delta, made, worked), facts)

    def failed(self, lease: Lease, entry: TaskEntry, event: ElementFailed) -> RangeSet:
        task, one = lease.spec.id, RangeSet.span(event.index, event.index + 1)
        delta = self._leases.failed(lease, entry, event.index, event.failure)
        failed_on = AttemptFailedOn if lease.further else FailedOn
        told = self._turn.story(task, one, failed_on(self._turn.name, event.failure.reason), f"lease {lease.name}")
        took_s = event.failure.duration_s or 0.0
        worked = Worked(self._lanes.span(lease, self._turn.name, one, took_s, self._turn.now, failed=1))
        if lease.further:
            self._turn.persist(Note((task,)), told, worked)
        else:
            noted = FailureNoted(task, event.index, lease.token, event.failure)
            self._turn.persist(Outcome(task, delta, noted), StatesMerged(task, delta), noted, told, worked)
        return one

    def returned(self, lease: Lease, entry: TaskEntry, ranges: RangeSet, no_room: str = "") -> RangeSet:
        task = lease.spec.id
        if no_room:
            self._disk_pressure.met(task, ranges, no_room, self._turn.now)
        delta = self._leases.returned(lease, entry, ranges)
        if delta:
            what = GivenBackBy(self._turn.name, no_room)
            told = self._turn.story(task, delta.known(), what, f"lease {lease.name}")
            self._turn.persist(Note((task,)), StatesMerged(task, delta), told)
            self._applying.apply(task, delta, GIVEN_BACK)
        return ranges


def _made(event: ElementsDone) -> RangeSet:
    ranges = EMPTY
    for segment in event.segments:
        ranges |= segment.ranges
    return ranges


def _without(event: ElementsDone, ranges: RangeSet) -> ElementsDone:
    segments, keys = (
        tuple(part.cut(start, stop) for part in parts for start, stop in (part.ranges - ranges).spans())
        for parts in (event.segments, event.keys)
    )
    return msgspec.structs.replace(event, segments=segments, keys=keys)


def _results_and_keys(event: ElementsDone, task: TaskId, token: Token, node: NodeId) -> list[Fact]:
    """Return the results, and by which keys they can be found again."""
    facts: list[Fact] = [ResultsStored(task, token, node, segment) for segment in event.segments]
    facts += [KeysNoted(task, token, node, segment) for segment in event.keys]
    return facts


def _how_done(event: ElementsDone, node: NodeId) -> DoneOn | TakenOver:
    return DoneOn(node) if event.reused_from is None else TakenOver(node, event.reused_from)
