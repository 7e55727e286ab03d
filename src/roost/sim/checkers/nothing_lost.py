"""Promise 1: nothing accepted is lost. What was answered with Accepted is on disk then and ever after, and ends."""

from typing import TYPE_CHECKING

from roost.core.actions import Accepted, Action, Reply
from roost.core.events import CancelAsked, Event, RetryAsked, Submitted
from roost.core.node import Node
from roost.core.queue.replica import Phase, TaskEntry
from roost.core.telling.summaries import ended_ranges
from roost.model.ids import CauseId, TaskId, run_of
from roost.model.ranges import EMPTY, RangeSet
from roost.model.record import TaskRecord
from roost.model.states import Absent, Cancelled, Done
from roost.sim.checkers.inputs import has_all_inputs
from roost.sim.checkers.observer import Broken

if TYPE_CHECKING:
    from roost.sim.journal import SimDisk


class NothingLost:
    def __init__(self) -> None:
        self._asked: dict[CauseId, Submitted | CancelAsked | RetryAsked] = {}
        self.accepted: dict[TaskId, None] = {}

    def on_event(self, event: Event, node: Node) -> None:
        if isinstance(event, Submitted | RetryAsked):
            self._asked[event.cause] = event
        if isinstance(event, CancelAsked):
            # A retry that is not answered yet may come after the cancellation, and then stands.
            retried = {
                task for asked in self._asked.values() if isinstance(asked, RetryAsked) for task, _ in asked.tasks
            }
            certain = tuple(
                (task, ranges - _not_meant(event, task, node)) for task, ranges in event.tasks if task not in retried
            )
            self._asked[event.cause] = CancelAsked(event.cause, certain)

    def on_action(self, action: Action, node: Node, disk: "SimDisk") -> None:
        if isinstance(action, Reply):
            asked = self._asked.pop(action.cause, None)
            if not isinstance(action.outcome, Accepted):
                return
            if isinstance(asked, Submitted):
                self.accepted.update(dict.fromkeys(task.id for task in asked.tasks))
                self._all_on_disk(disk)
            elif isinstance(asked, CancelAsked):
                _check_cancelled(asked, disk)

    def on_crash(self) -> None:
        self._asked.clear()

    def at_rest(self, node: Node, disk: "SimDisk") -> None:
        self._all_on_disk(disk)
        for task in self.accepted:
            if run_of(task) in disk.flushed.tombstones:
                continue
            entry = TaskEntry.of(disk.flushed.tasks[task])
            ended = sum(len(ranges) for ranges in ended_ranges(entry).values())
            if ended != len(entry.present) or task in node.queue.replica.tasks:
                raise Broken(f"{task} has not ended although everything is at rest")
            could_run = _aborted_for_nothing(disk.flushed.tasks[task], disk)
            if could_run:
                raise Broken(f"{task}: {could_run} never ran although all inputs are there")

    def _all_on_disk(self, disk: "SimDisk") -> None:
        for task in self.accepted:
            if task not in disk.flushed.tasks and run_of(task) not in disk.flushed.tombstones:
                raise Broken(f"{task} was accepted and is not on disk")


def _not_meant(event: CancelAsked, task: TaskId, node: Node) -> RangeSet:
    """Return what a cancellation leaves alone for all that a node knows.

    What has failed: there is nothing to cancel, and a retry elsewhere stands. What is leased, if it is to be spared.
    """
    entry = node.queue.replica.tasks.get(task)
    if entry is None:
        return EMPTY
    failed = entry.phases[Phase.FAILED]
    return failed | entry.leased if event.unleased else failed


def _aborted_for_nothing(record: TaskRecord, disk: "SimDisk") -> RangeSet:
    """Return the elements that count as aborted and lack no input.

    A source in another run may have been done later; then only a person can say whether it is still wanted.
    """
    if any(disk.flushed.tasks[edge.source].spec.run != record.spec.run for edge in record.spec.edges):
        return EMPTY
    left = ended_ranges(TaskEntry.of(record)).get("aborted", EMPTY)
    return RangeSet.of(index for index in left if has_all_inputs(record.spec, index, disk.flushed.tasks))


def _check_cancelled(asked: CancelAsked, disk: "SimDisk") -> None:
    for task, ranges in asked.tasks:
        if run_of(task) in disk.flushed.tombstones:
            continue
        record = disk.flushed.tasks[task]
        final = record.elements.in_state(Cancelled, Absent, Done)
        # What was sent back may have been so after the cancellation, and then goes on.
        for state, part in record.elements.items():
            final |= part if state.edition else EMPTY
        wanted = ranges & record.spec.elements
        left = wanted - final - ended_ranges(TaskEntry.of(record)).get("failed", wanted - wanted)
        if left:
            raise Broken(f"{task}: the cancellation of {left} was accepted and is not on disk")
