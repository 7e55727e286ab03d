"""Outcomes: what becomes of elements that an executor has answered for.

Rules
- A result goes to this disk first, and is accepted as the medium decides: alone at once, in company when another node
  keeps it (data/write_acknowledgement.py). One of a task with a quorum is accepted when most voters hold it
  (quorum.py).
- A failure is noted here and told to all. That of a further attempt is told in the story alone. Where results have to
  agree, either is a finding like any other (core/agreement/agreeing.py), and the element is free for others.
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
from roost.core.queue.attempts import Attempts
from roost.core.queue.disk_pressure import DiskPressure
from roost.core.queue.expectations import Expectations
from roost.core.queue.findings import FAILED
from roost.core.queue.leases import Lease, Leases
from roost.core.queue.policy_memory import PolicyMemory
from roost.core.queue.readiness import Readiness
from roost.core.queue.replica import TaskEntry
from roost.core.queue.scheduler import Scheduler
from roost.core.tickets import Found, Note, Outcome, Proposed, ResultOffer
from roost.core.turn import Turn
from roost.model.elements import Elements
from roost.model.happenings import AttemptFailedOn, DoneOn, FailedOn, FoundOn, GivenBackBy, TakenOver
from roost.model.hashing import fingerprint
from roost.model.ids import NodeId
from roost.model.ranges import EMPTY, RangeSet
from roost.model.segments import Segment, pack
from roost.model.states import Failed
from roost.model.task import TaskSpec


class Outcomes:
    def __init__(
        self,
        turn: Turn,
        *,
        medium: Medium,
        leases: Leases,
        attempts: Attempts,
        scheduler: Scheduler,
        expectations: Expectations,
        readiness: Readiness,
        disk_pressure: DiskPressure,
        memory: PolicyMemory,
        applying: Applying,
        inventory: Inventory,
    ) -> None:
        self._turn = turn
        self._medium = medium
        self._leases = leases
        self._attempts = attempts
        self._scheduler = scheduler
        self._expectations = expectations
        self._lanes = scheduler.lanes
        self._readiness = readiness
        self._disk_pressure = disk_pressure
        self._memory = memory
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
            if event.reused_from is None:
                self._expectations.note(lease.spec, len(ranges), event.busy_s)
        self._inventory.add_results(task, lease.token, self._turn.name, ranges)
        told = self._turn.story(task, ranges, _how_done(event, lease.spec, self._turn.name), f"lease {lease.name}")
        span = self._lanes.span(lease, self._turn.name, ranges, event.busy_s, self._turn.now)
        # What was taken over is no work of a lane.
        worked = (span,) if event.reused_from is None else ()
        self._memory.finished += len(ranges) if worked else 0
        facts = (told, *_results_and_keys(event, lease, self._turn.name), *map(Worked, worked))
        made = tuple((task, lease.token, self._turn.name, segment) for segment in event.segments)
        if lease.spec.agreement is not None:
            self._turn.persist(Found(task, delta, made, _compared(event, lease.spec), worked, lease.further), *facts)
        elif lease.spec.voters:
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
        if lease.spec.agreement is not None:
            self._turn.persist(_failed(lease, event.index, self._turn.name), told, worked)
        elif lease.further:
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
        if lease.further and lease.spec.agreement is not None:
            self._attempts.given_back(task, ranges)
        if delta:
            what = GivenBackBy(self._turn.name, no_room)
            told = self._turn.story(task, delta.known(), what, f"lease {lease.name}")
            self._turn.persist(Note((task,)), StatesMerged(task, delta), told)
            self._applying.apply(task, delta, GIVEN_BACK)
        return ranges


def _made(event: ElementsDone) -> RangeSet:
    return _spanned(event.segments)


def _spanned(segments: tuple[Segment, ...]) -> RangeSet:
    ranges = EMPTY
    for segment in segments:
        ranges |= segment.ranges
    return ranges


def _without(event: ElementsDone, ranges: RangeSet) -> ElementsDone:
    segments, keys, compared = (
        tuple(part.cut(start, stop) for part in parts for start, stop in (part.ranges - ranges).spans())
        for parts in (event.segments, event.keys, event.compared)
    )
    return msgspec.structs.replace(event, segments=segments, keys=keys, compared=compared)


def _compared(event: ElementsDone, spec: TaskSpec) -> tuple[Segment, ...]:
    """Return by what results are compared that have to agree: as their executor says, or all their bytes."""
    compared = event.compared if _spanned(event.compared) == _made(event) else event.segments
    lengths = dict(event.lengths) if spec.is_mapped else {}
    return tuple(
        pack(part.start, [_key(value, lengths.get(index)) for index, value in enumerate(part.values(), part.start)])
        for part in compared
    )


def _key(value: bytes, length: int | None) -> bytes:
    """Return a short key; how long the list is that a pool maps, is a part of the result."""
    return fingerprint(value if length is None else b"%d %b" % (length, value))


def _failed(lease: Lease, index: int, node: NodeId) -> Found:
    """Return that an element failed, as a finding: with whatever others find, it does not agree."""
    failed = Failed(lease.token.round, lease.token, node, 1, lease.edition)
    delta = Elements({failed: RangeSet.span(index, index + 1)})
    return Found(lease.spec.id, delta, (), (pack(index, [FAILED]),), (), lease.further)


def _results_and_keys(event: ElementsDone, lease: Lease, node: NodeId) -> list[Fact]:
    """Return the results, and by which keys later runs can find them; none if they may yet turn out to be wrong."""
    task, token = lease.spec.id, lease.token
    facts: list[Fact] = [ResultsStored(task, token, node, segment) for segment in event.segments]
    if lease.spec.agreement is None:
        facts += [KeysNoted(task, token, node, segment) for segment in event.keys]
    return facts


def _how_done(event: ElementsDone, spec: TaskSpec, node: NodeId) -> DoneOn | FoundOn | TakenOver:
    if event.reused_from is not None:
        return TakenOver(node, event.reused_from)
    return DoneOn(node) if spec.agreement is None else FoundOn(node, spec.agreement.agreeing)
