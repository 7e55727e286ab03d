"""Outcomes: what becomes of elements that an executor has answered for.

Rules
- A result goes to this disk first. Alone, it is accepted then; in company, when another node keeps it
  (data/write_acknowledgement.py). One of a task with a quorum is accepted when most voters hold it, alone or not
  (quorum.py).
- A failure is noted here and told to all.
- What is given back is ready again, for want of room after a pause (queue/disk_pressure.py). So is a result of
  something that its lease has left to another node meanwhile: it may have been made twice, and the other's token is the
  one that counts.
"""

from typing import TYPE_CHECKING

import msgspec

from roost.core.events import ElementFailed, ElementsDone
from roost.core.executor_reports import is_duration
from roost.core.facts import Fact, FailureNoted, KeysNoted, ResultsStored, StatesMerged, Worked
from roost.core.origin import GIVEN_BACK
from roost.core.queue.leases import Lease
from roost.core.queue.replica import TaskEntry
from roost.core.tickets import Note, Outcome, Proposed, ResultOffer
from roost.model.ids import NodeId, TaskId
from roost.model.ranges import EMPTY, RangeSet
from roost.model.token import Token
from roost.wire.messages import Records

if TYPE_CHECKING:
    from roost.core.node import Node


def done(node: "Node", lease: Lease, entry: TaskEntry, event: ElementsDone) -> RangeSet:
    ranges = _made(event)
    too_late = ranges & lease.left
    if too_late:
        returned(node, lease, entry, too_late)
        event = _without(event, too_late)
    if event.segments:
        _keep(node, lease, event)
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


def _keep(node: "Node", lease: Lease, event: ElementsDone) -> None:
    task, ranges = lease.spec.id, _made(event)
    delta = node.leases.done(lease, ranges, dict(event.lengths), reused=bool(event.reused_from))
    for other in node.disk_pressure.found_room(task, ranges, node.now, node.has_ready):
        node.touch(other)
    if is_duration(event.busy_s):
        node.scheduler.learn(lease.spec, len(ranges), event.busy_s)
    node.inventory.add_results(task, lease.token, node.name, ranges)
    told = node.story(task, ranges, _how_done(event, node.name), f"lease {lease.name}")
    span = node.scheduler.lanes.span(lease, node.name, ranges, event.busy_s, node.now)
    # What was taken over is no work of a lane.
    worked = () if event.reused_from else (span,)
    facts = (told, *_results_and_keys(event, task, lease.token, node.name), *map(Worked, worked))
    if not lease.spec.voters and not node.mesh.has_company:
        node.persist(Outcome(task, delta, alone=True), StatesMerged(task, delta), *facts)
        return
    made = tuple((task, lease.token, node.name, segment) for segment in event.segments)
    records = Records(results=made, offers=((task, delta),), worked=worked)
    if lease.spec.voters:
        node.persist(Proposed(task, delta, records), *facts)
    else:
        node.persist(ResultOffer(task, delta, records), *facts)


def _results_and_keys(event: ElementsDone, task: TaskId, token: Token, node: NodeId) -> list[Fact]:
    """Return the results, and by which keys they can be found again."""
    facts: list[Fact] = [ResultsStored(task, token, node, segment) for segment in event.segments]
    facts += [KeysNoted(task, token, node, segment) for segment in event.keys]
    return facts


def _how_done(event: ElementsDone, node: NodeId) -> str:
    return f"taken over from {event.reused_from}, by {node}" if event.reused_from else f"done on {node}"


def failed(node: "Node", lease: Lease, entry: TaskEntry, event: ElementFailed) -> RangeSet:
    task, one = lease.spec.id, RangeSet.span(event.index, event.index + 1)
    delta = node.leases.failed(lease, entry, event.index, event.failure)
    noted = FailureNoted(task, event.index, lease.token, event.failure)
    told = node.story(task, one, f"failed on {node.name}: {event.failure.reason}", f"lease {lease.name}")
    took_s = event.failure.duration_s or 0.0
    worked = Worked(node.scheduler.lanes.span(lease, node.name, one, took_s, node.now, failed=1))
    node.persist(Outcome(task, delta, noted), StatesMerged(task, delta), noted, told, worked)
    return one


def returned(node: "Node", lease: Lease, entry: TaskEntry, ranges: RangeSet, no_room: str = "") -> RangeSet:
    task = lease.spec.id
    if no_room:
        node.disk_pressure.met(task, ranges, no_room, node.now)
    delta = node.leases.returned(lease, entry, ranges)
    if delta:
        what = f"given back by {node.name}{f': {no_room}' if no_room else ''}"
        told = node.story(task, delta.known(), what, f"lease {lease.name}")
        node.persist(Note((task,)), StatesMerged(task, delta), told)
        node.apply(task, delta, GIVEN_BACK)
    return ranges
