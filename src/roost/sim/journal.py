"""The simulated disk, twin of runtime/journal/journal.py: it takes tickets, writes them late, and fails on request.

A ticket is on disk whole or not at all, and tickets reach it in order, as SQLite's journal promises. Written is not
flushed: what was written outlives the process, and only what was flushed is sure to outlive a power cut. An unlucky
cut finds that more had reached the disk, although nobody was told.
"""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from copy import copy
from functools import reduce
from graphlib import TopologicalSorter
from random import Random
from typing import TypeAlias

import msgspec

from roost.core.facts import (
    BlobStored,
    Fact,
    ItemsStored,
    LivesHeard,
    NeighboursMet,
    ResultsStored,
    RunFinished,
    RunForgotten,
    RunMerged,
    StatesMerged,
    StoryTold,
    TaskAdded,
    VoteKept,
)
from roost.core.holdings import Holdings
from roost.core.queue.digests import digest_of_record, digest_of_tasks
from roost.core.queue.replica import TaskEntry
from roost.core.restored import Archived, Restored, with_all_needed
from roost.core.telling.summaries import ended_counts
from roost.model.ballots import Vote
from roost.model.clock import zero
from roost.model.elements import Elements
from roost.model.ids import BlobHash, NodeId, RunId, TaskId, run_of
from roost.model.online import NEVER_ONLINE, OnlineLog
from roost.model.ranges import RangeSet
from roost.model.record import RunRecord, TaskRecord
from roost.model.segments import Segment
from roost.model.states import Done, State
from roost.model.token import Token
from roost.model.tombstones import Tombstone
from roost.wire import messages
from roost.wire.messages import Fetch, Message

#: Elements in one answer to another node: few, so that many have to ask on.
ANSWER_ELEMENTS = 4


class _Archiving(msgspec.Struct, frozen=True):
    tasks: tuple[TaskId, ...]


_Entry: TypeAlias = tuple[Fact, ...] | _Archiving | OnlineLog


class Records:
    """The merge of facts in the order in which they reached the disk. Nothing that a table holds changes."""

    def __init__(self, node: NodeId) -> None:
        self.runs: dict[RunId, RunRecord] = {}
        self._tasks: dict[TaskId, TaskRecord] = {}
        #: States that have reached the disk and are merged when somebody reads, because few ever are.
        self._unmerged: dict[TaskId, list[Elements]] = {}
        #: Results as they came, by who made them.
        self.made: dict[tuple[TaskId, Token, NodeId], tuple[Segment, ...]] = {}
        self.votes: dict[TaskId, tuple[Vote, ...]] = {}
        self.items: dict[TaskId, tuple[Segment, ...]] = {}
        self.blobs: dict[BlobHash, bytes] = {}
        self.ends: dict[RunId, RunFinished] = {}
        self.last_stamp = zero(node)
        self.neighbours: tuple[NodeId, ...] = ()
        #: The largest number of lives that any node is known to have had.
        self.life = 0
        self.archived: dict[TaskId, None] = {}
        #: States of tasks that are not here yet, because a full disk refused them at first.
        self._early: dict[TaskId, Elements] = {}
        self.tombstones: dict[RunId, Tombstone] = {}
        self.online = NEVER_ONLINE

    @property
    def tasks(self) -> dict[TaskId, TaskRecord]:
        """The tasks that are here, each after those that it needs."""
        self._merge_all()
        return self._tasks

    def _merge_all(self) -> None:
        for task, deltas in self._unmerged.items():
            known = self._tasks[task]
            self._tasks[task] = TaskRecord(known.spec, reduce(Elements.merge, deltas, known.elements))
        self._unmerged.clear()

    def take(self, other: "Records") -> None:
        """Become equal to another, with tables of its own."""
        other._merge_all()
        for name, value in vars(other).items():
            setattr(self, name, copy(value))

    def store(self, entry: _Entry) -> None:
        if isinstance(entry, _Archiving):
            self.archived.update(dict.fromkeys(entry.tasks))
            return
        if isinstance(entry, OnlineLog):
            self.online = entry
            return
        for fact in entry:
            self._merge(fact)

    def _merge(self, fact: Fact) -> None:
        match fact:
            case RunMerged(record=run):
                self.runs[run.spec.id] = self.runs.get(run.spec.id, run).merge(run)
            case TaskAdded(spec=spec):
                self._tasks.setdefault(spec.id, TaskRecord(spec, self._early.pop(spec.id, Elements())))
            case StatesMerged(task=task, delta=delta):
                self._merge_states(task, delta)
            case ResultsStored(task=task, token=token, node=maker, segment=segment):
                made = self.made.get((task, token, maker), ())
                self.made[task, token, maker] = made if segment in made else (*made, segment)
            case VoteKept(task=task, vote=vote):
                self.votes[task] = (*self.votes.get(task, ()), vote)
            case ItemsStored(task=task, segment=segment):
                self.items[task] = (*self.items.get(task, ()), segment)
            case BlobStored(hash=blob, content=content):
                self.blobs[blob] = content
            case RunFinished(run=ended, at=at):
                self.ends[ended] = max(self.ends.get(ended, fact), fact, key=lambda end: end.at)
                self.last_stamp = max(self.last_stamp, at)
            case StoryTold(at=at):
                self.last_stamp = max(self.last_stamp, at)
            case _:
                self._merge_rarer(fact)

    def _merge_rarer(self, fact: Fact) -> None:
        match fact:
            case RunForgotten(tombstone=tombstone):
                self._forget(tombstone)
            case NeighboursMet(nodes=nodes):
                self.neighbours = nodes
            case LivesHeard(life=life):
                self.life = max(self.life, life)
            case _:
                pass

    def _forget(self, tombstone: Tombstone) -> None:
        run = tombstone.run
        self.tombstones[run] = tombstone
        self.last_stamp = max(self.last_stamp, tombstone.at)
        self.runs.pop(run, None)
        self.ends.pop(run, None)
        self.made = {key: kept for key, kept in self.made.items() if run_of(key[0]) != run}
        # Votes stay: the run may come back, and a voter keeps its word.
        for by_task in (self.tasks, self.items, self.archived, self._early):
            for task in [task for task in by_task if run_of(task) == run]:
                del by_task[task]

    def _merge_states(self, task: TaskId, delta: Elements) -> None:
        if task not in self._tasks:
            self._early[task] = self._early.get(task, Elements()).merge(delta)
            return
        self._unmerged.setdefault(task, []).append(delta)
        # What moves once more is no longer archived.
        self.archived.pop(task, None)

    def state(self, task: TaskId, index: int) -> State | None:
        """Return what is known of an element; None if it is fresh, or its task is not here."""
        return self.tasks[task].elements.at(index) if task in self.tasks else None

    def made_by(self, task: TaskId, token: Token, maker: NodeId) -> RangeSet:
        """Return the elements of a task whose results are here that a node made under a token."""
        return _covered(self.made.get((task, token, maker), ()))

    def holdings(self, task: TaskId) -> Holdings:
        """Return which data of a task is here, whatever its records say."""
        results = [(token, maker, _covered(made)) for (owner, token, maker), made in self.made.items() if owner == task]
        return Holdings(task, _covered(self.items.get(task, ())), tuple(results), self.votes.get(task, ()))

    def answer(self, fetch: Fetch, known: Mapping[TaskId, TaskEntry]) -> Message:
        """Return some of what is here of what another node asks for, the twin of runtime/data/delivery.py.

        ``known`` are the tasks in memory.
        """
        items = [
            (task, segment.cut(index, index + 1))
            for task, ranges in fetch.items
            for segment in self.items.get(task, ())
            for index in segment.ranges & ranges
        ]
        results = [
            (task, state.token, state.node, segment.cut(index, index + 1))
            for task, ranges in fetch.results
            if task in self.tasks
            for state, part in (known.get(task) or self.tasks[task]).elements.entries_within(ranges)
            if isinstance(state, Done)
            for segment in self.made.get((task, state.token, state.node), ())
            for index in segment.ranges & part
        ]
        results += [
            (task, token, maker, segment.cut(index, index + 1))
            for task, token, maker, ranges in fetch.made
            for segment in self.made.get((task, token, maker), ())
            for index in segment.ranges & ranges
        ]
        blobs = [(blob, self.blobs[blob]) for blob in fetch.blobs if blob in self.blobs]
        return messages.Delivery(
            fetch.purpose,
            fetch.number,
            items=tuple(items[:ANSWER_ELEMENTS]),
            results=tuple(results[:ANSWER_ELEMENTS]),
            blobs=tuple(blobs),
            more=max(len(items), len(results)) > ANSWER_ELEMENTS,
        )


class SimDisk(Records):
    """As records it is what was written, which a living process reads; ``flushed`` is what a power cut leaves."""

    def __init__(self, node: NodeId) -> None:
        super().__init__(node)
        self.node = node
        self.boot = 0
        self.flushed = Records(node)
        self._queued: list[tuple[int, tuple[Fact, ...]]] = []
        self._unflushed: list[tuple[int, _Entry]] = []
        self._last_written = 0
        #: When its node is on line, to be noted with the next ticket that is written.
        self._unnoted: OnlineLog | None = None
        #: Hears the facts of every ticket that is written.
        self.on_written: Callable[[tuple[Fact, ...]], None] = lambda _: None

    def append(self, ticket: int, facts: tuple[Fact, ...]) -> None:
        self._queued.append((ticket, facts))

    def write(self, ticket: int) -> None:
        """Everything up to this ticket is written."""
        while self._queued and self._queued[0][0] <= ticket:
            self._last_written, facts = self._queued.pop(0)
            self._write_entry(facts)
            self._write_online()
            self.on_written(facts)

    def flush(self, ticket: int) -> None:
        """Everything written up to this ticket outlives a power cut."""
        while self._unflushed and self._unflushed[0][0] <= ticket:
            self.flushed.store(self._unflushed.pop(0)[1])

    def refuse(self, ticket: int) -> None:
        """This ticket could not be written, for lack of room; those before it were."""
        self.write(ticket - 1)
        self._queued = [entry for entry in self._queued if entry[0] != ticket]

    def note_online(self, online: OnlineLog) -> None:
        self._unnoted = online

    def _write_online(self) -> None:
        if self._unnoted is not None:
            self._write_entry(self._unnoted)
            self._unnoted = None

    def archive(self, tasks: Iterable[TaskId]) -> None:
        self._write_entry(_Archiving(tuple(tasks)))

    def kill(self, rng: Random) -> None:
        """The process dies and the machine lives: of what was queued, a first part of random length is written."""
        for ticket, _ in self._queued[: rng.randint(0, len(self._queued))]:
            self.write(ticket)
        self._queued.clear()
        self._unnoted = None

    def crash(self, rng: Random) -> None:
        """Power is cut: of what was not flushed, a first part of random length has made it."""
        self.kill(rng)
        for _ in range(rng.randint(0, len(self._unflushed))):
            self.flushed.store(self._unflushed.pop(0)[1])
        self._unflushed.clear()
        self.take(self.flushed)

    def close(self) -> None:
        """The node is stopped in order: everything that was queued is written and flushed."""
        for ticket, _ in list(self._queued):
            self.write(ticket)
        self._write_online()
        self.flush(self._last_written)

    def begin_boot(self) -> int:
        """Count one more life. Whoever goes on from what is written makes sure first that it stays."""
        self.flush(self._last_written)
        self._last_written = 0
        self.boot = 1 + max(self.boot, self.life)
        return self.boot

    def restore(self) -> Restored:
        """Return the merge of all facts, as a node that starts gets it."""
        needed = self._with_sources(task for task in self.tasks if task not in self.archived)
        live = with_all_needed(needed.values(), self.runs)
        wanted = {record.spec.run for record in live}
        wanted.update(run for run, record in self.runs.items() if run not in self.ends or not record.sealed.on)
        runs = tuple(self.archived_run(run, needed) for run in self.runs if run in wanted)
        return Restored(
            self.boot,
            self.last_stamp,
            runs,
            tuple(live),
            tuple(self.holdings(record.spec.id) for record in live),
            tuple(self.blobs),
            self.neighbours,
            tuple(self._digests({run.record.spec.id for run in runs}, {record.spec.id for record in live})),
            tuple(tombstone for run, tombstone in self.tombstones.items() if run not in self.runs),
            self.online,
        )

    def _digests(self, in_memory: Container[RunId], tasks: Container[TaskId]) -> Iterator[tuple[RunId, bytes, bytes]]:
        for run in self.runs:
            if run not in in_memory:
                yield run, digest_of_record(self.runs[run]), self.ends[run].digest
            else:
                own = [record for record in self.tasks.values() if record.spec.run == run]
                archived = digest_of_tasks(record for record in own if record.spec.id not in tasks)
                yield run, digest_of_record(self.runs[run]), archived

    def missing(self, wanted: Iterable[TaskId], in_memory: Container[TaskId]) -> tuple[TaskRecord, ...]:
        """Return the wanted tasks that are not in memory, with all that they need, each after those it needs."""
        needed = self._with_sources((task for task in wanted if task not in in_memory), in_memory)
        return tuple(needed.values())

    def _with_sources(self, tasks: Iterable[TaskId], but_for: Container[TaskId] = ()) -> dict[TaskId, TaskRecord]:
        """Return tasks with all that they need, each after that: what a full disk refused first may be written last."""
        graph: dict[TaskId, list[TaskId]] = {}
        waiting = list(tasks)
        while waiting:
            task = waiting.pop()
            if task in self.tasks and task not in graph:
                sources = [edge.source for edge in self.tasks[task].spec.edges]
                graph[task] = [source for source in sources if source not in but_for and source in self.tasks]
                waiting += graph[task]
        return {task: self.tasks[task] for task in TopologicalSorter(graph).static_order()}

    def _write_entry(self, entry: _Entry) -> None:
        self.store(entry)
        self._unflushed.append((self._last_written, entry))

    def archived_run(self, run: RunId, live: Container[TaskId] = ()) -> Archived:
        counts: dict[str, int] = {}
        archived = [task for task in self.archived if self.tasks[task].spec.run == run and task not in live]
        for task in archived:
            for state, count in ended_counts(TaskEntry.of(self.tasks[task])).items():
                counts[state] = counts.get(state, 0) + count
        return Archived(self.runs[run], counts, len(archived), self.ends.get(run))


def _covered(segments: Iterable[Segment]) -> RangeSet:
    return RangeSet.of_spans((segment.start, segment.stop) for segment in segments)
