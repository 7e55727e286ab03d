"""Ends: when a task and a run are over, and when they leave memory.

Rules
- A task has ended when each of its elements is done, failed, cancelled or aborted.
- A run is finished when it is sealed and all its tasks have ended. That is written down with its counts; then the run
  leaves memory, and the journal answers for it. A retry recalls it.
- In a session that goes on, tasks that have ended, and that nothing waits for, leave memory in small groups.
- Nothing leaves memory while an executor or the disk still owes an answer about it.
"""

from typing import TYPE_CHECKING

from roost.core.actions import Archive, Notify, RunChanged
from roost.core.facts import RunFinished
from roost.core.replica import RunEntry, TaskEntry
from roost.core.report import element_counts, end_state, run_counts
from roost.core.tickets import Finish
from roost.model.ids import RunId, TaskId

if TYPE_CHECKING:
    from roost.core.node import Node

#: Ended tasks of an open session that are archived together. Fewer: less memory. More: fewer writes.
ARCHIVE_GROUP = 256


class Ending:
    def __init__(self, node: "Node") -> None:
        self._node = node
        #: Runs in which something may have ended.
        self._looked_at: dict[RunId, None] = {}

    def follow(self, entry: TaskEntry) -> None:
        """A task was touched: note whether it has ended."""
        task, run = entry.spec.id, self._node.replica.runs[entry.spec.run]
        if self._node.dataflow.has_ended(task):
            run.unended.pop(task, None)
            run.archivable[task] = None
        else:
            run.unended[task] = None
            run.archivable.pop(task, None)
            run.finishing = run.finished_at = None
            run.kept = False
        self._looked_at[entry.spec.run] = None

    def look_at(self, run: RunId) -> None:
        self._looked_at[run] = None

    def release_kept(self) -> None:
        """Another request recalls runs: those that an earlier one recalled may leave again."""
        for run_id, run in self._node.replica.runs.items():
            if run.kept:
                run.kept = False
                self._looked_at[run_id] = None

    def recalled(self, task: TaskId) -> None:
        """A task is back from the archive: its elements are no longer counted there."""
        run = self._node.replica.runs[self._node.replica.tasks[task].spec.run]
        if run.archived_tasks:
            run.archived_tasks -= 1
            for state, count in element_counts(self._node, task).items():
                run.archived[state] = run.archived.get(state, 0) - count

    def conclude(self) -> None:
        """Finish the runs, and archive the tasks, whose time has come."""
        looked_at, self._looked_at = self._looked_at, {}
        for run_id in looked_at:
            run = self._node.replica.runs.get(run_id)
            if run is None or run.finishing is not None or run.kept:
                continue
            if run.finished_at is not None:
                self._leave(run_id, run)
            elif run.sealed and not run.unended:
                self._write_finish(run_id, run)
            elif not run.sealed and len(run.archivable) >= ARCHIVE_GROUP:
                self._archive_some(run)

    def finish(self, finished: RunFinished) -> None:
        """A run's end is on disk: say so and let go of it, unless it has gone on in the meantime."""
        node = self._node
        run = node.replica.runs.get(finished.run)
        if run is None or run.finishing != finished.at:
            return
        run.finishing = None
        if self._owed(finished.run):
            return
        if run_counts(node, run) != finished.counts:
            self._write_finish(finished.run, run)
            return
        run.finished_at = finished.at
        node.act(Notify(RunChanged(finished.run, finished.state)))
        self._leave(finished.run, run)

    def _leave(self, run_id: RunId, run: RunEntry) -> None:
        if not self._owed(run_id):
            self._drop(list(run.tasks))
            del self._node.replica.runs[run_id]

    def _owed(self, run_id: RunId) -> bool:
        """Whether an executor or the disk still owes an answer about this run; when it comes, the run is looked at."""
        return self._node.awaits_disk(run_id) or any(
            lease.spec.run == run_id for lease in self._node.leases.active.values()
        )

    def _write_finish(self, run_id: RunId, run: RunEntry) -> None:
        node = self._node
        if self._owed(run_id):
            return
        counts = run_counts(node, run)
        finished = RunFinished(run_id, node.stamp(), end_state(counts), counts, len(run.tasks) + run.archived_tasks)
        run.finishing = finished.at
        node.persist(Finish(finished), finished)

    def _archive_some(self, run: RunEntry) -> None:
        node = self._node
        busy = {lease.spec.id for lease in node.leases.active.values()}
        gone = [
            task
            for task in run.archivable
            if task not in busy and not any(target in run.unended for target in node.dataflow.targets(task))
        ]
        for task in gone:
            for state, count in element_counts(node, task).items():
                run.archived[state] = run.archived.get(state, 0) + count
        run.archived_tasks += len(gone)
        self._drop(gone)

    def _drop(self, tasks: list[TaskId]) -> None:
        node = self._node
        # A task leaves after those that it feeds, because dataflow forgets edges from the far end.
        for task in reversed(tasks):
            run = node.replica.runs[node.replica.tasks[task].spec.run]
            run.unended.pop(task, None)
            run.archivable.pop(task, None)
            node.scheduler.set_ready(node.replica.tasks[task], ready=False)
            node.scheduler.forget(task)
            node.dataflow.drop(task)
            node.replica.drop_task(task)
        if tasks:
            node.act(Archive(tuple(tasks)))
