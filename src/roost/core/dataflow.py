"""Dataflow: which elements have all their inputs, and which will never have them.

Rules
- An element is *available* when every edge into its task is satisfied for it: EACH by the source's element of the same
  index being done; ALL, BROADCAST and AFTER by the whole source being done.
- An element is *doomed* when something that it needs failed, was cancelled or is doomed itself. People see it as
  aborted. Doom is derived, never stored: a retry upstream lifts it by itself.
- Whole edges are counted, not scanned, so that a fan-in of 10,000 costs 10,000 steps, not their square.

It follows the replica and does not know who runs what.
"""

from collections.abc import Iterable

from roost.core.replica import Replica, TaskEntry
from roost.model.errors import InvariantViolated
from roost.model.ids import TaskId
from roost.model.ranges import EMPTY, RangeSet
from roost.model.task import EdgeKind, TaskSpec


class Flow:
    """What dataflow keeps about one task."""

    __slots__ = ("available", "doomed", "each_sources", "targets", "whole_done", "whole_lost", "whole_missing")

    def __init__(self, spec: TaskSpec) -> None:
        self.each_sources = [edge.source for edge in spec.edges if edge.kind is EdgeKind.EACH]
        #: Sources of whole edges that are not all done yet.
        self.whole_missing = {edge.source for edge in spec.edges if edge.kind is not EdgeKind.EACH}
        #: Sources of whole edges that lost an element.
        self.whole_lost: set[TaskId] = set()
        self.available = EMPTY
        self.doomed = EMPTY
        #: Tasks that have an edge from this one, in the order in which they were added.
        self.targets: dict[TaskId, None] = {}


class Dataflow:
    def __init__(self, replica: Replica) -> None:
        self._replica = replica
        self._flows: dict[TaskId, Flow] = {}

    def add(self, entry: TaskEntry) -> None:
        """Follow a task whose sources are all in the replica already."""
        spec = entry.spec
        flow = self._flows[spec.id] = Flow(spec)
        for edge in spec.edges:
            self._flows[edge.source].targets[spec.id] = None
        for source in sorted(flow.whole_missing):
            self._note_whole(flow, source)
        self._recompute(spec.id)

    def drop(self, task: TaskId) -> None:
        """Forget a task that has ended, and whose targets have ended too."""
        for edge in self._replica.tasks[task].spec.edges:
            source = self._flows.get(edge.source)
            if source is not None:
                source.targets.pop(task, None)
        del self._flows[task]

    def ready(self, task: TaskId) -> RangeSet:
        """Return the elements that nobody has and that could run now."""
        entry, flow = self._replica.tasks[task], self._flows[task]
        ready = entry.pending
        if flow.available is not entry.spec.elements:
            ready &= flow.available
        return ready - flow.doomed if flow.doomed else ready

    def aborted(self, task: TaskId) -> RangeSet:
        """Return the elements that wait for something that will not come."""
        return self._replica.tasks[task].pending & self._flows[task].doomed

    def waiting(self, task: TaskId) -> RangeSet:
        entry, flow = self._replica.tasks[task], self._flows[task]
        return entry.pending - flow.available - flow.doomed

    def targets(self, task: TaskId) -> list[TaskId]:
        return list(self._flows[task].targets)

    def aborted_behind(self, tasks: Iterable[TaskId]) -> list[TaskId]:
        """Return the tasks with aborted elements that these feed, directly or through others."""
        found: dict[TaskId, None] = {}
        pending = list(tasks)
        while pending:
            fed = [target for target in self._flows[pending.pop()].targets if target not in found]
            pending += fed
            found.update(dict.fromkeys(fed))
        return [task for task in found if self.aborted(task)]

    def has_ended(self, task: TaskId) -> bool:
        entry = self._replica.tasks[task]
        return not entry.leased and entry.pending.issubset(self._flows[task].doomed)

    def source_moved(self, task: TaskId) -> list[TaskId]:
        """Elements of ``task`` are done, lost, or no longer lost. Return the tasks whose ready set may have changed."""
        changed: dict[TaskId, None] = {}
        pending = [task]
        while pending:
            source = pending.pop()
            for target in self._flows[source].targets:
                flow = self._flows[target]
                if source in flow.whole_missing or source in flow.whole_lost:
                    self._note_whole(flow, source)
                doomed_before, available_before = flow.doomed, flow.available
                self._recompute(target)
                if flow.doomed != doomed_before:
                    pending.append(target)
                if flow.doomed != doomed_before or flow.available != available_before:
                    changed[target] = None
        return list(changed)

    def _note_whole(self, flow: Flow, source: TaskId) -> None:
        entry, source_flow = self._replica.tasks[source], self._flows[source]
        if len(entry.done) == len(entry.spec.elements):
            flow.whole_missing.discard(source)
        if entry.lost or source_flow.doomed:
            flow.whole_lost.add(source)
        else:
            flow.whole_lost.discard(source)

    def _recompute(self, task: TaskId) -> None:
        flow, elements = self._flows[task], self._replica.tasks[task].spec.elements
        available, doomed = elements, EMPTY
        for source in flow.each_sources:
            entry, source_flow = self._replica.tasks[source], self._flows[source]
            available &= entry.done
            doomed |= (entry.lost | source_flow.doomed) & elements
        flow.available = EMPTY if flow.whole_missing else available
        flow.doomed = elements if flow.whole_lost else doomed

    def check(self) -> None:
        for task, flow in self._flows.items():
            fresh = Flow(self._replica.tasks[task].spec)
            for source in sorted(fresh.whole_missing):
                self._note_whole(fresh, source)
            if (fresh.whole_missing, fresh.whole_lost) != (flow.whole_missing, flow.whole_lost):
                raise InvariantViolated(f"{task}: edges say {fresh.whole_missing}, kept are {flow.whole_missing}")
            before = (flow.available, flow.doomed)
            self._recompute(task)
            if before != (flow.available, flow.doomed):
                raise InvariantViolated(f"{task}: available and doomed were {before}")
