"""Ends: when everything is at rest, each run's end is on disk, with the counts that its tasks have there."""

from roost.core.actions import Action
from roost.core.events import Event
from roost.core.node import Node
from roost.core.queue.replica import TaskEntry
from roost.core.telling.summaries import end_state, ended_ranges
from roost.model.ids import RunId
from roost.sim.checkers.observer import Broken
from roost.sim.journal import SimDisk


class EndsTold:
    def on_event(self, event: Event, node: Node) -> None:
        """An end is not asked for."""

    def on_action(self, action: Action, node: Node, disk: SimDisk) -> None:
        """On the way, an end may be older than what a retry began since."""

    def on_crash(self) -> None:
        """It keeps no books."""

    def at_rest(self, node: Node, disk: SimDisk) -> None:
        counts: dict[RunId, dict[str, int]] = {run: {} for run in disk.flushed.runs}
        for record in disk.flushed.tasks.values():
            of_run = counts[record.spec.run]
            for state, ranges in ended_ranges(TaskEntry.of(record)).items():
                of_run[state] = of_run.get(state, 0) + len(ranges)
        for run, expected in counts.items():
            end = disk.flushed.ends.get(run)
            if end is None or (end.counts, end.state) != (expected, end_state(expected)):
                raise Broken(f"run {run} ended with {expected}, and its end on disk is {end}")
