"""The simulated disk, twin of runtime/journal.py: it takes tickets, writes them late, and fails on request.

A ticket is on disk whole or not at all, and tickets reach it in order, as SQLite's journal promises. Written is not
flushed: what was written outlives the process, and only what was flushed is sure to outlive a power cut. An unlucky
cut finds that more had reached the disk, although nobody was told.
"""

from collections.abc import Container, Iterable
from random import Random
from typing import TypeAlias

import msgspec

from roost.core.facts import Fact, ResultsStored, RunFinished, RunMerged, StatesMerged, StoryTold, TaskAdded
from roost.core.replica import TaskEntry
from roost.core.report import ended_ranges
from roost.core.restored import Archived, Restored
from roost.model.clock import zero
from roost.model.ids import NodeId, RunId, TaskId, Token
from roost.model.record import RunRecord, TaskRecord


class _Archiving(msgspec.Struct, frozen=True):
    tasks: tuple[TaskId, ...]


_Entry: TypeAlias = tuple[Fact, ...] | _Archiving


class Records:
    """The merge of facts in the order in which they reached the disk."""

    def __init__(self, node: NodeId) -> None:
        self.runs: dict[RunId, RunRecord] = {}
        #: Each after those that it needs.
        self.tasks: dict[TaskId, TaskRecord] = {}
        self.results: dict[tuple[TaskId, int], list[tuple[Token, bytes]]] = {}
        self.ends: dict[RunId, RunFinished] = {}
        self.last_stamp = zero(node)
        self.archived: dict[TaskId, None] = {}

    def take(self, other: "Records") -> None:
        """Become equal to another, without sharing anything that changes."""
        self.runs, self.tasks, self.ends = dict(other.runs), dict(other.tasks), dict(other.ends)
        self.results = {element: list(values) for element, values in other.results.items()}
        self.last_stamp, self.archived = other.last_stamp, dict(other.archived)

    def store(self, entry: _Entry) -> None:
        if isinstance(entry, _Archiving):
            self.archived.update(dict.fromkeys(entry.tasks))
            return
        for fact in entry:
            self._merge(fact)

    def _merge(self, fact: Fact) -> None:
        match fact:
            case RunMerged(record=run):
                self.runs[run.spec.id] = self.runs.get(run.spec.id, run).merge(run)
            case TaskAdded(spec=spec):
                self.tasks[spec.id] = TaskRecord(spec)
            case StatesMerged(task=task, delta=delta):
                known = self.tasks[task]
                self.tasks[task] = TaskRecord(known.spec, known.elements.merge(delta))
                # What moves once more is no longer archived.
                self.archived.pop(task, None)
            case ResultsStored(task=task, token=token, segment=segment):
                for index, value in enumerate(segment.values(), segment.start):
                    self.results.setdefault((task, index), []).append((token, value))
            case RunFinished(run=name, at=at):
                self.ends[name] = max(self.ends.get(name, fact), fact, key=lambda end: end.at)
                self.last_stamp = max(self.last_stamp, at)
            case StoryTold(at=at):
                self.last_stamp = max(self.last_stamp, at)
            case _:
                pass


class SimDisk(Records):
    """As records it is what was written, which a living process reads; ``flushed`` is what a power cut leaves."""

    def __init__(self, node: NodeId) -> None:
        super().__init__(node)
        self.boot = 0
        self.flushed = Records(node)
        self._queued: list[tuple[int, tuple[Fact, ...]]] = []
        self._unflushed: list[tuple[int, _Entry]] = []
        self._last_written = 0

    def append(self, ticket: int, facts: tuple[Fact, ...]) -> None:
        self._queued.append((ticket, facts))

    def write(self, ticket: int) -> None:
        """Everything up to this ticket is written."""
        while self._queued and self._queued[0][0] <= ticket:
            self._last_written, facts = self._queued.pop(0)
            self._write_entry(facts)

    def flush(self, ticket: int) -> None:
        """Everything written up to this ticket outlives a power cut."""
        while self._unflushed and self._unflushed[0][0] <= ticket:
            self.flushed.store(self._unflushed.pop(0)[1])

    def refuse(self, ticket: int) -> None:
        """This ticket could not be written, for lack of room; those before it were."""
        self.write(ticket - 1)
        self._queued = [entry for entry in self._queued if entry[0] != ticket]

    def archive(self, tasks: Iterable[TaskId]) -> None:
        self._write_entry(_Archiving(tuple(tasks)))

    def kill(self, rng: Random) -> None:
        """The process dies and the machine lives: of what was queued, a first part of random length is written."""
        for ticket, _ in self._queued[: rng.randint(0, len(self._queued))]:
            self.write(ticket)
        self._queued.clear()

    def crash(self, rng: Random) -> None:
        """Power is cut: of what was not flushed, a first part of random length has made it."""
        self.kill(rng)
        for _ in range(rng.randint(0, len(self._unflushed))):
            self.flushed.store(self._unflushed.pop(0)[1])
        self._unflushed.clear()
        self.take(self.flushed)

    def begin_boot(self) -> int:
        """Count one more life. Whoever goes on from what is written makes sure first that it stays."""
        self.flush(self._last_written)
        self._last_written = 0
        self.boot += 1
        return self.boot

    def restore(self) -> Restored:
        """Return the merge of all facts, as a node that starts gets it."""
        needed: dict[TaskId, None] = {}
        for task, record in reversed(self.tasks.items()):
            if task not in self.archived or task in needed:
                needed.update(dict.fromkeys([task, *(edge.source for edge in record.spec.edges)]))
        live = [record for task, record in self.tasks.items() if task in needed]
        wanted = {record.spec.run for record in live}
        wanted.update(run for run, record in self.runs.items() if run not in self.ends or not record.sealed.on)
        runs = tuple(self._archived_run(run, needed) for run in self.runs if run in wanted)
        return Restored(self.boot, self.last_stamp, runs, tuple(live))

    def recall(self, run: RunId) -> Archived:
        return self._archived_run(run)

    def missing(self, wanted: Iterable[TaskId], in_memory: Container[TaskId]) -> tuple[TaskRecord, ...]:
        """Return the wanted tasks that are not in memory, with all that they need, each after those it needs."""
        needed = dict.fromkeys(wanted)
        for task, record in reversed(self.tasks.items()):
            if task in needed and task not in in_memory:
                needed.update(dict.fromkeys(edge.source for edge in record.spec.edges))
        return tuple(record for task, record in self.tasks.items() if task in needed and task not in in_memory)

    def _write_entry(self, entry: _Entry) -> None:
        self.store(entry)
        self._unflushed.append((self._last_written, entry))

    def _archived_run(self, run: RunId, live: Container[TaskId] = ()) -> Archived:
        counts: dict[str, int] = {}
        archived = [task for task in self.archived if self.tasks[task].spec.run == run and task not in live]
        for task in archived:
            for state, ranges in ended_ranges(TaskEntry.of(self.tasks[task])).items():
                counts[state] = counts.get(state, 0) + len(ranges)
        return Archived(self.runs[run], counts, len(archived), self.ends.get(run))
