"""Applying: the one way in which the record of a task changes in memory.

Rules
- Whoever has a delta applies it here and says where it comes from (origin.py). Nobody else merges into a record, and
  nobody else keeps a list of who follows: what is ready, done and lost, what users have had, digests, quorums, ends,
  listeners, other nodes.
- A lease of this node makes nothing done or lost, so that only who counts leases follows. It is taken while the node
  chooses, and does not stir it to choose again.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol, TypeAlias

from roost.core.actions import Notify, TaskChanged
from roost.core.facts import StatesMerged
from roost.core.origin import DERIVED, Origin, Spread
from roost.core.queue.dataflow import Dataflow
from roost.core.queue.digests import Digests
from roost.core.queue.lives import Lives
from roost.core.queue.replica import Phase, Replica, TaskEntry, phase_of
from roost.core.queue.usage import Usage
from roost.core.tickets import Note
from roost.core.turn import Turn
from roost.model.clock import Stamp
from roost.model.elements import Elements
from roost.model.ids import RunId, TaskId, run_of
from roost.model.ranges import RangeSet
from roost.model.record import TaskRecord
from roost.model.states import State

#: What moved: elements, by their new states.
Moved: TypeAlias = list[tuple[State, RangeSet]]


class Overrules(Protocol):
    """States were joined in; ``before`` are those that elements had until then, ``done`` those that were."""

    def __call__(self, task: TaskId, before: Elements, done: RangeSet, moved: Moved) -> None: ...


def _nobody_overrules(task: TaskId, before: Elements, done: RangeSet, moved: Moved) -> None:
    """There is no other side whose result could have been dropped."""


class Completes(Protocol):
    """Elements of a task moved, and with them what can run of ``targets``; ``at`` as others say, or now."""

    def __call__(self, entry: TaskEntry, moved: Moved, targets: list[TaskId], at: Stamp | None) -> None: ...


class Followers(NamedTuple):
    """Who follows what a record says, in rooms above the queue."""

    quorum: Callable[[TaskId, Moved], None]
    #: Results of a task that have to agree.
    agreeing: Callable[[TaskEntry, Moved], None]
    attempts: Callable[[TaskEntry, Moved], None]
    completion: Completes
    #: Other nodes are told of states and of leases.
    states_told: Callable[[TaskId, Elements], None]
    leases_told: Callable[[TaskId, Elements], None]
    #: Something was decided here that must not stay on this disk only.
    decided: Callable[[RunId], None]
    #: This node has leased elements to itself.
    leased: Callable[[TaskId, RangeSet], None]


class Applying:
    #: Set once, when the node is put together: they use what applies, and it tells them.
    followers: Followers

    def __init__(
        self, turn: Turn, replica: Replica, dataflow: Dataflow, lives: Lives, digests: Digests, usage: Usage
    ) -> None:
        self._turn = turn
        self._replica = replica
        self._dataflow = dataflow
        self._lives = lives
        self._digests = digests
        self._usage = usage
        self._overruled: Overrules = _nobody_overrules

    def on(self, overruled: Overrules) -> None:
        """What was accepted may be overruled by others. The medium says so before anything happens."""
        self._overruled = overruled

    def apply(self, task: TaskId, delta: Elements, origin: Origin, at: Stamp | None = None) -> Moved:
        """Join states in and let everything follow; return what moved. ``at``: when it ended, if others ended it."""
        moved = self._merge(task, delta, at)
        if origin.told:
            self.tell(task, moved)
        if origin.spread is Spread.STATES:
            self.followers.states_told(task, delta)
        elif origin.spread is Spread.LEASES:
            self.followers.leases_told(task, delta)
        if origin.decided:
            self.followers.decided(run_of(task))
        return moved

    def _merge(self, task: TaskId, delta: Elements, at: Stamp | None) -> Moved:
        entry = self._replica.tasks[task]
        was_done, before = entry.done, entry.elements
        moved = entry.merge(delta)
        if moved:
            if was_done:
                self._overruled(task, before, was_done, moved)
            self._lives.hear(state for state, _ in moved)
            self._turn.touch(task)
            self._digests.task_changed(task)
            self._replica.follow(entry)
            self._usage.follow(entry, moved)
            self._mark(entry, moved)
            self.followers.attempts(entry, moved)
            if entry.spec.voters:
                self.followers.quorum(task, moved)
            if entry.spec.agreement is not None:
                self.followers.agreeing(entry, moved)
            if entry.spec.is_mapped:
                self._note_lengths(task, moved)
                for pool in self._dataflow.pools(task):
                    self._turn.touch(pool)
            targets = self._dataflow.source_moved(task)
            for target in targets:
                self._turn.touch(target)
            self.followers.completion(entry, moved, targets, at)
        return moved

    def lease(self, entry: TaskEntry, ranges: RangeSet, delta: Elements) -> None:
        """This node has leased elements of a task to itself."""
        task = entry.spec.id
        self._mark(entry, entry.merge(delta))
        self._replica.follow(entry)
        self._usage.follow(entry)
        self.followers.leased(task, ranges)
        self._digests.task_changed(task)
        self.followers.leases_told(task, delta)

    def _mark(self, entry: TaskEntry, moved: Moved) -> None:
        """With whom nodes have gone down is tried apart, so what may start of one depends on the others."""
        if self._replica.mark(entry, moved):
            for task in self._replica.marked:
                self._turn.touch(task)

    def follow(self, record: TaskRecord) -> TaskEntry:
        """Take a task into memory whose sources are there."""
        entry = self._replica.add_task(record)
        self._usage.follow(entry)
        self._dataflow.add(entry)
        self._lives.hear(state for state, _ in record.elements.items())
        if record.spec.mapper is not None:
            self._note_lengths(record.spec.mapper)
        return entry

    def restore(self, records: Sequence[TaskRecord]) -> list[tuple[TaskId, Elements]]:
        """Take up the tasks of the last life; return the lengths of pools that it had no time to write."""
        for record in records:
            entry = self._replica.add_task(record)
            self._usage.follow(entry)
            self._dataflow.add(entry)
            self._lives.hear(state for state, _ in record.elements.items())
        unwritten = [news for record in records for news in self._dataflow.lengths(record.spec.id)]
        for pool, delta in unwritten:
            self._replica.tasks[pool].merge(delta)
            self._dataflow.source_moved(pool)
        for record in records:
            self._digests.task_changed(record.spec.id)
        return unwritten

    def _note_lengths(self, mapper: TaskId, moved: Moved | None = None) -> None:
        """Note how long the pools are that a task maps, by its lists that are accepted."""
        for pool, news in list(self._dataflow.lengths(mapper, moved)):
            self._turn.persist(Note((pool,), urgent=True), StatesMerged(pool, news))
            self.apply(pool, news, DERIVED)

    def tell(self, task: TaskId, moved: Moved) -> None:
        """Say what became of elements, as people see it. That somebody has leased them is not news to them."""
        for state, ranges in moved:
            phase = phase_of(state, self._replica.tasks[task].spec.retries)
            if ranges and phase is not Phase.LEASED:
                word = "ready" if phase is Phase.PENDING else phase.value
                self._turn.act(Notify(TaskChanged(task, word, ranges, state.token, state.edition)))
