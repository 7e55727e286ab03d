"""Promise 1 of a lone node: what was accepted also comes to its end, and nothing waits for what is there."""

from roost.core.node import Node
from roost.core.queue.replica import TaskEntry
from roost.core.telling.summaries import ended_ranges
from roost.model.ids import run_of
from roost.model.ranges import EMPTY, RangeSet
from roost.model.record import TaskRecord
from roost.sim.checkers.nothing_lost import NothingLost
from roost.sim.checkers.observer import Broken
from roost.sim.journal import SimDisk
from tests.lone.inputs import has_all_inputs


class NothingLeft(NothingLost):
    def at_rest(self, node: Node, disk: SimDisk) -> None:
        self.check_disk(disk)
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


def _aborted_for_nothing(record: TaskRecord, disk: SimDisk) -> RangeSet:
    """Return the elements that count as aborted and lack no input.

    A source in another run may have been done later; then only a person can say whether it is still wanted.
    """
    if any(disk.flushed.tasks[edge.source].spec.run != record.spec.run for edge in record.spec.edges):
        return EMPTY
    left = ended_ranges(TaskEntry.of(record)).get("aborted", EMPTY)
    return RangeSet.of(index for index in left if has_all_inputs(record.spec, index, disk.flushed.tasks))
