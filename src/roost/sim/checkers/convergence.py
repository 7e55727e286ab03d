"""Convergence: in the end everything has ended, and the nodes of a cluster hold the same records and know each other.

What has ended is worked out anew from the records on disk, without the core's own dataflow.
"""

from collections.abc import Mapping, Sequence
from typing import TypeVar

from roost.core.queue.replica import TaskEntry
from roost.model.ids import TaskId, run_of
from roost.model.pools import above, below
from roost.model.ranges import EMPTY, RangeSet
from roost.model.record import TaskRecord
from roost.model.states import Done
from roost.model.task import EdgeKind
from roost.sim.checkers.mesh_observer import Member, MeshChecker
from roost.sim.checkers.observer import Broken
from roost.sim.journal import SimDisk

_Id = TypeVar("_Id", bound=str)


class Converged(MeshChecker):
    def at_rest(self, core: Sequence[Member]) -> None:
        reason = unsettled(core)
        if reason is not None:
            raise Broken(reason)


def unsettled(core: Sequence[Member]) -> str | None:
    """Return one sentence on what has not ended or where nodes differ; None if all is settled."""
    for member in core:
        reason = (
            _unended_on(member)
            or _members_differ(member, core)
            or _records_differ(member, core)
            or _single_copies(member, core)
        )
        if reason is not None:
            return reason
    return None


def strangers(core: Sequence[Member]) -> str | None:
    """Return one sentence on who does not know of whom; None if all of a cluster know each other."""
    return next(filter(None, (_members_differ(member, core) for member in core)), None)


def unended(tasks: Mapping[TaskId, TaskRecord]) -> dict[TaskId, RangeSet]:
    """Return the elements that run, could run, or wait for such as do."""
    entries = {task: TaskEntry.of(record) for task, record in tasks.items()}
    hopeless: dict[TaskId, RangeSet] = {}
    left = {}
    for task, entry in entries.items():
        going_on = entry.leased | (entry.pending - _hopeless(task, entries, hopeless))
        if going_on:
            left[task] = going_on
    return left


def _hopeless(task: TaskId, entries: Mapping[TaskId, TaskEntry], known: dict[TaskId, RangeSet]) -> RangeSet:
    """Return the elements that will never be done: lost themselves, or behind one that is."""
    if task in known or task not in entries:
        return known.get(task, EMPTY)
    entry = entries[task]
    found = entry.lost - _nonexistent(entry, entries)
    for edge in entry.spec.edges:
        levels = entry.spec.depth - entries[edge.source].spec.depth if edge.source in entries else 0
        behind = _hopeless_upstream(edge.source, entries, known)
        match edge.kind:
            case EdgeKind.EACH | EdgeKind.SPREAD:
                found |= below(behind[0], levels) & entry.pending
            case EdgeKind.GATHER:
                for at, lost in enumerate(behind[: 1 - levels]):
                    found |= above(lost, -levels - at) & entry.pending
            case _ if any(behind):
                found |= entry.pending
    known[task] = found
    return found


def _nonexistent(entry: TaskEntry, entries: Mapping[TaskId, TaskEntry]) -> RangeSet:
    """Return the elements of a pool that lie behind the end of a list, its own or one further out."""
    mapper = None if entry.spec.mapper is None else entries.get(entry.spec.mapper)
    return entry.absent if mapper is None else entry.absent | below(_nonexistent(mapper, entries))


def _hopeless_upstream(
    task: TaskId, entries: Mapping[TaskId, TaskEntry], known: dict[TaskId, RangeSet]
) -> list[RangeSet]:
    """Return the hopeless elements of a task, of its mapper if it is in a pool, and so on outwards."""
    found = [_hopeless(task, entries, known)]
    mapper = entries[task].spec.mapper if task in entries else None
    return found if mapper is None else [*found, *_hopeless_upstream(mapper, entries, known)]


def _unended_on(member: Member) -> str | None:
    for task, ranges in unended(member.disk.flushed.tasks).items():
        return f"{task}: {ranges} has not ended on {member.node.name}"
    lease = next(iter(member.node.queue.leases.in_hand()), None)
    if lease is not None:
        return f"{member.node.name} still has a lease of {lease.spec.id}, although everything has ended"
    return None


def _members_differ(member: Member, core: Sequence[Member]) -> str | None:
    expected = tuple(sorted(other.node.name for other in core if other.cluster == member.cluster))
    seen = tuple(sorted((member.node.name, *member.node.peers.others)))
    if seen != expected:
        return f"{member.node.name} takes {', '.join(seen)} for alive, and alive are {', '.join(expected)}"
    return None


def _records_differ(member: Member, core: Sequence[Member]) -> str | None:
    first = next(other for other in core if other.cluster == member.cluster)
    if member is first:
        return None
    mine, theirs = member.disk.flushed, first.disk.flushed
    different = _difference(mine.runs, theirs.runs) or _difference(mine.tasks, theirs.tasks)
    return f"{different} differs on {member.node.name} and {first.node.name}" if different else None


def _single_copies(member: Member, core: Sequence[Member]) -> str | None:
    """Everything that was accepted is on two disks in the end, if there are two."""
    others = [other for other in core if other.cluster == member.cluster and other is not member]
    if not others:
        return None
    if not member.node.re_replication.is_done:
        return f"{member.node.name} still has things that others are to keep"
    for task in member.disk.flushed.tasks:
        single = single_results(member.disk, [other.disk for other in others], task)
        if single:
            return f"the results of {task}, {single}, are on {member.node.name} only"
    return None


def single_results(disk: SimDisk, others: Sequence[SimDisk], task: TaskId) -> RangeSet:
    """Return the elements whose accepted results are on this disk and on none of the others."""
    single = EMPTY
    for state, ranges in disk.flushed.tasks[task].elements.items():
        if isinstance(state, Done):
            single |= (_made_on_any([disk], task, state) & ranges) - _made_on_any(others, task, state)
    return single


def lost_results(disk: SimDisk, disks: Sequence[SimDisk], task: TaskId) -> RangeSet:
    """Return the elements whose results are accepted as this disk knows, and are on none of these disks."""
    lost = EMPTY
    for state, ranges in disk.flushed.tasks[task].elements.items():
        if isinstance(state, Done):
            lost |= ranges - _made_on_any(disks, task, state)
    return lost


def lost_votes(disk: SimDisk, disks: Sequence[SimDisk], task: TaskId) -> RangeSet:
    """Return the elements that wait for a result which a voter has voted for, and all who had it have forgotten."""
    lost = EMPTY
    elements = disk.flushed.tasks[task].elements
    forgetful = [other.flushed for other in disks if run_of(task) in other.flushed.tombstones]
    for vote in (vote for records in forgetful for vote in records.votes.get(task, ())):
        for held, ranges in vote.held.items():
            assert isinstance(held, Done)
            missing = ranges - _made_on_any(disks, task, held)
            for state, part in elements.entries_within(missing):
                if state.edition == vote.edition and not isinstance(state, Done):
                    lost |= part
    return lost


def _made_on_any(disks: Sequence[SimDisk], task: TaskId, state: Done) -> RangeSet:
    found = EMPTY
    for disk in disks:
        found |= disk.flushed.made_by(task, state.token, state.node)
    return found


def _difference(mine: Mapping[_Id, object], theirs: Mapping[_Id, object]) -> _Id | None:
    return next((name for name in [*mine, *theirs] if mine.get(name) != theirs.get(name)), None)
