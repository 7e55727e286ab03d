"""The shelf: what this node knows of a task, in memory or on disk only, and which of its outcomes are here."""

from roost.core.node import Node
from roost.model.elements import Elements
from roost.model.ids import NodeId, RunId, TaskId
from roost.model.ranges import EMPTY, RangeSet
from roost.model.states import Done, Failed, State
from roost.model.task import RunSpec, TaskSpec
from roost.model.token import Token
from roost.runtime.journal.journal import Journal


class Shelf:
    def __init__(self, node: Node, journal: Journal) -> None:
        self._node = node
        self._journal = journal

    def spec(self, task: TaskId) -> TaskSpec:
        """Raise NotFound if there is no such task."""
        entry = self._node.queue.replica.tasks.get(task)
        return entry.spec if entry is not None else self._journal.task_record(task).spec

    def run_spec(self, run: RunId) -> RunSpec:
        """Raise NotFound if there is no such run."""
        entry = self._node.queue.replica.runs.get(run)
        return (self._journal.run_record(run) if entry is None else entry.record).spec

    def elements(self, task: TaskId) -> Elements:
        """Return the states of a task's elements; raise NotFound if there is no such task."""
        entry = self._node.queue.replica.tasks.get(task)
        return entry.elements if entry is not None else self._journal.task_record(task).elements

    def state(self, task: TaskId, index: int) -> State | None:
        return self.elements(task).at(index)

    def absent_results(self, task: TaskId, ranges: RangeSet) -> RangeSet:
        """Return the done elements within ``ranges`` whose accepted results are not here."""
        entry = self._node.queue.replica.tasks.get(task)
        if entry is not None:
            return (entry.done & ranges) - self._node.inventory.results(task)
        held = {(token, maker): part for token, maker, part in self._journal.holdings(task).results}
        absent = EMPTY
        for state, part in self._journal.task_record(task).elements.entries_within(ranges):
            if isinstance(state, Done):
                absent |= part - held.get((state.token, state.node), EMPTY)
        return absent

    def absent_failures(self, task: TaskId, ranges: RangeSet) -> dict[int, tuple[Token, NodeId]]:
        """Return the failed elements within ``ranges`` of which it is not known here why, with their last attempts."""
        entries = self.elements(task).entries_within(ranges)
        failed = [(state, part) for state, part in entries if isinstance(state, Failed)]
        if not failed:
            return {}
        known = dict(self._journal.failure_tokens(task, ranges))
        return {
            index: (state.token, state.node)
            for state, part in failed
            for index in part
            if known.get(index) != state.token
        }
