"""Applying: the one way in which the record of a task changes in memory.

Rules
- Whoever has a delta applies it here and says where it comes from (origin.py). Nobody else merges into a record, and
  nobody else keeps a list of who follows: what is ready, done and lost, digests, quorums, ends, listeners, other nodes.
- A lease of this node makes nothing done or lost, so that only who counts leases follows. It is taken while the node
  chooses, and does not stir it to choose again.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol, TypeAlias

from roost.core.actions import Action, Notify, TaskChanged
from roost.core.completion import Completion
from roost.core.facts import Fact, StatesMerged
from roost.core.mesh.anti_entropy.digests import Digests
from roost.core.mesh.mesh import Mesh
from roost.core.mesh.overruled import Overruled
from roost.core.mesh.replication import Replication
from roost.core.origin import DERIVED, Origin, Spread
from roost.core.queue.dataflow import Dataflow
from roost.core.queue.lives import Lives
from roost.core.queue.replica import Phase, Replica, TaskEntry, phase_of
from roost.core.tickets import Change, Note
from roost.model.clock import Stamp
from roost.model.elements import Elements
from roost.model.ids import TaskId, run_of
from roost.model.ranges import RangeSet
from roost.model.record import TaskRecord
from roost.model.states import State

#: What moved: elements, by their new states.
Moved: TypeAlias = list[tuple[State, RangeSet]]


class Persist(Protocol):
    def __call__(self, change: Change, *facts: Fact) -> None: ...


class Followers(NamedTuple):
    """Who follows what a record says."""

    replica: Replica
    dataflow: Dataflow
    lives: Lives
    digests: Digests
    overruled: Overruled
    completion: Completion
    replication: Replication
    mesh: Mesh
    #: What is ready of a task may have changed.
    touch: Callable[[TaskId], None]
    act: Callable[[Action], None]
    persist: Persist


class Applying:
    def __init__(self, followers: Followers) -> None:
        self._to = followers

    def apply(self, task: TaskId, delta: Elements, origin: Origin, at: Stamp | None = None) -> Moved:
        """Join states in and let everything follow; return what moved. ``at``: when it ended, if others ended it."""
        to = self._to
        moved = self._merge(task, delta, at)
        if origin.told:
            self.tell(task, moved)
        if origin.spread is Spread.STATES:
            to.replication.moved(task, delta)
        elif origin.spread is Spread.LEASES:
            to.replication.leased(task, delta)
        if origin.decided:
            to.mesh.re_replication.decided(run_of(task))
        return moved

    def _merge(self, task: TaskId, delta: Elements, at: Stamp | None) -> Moved:
        to = self._to
        entry = to.replica.tasks[task]
        was_done, before = entry.done, entry.elements
        moved = entry.merge(delta)
        if moved:
            if was_done:
                to.overruled.merged(task, before, was_done, moved)
            to.lives.hear(state for state, _ in moved)
            to.touch(task)
            to.digests.task_changed(task)
            to.replica.follow(entry)
            if entry.spec.voters:
                to.mesh.quorum.moved(task, moved)
            if entry.spec.is_mapped:
                self._note_lengths(task, moved)
                for pool in to.dataflow.pools(task):
                    to.touch(pool)
            targets = to.dataflow.source_moved(task)
            for target in targets:
                to.touch(target)
            to.completion.moved(entry, moved, targets, at)
        return moved

    def lease(self, entry: TaskEntry, ranges: RangeSet, delta: Elements) -> None:
        """This node has leased elements of a task to itself."""
        to, task = self._to, entry.spec.id
        entry.merge(delta)
        to.replica.follow(entry)
        to.mesh.bidding.leased(task, ranges)
        to.digests.task_changed(task)
        to.replication.leased(task, delta)

    def follow(self, record: TaskRecord) -> TaskEntry:
        """Take a task into memory whose sources are there."""
        to = self._to
        entry = to.replica.add_task(record)
        to.dataflow.add(entry)
        to.lives.hear(state for state, _ in record.elements.items())
        if record.spec.mapper is not None:
            self._note_lengths(record.spec.mapper)
        return entry

    def restore(self, records: Sequence[TaskRecord]) -> list[tuple[TaskId, Elements]]:
        """Take up the tasks of the last life; return the lengths of pools that it had no time to write."""
        to = self._to
        for record in records:
            to.dataflow.add(to.replica.add_task(record))
            to.lives.hear(state for state, _ in record.elements.items())
        unwritten = [news for record in records for news in to.dataflow.lengths(record.spec.id)]
        for pool, delta in unwritten:
            to.replica.tasks[pool].merge(delta)
            to.dataflow.source_moved(pool)
        for record in records:
            to.digests.task_changed(record.spec.id)
        return unwritten

    def _note_lengths(self, mapper: TaskId, moved: Moved | None = None) -> None:
        """Note how long the pools are that a task maps, by its lists that are accepted."""
        for pool, news in list(self._to.dataflow.lengths(mapper, moved)):
            self._to.persist(Note((pool,), urgent=True), StatesMerged(pool, news))
            self.apply(pool, news, DERIVED)

    def tell(self, task: TaskId, moved: Moved) -> None:
        """Say what became of elements, as people see it. That somebody has leased them is not news to them."""
        for state, ranges in moved:
            phase = phase_of(state, self._to.replica.tasks[task].spec.retries)
            if ranges and phase is not Phase.LEASED:
                word = "ready" if phase is Phase.PENDING else phase.value
                self._to.act(Notify(TaskChanged(task, word, ranges, state.token, state.edition)))
