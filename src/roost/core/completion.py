"""Completion: when a task and a run are over, and when they leave memory.

Rules
- A task has ended when each of its elements is done, failed, cancelled or aborted.
- A run is finished when it is sealed and all its tasks are known and have ended. That is written down with its counts;
  then the run leaves memory, and the journal answers for it. A retry recalls it.
- It ended when the last of its elements did, or when it was sealed. Whoever ends elements says when, in the words in
  which it tells of them, so that all nodes come to the same moment without a further message. If one has missed some,
  digests tell that the records differ, and the latest moment stays.
- In a session that goes on, tasks that have ended leave memory in small groups.
- Nothing leaves memory while an executor or the disk still owes an answer about it, nor before what it feeds, in
  whichever run that is.
- A result that waits for voters does not keep a run from ending whose elements have all ended otherwise: the voters may
  never come, and all nodes are to say the same. The run stays in memory for it, and goes on if it counts after all.
"""

from typing import TYPE_CHECKING

from roost.core.actions import Archive, Notify, RunChanged
from roost.core.facts import Fact, RunFinished, RunMerged
from roost.core.queue.replica import FINAL_PHASES, Phase, RunEntry, TaskEntry, phase_of
from roost.core.restored import Archived
from roost.core.telling.summaries import end_state, ended_counts, run_counts
from roost.core.tickets import Finish
from roost.model.clock import Stamp, after
from roost.model.ids import RunId, TaskId, run_of
from roost.model.ranges import RangeSet
from roost.model.record import RunRecord
from roost.model.states import State

if TYPE_CHECKING:
    from roost.core.node import Node

#: Ended tasks of an open session that are archived together. Fewer: less memory. More: fewer writes.
ARCHIVE_GROUP = 256


class Completion:
    def __init__(self, node: "Node", archive_group: int) -> None:
        self._node = node
        self._group = archive_group
        #: Runs in which something may have ended.
        self._looked_at: dict[RunId, None] = {}
        #: How many ended tasks an open session may have before looking through them is worth it again.
        self._archive_at: dict[RunId, int] = {}
        #: Tasks that the last request recalled; it is about to name them.
        self._recalled: dict[TaskId, None] = {}

    def follow(self, entry: TaskEntry) -> None:
        """A task was touched: note whether it has ended."""
        task, run = entry.spec.id, self._node.replica.runs[entry.spec.run]
        if self._node.dataflow.has_ended(task):
            run.unended.pop(task, None)
            run.archivable[task] = None
        else:
            run.unended[task] = None
            if run.archivable:
                run.archivable.pop(task, None)
            self.reopen(entry.spec.run)
        self._looked_at[entry.spec.run] = None

    def reopen(self, run_id: RunId) -> None:
        """Something in a run moved: an end that was written, or is being written, does not describe it any more."""
        run = self._node.replica.runs[run_id]
        run.finishing = run.finished_at = None
        run.kept = False

    def moved(
        self, entry: TaskEntry, moved: list[tuple[State, RangeSet]], targets: list[TaskId], at: Stamp | None
    ) -> None:
        """Elements of a task moved, and with them what can run of ``targets``; ``at`` as others say, or now."""
        self.reopen(entry.spec.run)
        # That elements do not exist follows from the end of another, which is told.
        phases = {phase_of(state, entry.spec.retries) for state, _ in moved} - {Phase.ABSENT}
        if not phases.isdisjoint(FINAL_PHASES):
            at = self._node.moment() if at is None else at
            for run_id in dict.fromkeys([entry.spec.run, *map(run_of, targets)]):
                run = self._node.replica.runs[run_id]
                run.last_end = max(run.last_end, at)

    def restored(self, archived: Archived, last_stamp: Stamp) -> None:
        """A run is back after a restart: an end that was written before a retry says nothing about what followed.

        When the last of its elements ended is not on disk; that was no later than anything else that is.
        """
        run = self._node.replica.runs[archived.record.spec.id]
        if archived.finished is None or archived.finished.counts != run_counts(self._node, run):
            self.reopen(archived.record.spec.id)
            run.last_end = last_stamp

    def look_at(self, run: RunId) -> None:
        self._looked_at[run] = None

    def release_kept(self) -> None:
        """Another request recalls records: those that an earlier one recalled may leave again."""
        self._recalled.clear()
        for run_id, run in self._node.replica.runs.items():
            if run.kept:
                run.kept = False
                self._looked_at[run_id] = None

    def recalled(self, task: TaskId) -> None:
        """A task is back from the archive: its elements are no longer counted there."""
        self._recalled[task] = None
        run = self._node.replica.runs[self._node.replica.tasks[task].spec.run]
        if run.archived_tasks:
            run.archived_tasks -= 1
            for state, count in ended_counts(self._node.replica.tasks[task]).items():
                run.archived[state] = run.archived.get(state, 0) - count

    def conclude(self) -> None:
        """Finish the runs, and archive the tasks, whose time has come."""
        # What leaves lets those go that only stayed because they fed it, so they are looked at in turn.
        while self._looked_at:
            looked_at, self._looked_at = self._looked_at, {}
            for run_id in looked_at:
                run = self._node.replica.runs.get(run_id)
                if run is None or self._node.tombstones.is_going(run_id):
                    continue
                if run.finishing is None and not run.kept:
                    self._conclude(run_id, run)

    def _conclude(self, run_id: RunId, run: RunEntry) -> None:
        if run.finished_at is not None:
            self._leave(run_id)
        elif run.is_complete and not run.unended:
            self._write_finish(run_id, run)
        elif not run.sealed and len(run.archivable) >= self._archive_at.get(run_id, self._group):
            self._archive_some(run_id, run)

    def finish(self, finished: RunFinished) -> None:
        """A run's end is on disk: say so and let go of it, unless it has gone on in the meantime."""
        node = self._node
        run = node.replica.runs.get(finished.run)
        if run is None or run.finishing != finished.at:
            return
        run.finishing = None
        if self._may_go_on(finished.run):
            return
        run.finished_at = finished.at
        node.act(Notify(RunChanged(finished.run, finished.state)))
        self._leave(finished.run)

    def _leave(self, run_id: RunId) -> None:
        """Let go of a finished run and of those that it feeds, which may feed it in turn; if one must stay, of none."""
        node = self._node
        together = {run_id: None}
        pending = [run_id]
        while pending:
            run_id = pending.pop()
            run = node.replica.runs[run_id]
            if run.finished_at is None or run.kept or self._owed(run_id):
                return
            fed = {run_of(target): None for task in run.tasks for target in node.dataflow.targets(task)}
            pending += [other for other in fed if other not in together]
            together |= fed
        for run_id in together:
            self._drop(list(node.replica.runs[run_id].tasks))
            node.digests.run_leaves(run_id)
            del node.replica.runs[run_id]
            self._archive_at.pop(run_id, None)

    def vanish(self, runs: list[RunId]) -> None:
        """Let go of runs that were forgotten; nobody owes an answer about them."""
        node = self._node
        for run_id in runs:
            self._let_go(list(node.replica.runs[run_id].tasks))
        for run_id in runs:
            del node.replica.runs[run_id]
            self._archive_at.pop(run_id, None)
            self._looked_at.pop(run_id, None)

    def _owed(self, run_id: RunId) -> bool:
        """Whether an executor or the disk still owes an answer about this run; when it comes, the run is looked at."""
        return self._node.tickets.awaits(run_id) > 0 or self._is_leased(run_id)

    def _may_go_on(self, run_id: RunId) -> bool:
        """Whether an answer is owed for which the end of this run waits: all but that of voters."""
        node = self._node
        return node.tickets.awaits(run_id) > node.mesh.quorum.open_in(run_id) or self._is_leased(run_id)

    def _is_leased(self, run_id: RunId) -> bool:
        return any(lease.spec.run == run_id for lease in self._node.leases.active.values())

    def _write_finish(self, run_id: RunId, run: RunEntry) -> None:
        node = self._node
        if self._may_go_on(run_id):
            return
        counts = run_counts(node, run)
        digest = node.digests.digest_of_tasks(run_id)
        written = after(node.stamp(), run.last_finish)
        finished = RunFinished(run_id, written, end_state(counts), counts, run.task_count, digest)
        run.finishing = run.last_finish = written
        facts: list[Fact] = [finished]
        at = max(run.last_end, run.record.sealed.changed)
        if node.clocks.leads(at, node.now):
            # The clock of whoever ended it was wrong; it was before this.
            at = written
        if at > run.record.finished:
            node.replica.add_run(RunRecord(run.record.spec, finished=at))
            node.digests.run_changed(run_id)
            facts.append(RunMerged(run.record))
        node.persist(Finish(finished), *facts)

    def _archive_some(self, run_id: RunId, run: RunEntry) -> None:
        gone = self._free_to_leave(run)
        for task in gone:
            for state, count in ended_counts(self._node.replica.tasks[task]).items():
                run.archived[state] = run.archived.get(state, 0) + count
        run.archived_tasks += len(gone)
        self._drop(gone)
        # Those that have to stay are looked through again when there are twice as many: a wide fan-in stays cheap.
        self._archive_at[run_id] = self._group + 2 * len(run.archivable)

    def _free_to_leave(self, run: RunEntry) -> list[TaskId]:
        """Return the ended tasks about which nobody owes an answer, and that feed only each other."""
        node = self._node
        busy = self._recalled | {lease.spec.id: None for lease in node.leases.active.values()}
        leaving = {task: None for task in run.archivable if task not in busy and not node.tickets.awaits(task)}
        staying = [task for task in leaving if any(target not in leaving for target in node.dataflow.targets(task))]
        while staying:
            task = staying.pop()
            if task in leaving:
                del leaving[task]
                staying += (edge.source for edge in node.replica.tasks[task].spec.edges)
        return list(leaving)

    def _drop(self, tasks: list[TaskId]) -> None:
        self._let_go(tasks)
        if tasks:
            self._node.act(Archive(tuple(tasks)))

    def _let_go(self, tasks: list[TaskId]) -> None:
        node = self._node
        # A task leaves after those that it feeds, because dataflow forgets edges from the far end.
        for task in reversed(tasks):
            spec = node.replica.tasks[task].spec
            self._looked_at.update((run_of(edge.source), None) for edge in spec.edges)
            run = node.replica.runs[spec.run]
            run.unended.pop(task, None)
            run.archivable.pop(task, None)
            node.scheduler.set_ready(node.replica.tasks[task], ready=False)
            node.scheduler.forget(task)
            node.disk_pressure.forget(task)
            node.digests.task_leaves(task)
            node.mesh.re_replication.forget(task)
            node.mesh.quorum.forget(task)
            node.inventory.drop(task)
            node.mesh.fetching.forget(task)
            node.mesh.bidding.forget(task)
            node.mesh.finished_tasks.remember(task, node.now)
            node.dataflow.drop(task)
            node.replica.drop_task(task)
