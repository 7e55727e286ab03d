"""The simulated disk, twin of runtime/journal.py: it takes tickets, writes them late, and fails on request.

A ticket is on disk whole or not at all, and tickets reach it in order, as SQLite's journal promises. A crash loses what
was not written; an unlucky one finds that the last ticket had reached the disk although nobody was told.
"""

from collections.abc import Container, Iterable
from random import Random

from roost.core.facts import Fact, ResultsStored, RunFinished, RunMerged, StatesMerged, StoryTold, TaskAdded
from roost.core.replica import TaskEntry
from roost.core.report import ended_ranges
from roost.core.restored import Archived, Restored
from roost.model.clock import zero
from roost.model.ids import NodeId, RunId, TaskId, Token
from roost.model.record import RunRecord, TaskRecord


class SimDisk:
    """What survives a crash: facts, and the records that are their merge."""

    def __init__(self, node: NodeId) -> None:
        self._node = node
        self.boot = 0
        self.runs: dict[RunId, RunRecord] = {}
        #: Each after those that it needs.
        self.tasks: dict[TaskId, TaskRecord] = {}
        self.results: dict[tuple[TaskId, int], list[tuple[Token, bytes]]] = {}
        self.ends: dict[RunId, RunFinished] = {}
        self._last_stamp = zero(node)
        self._archived: dict[TaskId, None] = {}
        self._queued: list[tuple[int, tuple[Fact, ...]]] = []

    def append(self, ticket: int, facts: tuple[Fact, ...]) -> None:
        self._queued.append((ticket, facts))

    def write(self, ticket: int) -> None:
        """Everything up to this ticket is on disk."""
        while self._queued and self._queued[0][0] <= ticket:
            self._store(self._queued.pop(0)[1])

    def refuse(self, ticket: int) -> None:
        """This ticket could not be written, for lack of room; those before it were."""
        self.write(ticket - 1)
        self._queued = [entry for entry in self._queued if entry[0] != ticket]

    def archive(self, tasks: Iterable[TaskId]) -> None:
        self._archived.update(dict.fromkeys(tasks))

    def crash(self, rng: Random) -> None:
        """Power is cut: of what was queued, a first part of random length has made it."""
        for _ in range(rng.randint(0, len(self._queued))):
            self._store(self._queued.pop(0)[1])
        self._queued.clear()

    def begin_boot(self) -> int:
        self.boot += 1
        return self.boot

    def restore(self) -> Restored:
        """Return the merge of all facts, as a node that starts gets it."""
        needed: dict[TaskId, None] = {}
        for task, record in reversed(self.tasks.items()):
            if task not in self._archived or task in needed:
                needed.update(dict.fromkeys([task, *(edge.source for edge in record.spec.edges)]))
        live = [record for task, record in self.tasks.items() if task in needed]
        wanted = {record.spec.run for record in live}
        wanted.update(run for run, record in self.runs.items() if run not in self.ends or not record.sealed.on)
        runs = tuple(self._archived_run(run, needed) for run in self.runs if run in wanted)
        return Restored(self.boot, self._last_stamp, runs, tuple(live))

    def recall(self, run: RunId) -> Archived:
        return self._archived_run(run)

    def missing(self, wanted: Iterable[TaskId], in_memory: Container[TaskId]) -> tuple[TaskRecord, ...]:
        """Return the wanted tasks that are not in memory, with all that they need, each after those it needs."""
        needed = dict.fromkeys(wanted)
        for task, record in reversed(self.tasks.items()):
            if task in needed and task not in in_memory:
                needed.update(dict.fromkeys(edge.source for edge in record.spec.edges))
        return tuple(record for task, record in self.tasks.items() if task in needed and task not in in_memory)

    def _store(self, facts: tuple[Fact, ...]) -> None:
        for fact in facts:
            match fact:
                case RunMerged(record=run):
                    self.runs[run.spec.id] = self.runs.get(run.spec.id, run).merge(run)
                case TaskAdded(spec=spec):
                    self.tasks[spec.id] = TaskRecord(spec)
                case StatesMerged(task=task, delta=delta):
                    known = self.tasks[task]
                    self.tasks[task] = TaskRecord(known.spec, known.elements.merge(delta))
                    # What moves once more is no longer archived.
                    self._archived.pop(task, None)
                case ResultsStored(task=task, token=token, segment=segment):
                    for index, value in enumerate(segment.values(), segment.start):
                        self.results.setdefault((task, index), []).append((token, value))
                case RunFinished(run=name, at=at):
                    self.ends[name] = max(self.ends.get(name, fact), fact, key=lambda end: end.at)
                    self._last_stamp = max(self._last_stamp, at)
                case StoryTold(at=at):
                    self._last_stamp = max(self._last_stamp, at)
                case _:
                    pass

    def _archived_run(self, run: RunId, live: Container[TaskId] = ()) -> Archived:
        counts: dict[str, int] = {}
        archived = [task for task in self._archived if self.tasks[task].spec.run == run and task not in live]
        for task in archived:
            for state, ranges in ended_ranges(TaskEntry.of(self.tasks[task])).items():
                counts[state] = counts.get(state, 0) + len(ranges)
        return Archived(self.runs[run], counts, len(archived), self.ends.get(run))
