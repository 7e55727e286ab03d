"""Promise 1: nothing accepted is lost. What was answered with Accepted is on disk then and ever after."""

from roost.core.actions import Accepted, Action, Reply
from roost.core.events import CancelAsked, Event, RetryAsked, Submitted
from roost.core.node import Node
from roost.core.queue.replica import Phase, TaskEntry
from roost.core.telling.summaries import ended_ranges
from roost.model.ids import CauseId, TaskId, run_of
from roost.model.ranges import EMPTY, RangeSet
from roost.model.states import Absent, Cancelled, Done
from roost.sim.checkers.observer import Broken
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

    def on_action(self, action: Action, node: Node, disk: SimDisk) -> None:
        if isinstance(action, Reply):
            asked = self._asked.pop(action.cause, None)
            if not isinstance(action.outcome, Accepted):
                return
            if isinstance(asked, Submitted):
                self.accepted.update(dict.fromkeys(task.id for task in asked.tasks))
                self.check_disk(disk)
            elif isinstance(asked, CancelAsked):
                _check_cancelled(asked, disk)

    def on_crash(self) -> None:
        self._asked.clear()

    def check_disk(self, disk: SimDisk) -> None:
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


def _check_cancelled(asked: CancelAsked, disk: SimDisk) -> None:
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
