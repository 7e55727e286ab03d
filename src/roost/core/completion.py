"""Completion: when a task and a run are over, and when they leave memory.

Rules
- A task has ended when each of its elements is done, failed, cancelled or aborted.
- A run is finished when it is sealed and all its tasks are known and have ended. That is written down with its counts;
  then the run leaves memory, and the journal answers for it. A retry recalls it.
- It ended when the last of its elements did, or when it was sealed. Whoever ends elements says when, in the words in
  which it tells of them, so that all nodes come to the same moment without a further message. If one has missed some,
  digests tell that the records differ, and the latest moment stays.
- In a session that goes on, tasks that have ended leave memory in small groups.
- What was aborted and has left memory may go on after all, when what it waited for is done by a retry: another node
  that has all of the run in memory knows that. So before a run ends with such tasks, they are looked up.
- Nothing leaves memory while an executor or the disk still owes an answer about it, nor before what it feeds, in
  whichever run that is.
- A result that waits for voters does not keep a run from ending whose elements have all ended otherwise: the voters may
  never come, and all nodes are to say the same. The run stays in memory for it, and goes on if it counts after all.
"""

from collections.abc import Callable, Iterable

from roost.core.actions import Archive, LookUp, Notify, RunChanged
from roost.core.clock_bounds import ClockBounds
from roost.core.facts import Fact, RunFinished, RunMerged
from roost.core.queue.dataflow import Dataflow
from roost.core.queue.digests import Digests
from roost.core.queue.forgotten_runs import ForgottenRuns
from roost.core.queue.leases import Leases
from roost.core.queue.replica import FINAL_PHASES, Phase, Replica, RunEntry, TaskEntry, phase_of
from roost.core.quorum.quorum import Quorum
from roost.core.restored import Archived
from roost.core.telling.summaries import Summaries, end_state, ended_counts
from roost.core.tickets import Finish, Tickets
from roost.core.turn import Turn
from roost.model.clock import Stamp, after
from roost.model.ids import RunId, TaskId, run_of
from roost.model.ranges import RangeSet
from roost.model.record import RunRecord
from roost.model.states import State

#: Ended tasks of an open session that are archived together. Fewer: less memory. More: fewer writes.
ARCHIVE_GROUP = 256


class Completion:
    def __init__(
        self,
        turn: Turn,
        *,
        clocks: ClockBounds,
        tickets: Tickets,
        replica: Replica,
        dataflow: Dataflow,
        leases: Leases,
        digests: Digests,
        forgotten: ForgottenRuns,
        quorum: Quorum,
        summaries: Summaries,
        leave: Iterable[Callable[[TaskId], None]],
        archive_group: int,
    ) -> None:
        """``leave``: all who have to know that a task leaves memory, in this order."""
        self._turn = turn
        self._clocks = clocks
        self._tickets = tickets
        self._replica = replica
        self._dataflow = dataflow
        self._leases = leases
        self._digests = digests
        self._quorum = quorum
        self._forgotten = forgotten
        self._summaries = summaries
        self._leave_memory = tuple(leave)
        self._group = archive_group
        #: How many ended tasks an open session may have before looking through them is worth it again.
        self._archive_at: dict[RunId, int] = {}
        #: Tasks that the last request recalled; it is about to name them.
        self._recalled: dict[TaskId, None] = {}

    def follow(self, entry: TaskEntry) -> None:
        """A task was touched: note whether it has ended."""
        task, run = entry.spec.id, self._replica.runs[entry.spec.run]
        if self._dataflow.has_ended(task):
            run.unended.pop(task, None)
            run.archivable[task] = None
        else:
            run.unended[task] = None
            if run.archivable:
                run.archivable.pop(task, None)
            self.reopen(entry.spec.run)
        self._turn.look_at(entry.spec.run)

    def reopen(self, run_id: RunId) -> None:
        """Something in a run moved: an end that was written, or is being written, does not describe it any more."""
        run = self._replica.runs[run_id]
        run.finishing = run.finished_at = None
        run.kept = run.looked_back = False

    def moved(
        self, entry: TaskEntry, moved: list[tuple[State, RangeSet]], targets: list[TaskId], at: Stamp | None
    ) -> None:
        """Elements of a task moved, and with them what can run of ``targets``; ``at`` as others say, or now."""
        self.reopen(entry.spec.run)
        # That elements do not exist follows from the end of another, which is told.
        phases = {phase_of(state, entry.spec.retries) for state, _ in moved} - {Phase.ABSENT}
        if not phases.isdisjoint(FINAL_PHASES):
            at = self._turn.moment() if at is None else at
            for run_id in dict.fromkeys([entry.spec.run, *map(run_of, targets)]):
                run = self._replica.runs[run_id]
                run.last_end = max(run.last_end, at)

    def restored(self, archived: Archived, last_stamp: Stamp) -> None:
        """A run is back after a restart: an end that was written before a retry says nothing about what followed.

        When the last of its elements ended is not on disk; that was no later than anything else that is.
        """
        run = self._replica.runs[archived.record.spec.id]
        if archived.finished is None or archived.finished.counts != self._summaries.run_counts(run):
            self.reopen(archived.record.spec.id)
            run.last_end = last_stamp

    def release_kept(self) -> None:
        """Another request recalls records: those that an earlier one recalled may leave again."""
        self._recalled.clear()
        for run_id, run in self._replica.runs.items():
            if run.kept:
                run.kept = False
                self._turn.look_at(run_id)

    def recalled(self, task: TaskId) -> None:
        """A task is back from the archive: its elements are no longer counted there."""
        self._recalled[task] = None
        run = self._replica.runs[self._replica.tasks[task].spec.run]
        if run.archived_tasks:
            run.archived_tasks -= 1
            for state, count in ended_counts(self._replica.tasks[task]).items():
                run.archived[state] = run.archived.get(state, 0) - count

    def conclude(self) -> None:
        """Finish the runs, and archive the tasks, whose time has come."""
        # What leaves lets those go that only stayed because they fed it, so they are looked at in turn.
        while self._turn.looked_at:
            for run_id in self._turn.take_looked_at():
                run = self._replica.runs.get(run_id)
                if run is None or self._forgotten.is_going(run_id):
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
        run = self._replica.runs.get(finished.run)
        if run is None or run.finishing != finished.at:
            return
        run.finishing = None
        if self._may_go_on(finished.run):
            return
        run.finished_at = finished.at
        self._turn.act(Notify(RunChanged(finished.run, finished.state)))
        self._leave(finished.run)

    def _leave(self, run_id: RunId) -> None:
        """Let go of a finished run and of those that it feeds, which may feed it in turn; if one must stay, of none."""
        together = {run_id: None}
        pending = [run_id]
        while pending:
            run_id = pending.pop()
            run = self._replica.runs[run_id]
            if run.finished_at is None or run.kept or self._owed(run_id):
                return
            fed = {run_of(target): None for task in run.tasks for target in self._dataflow.targets(task)}
            pending += [other for other in fed if other not in together]
            together |= fed
        for run_id in together:
            self._drop(list(self._replica.runs[run_id].tasks))
            self._digests.run_leaves(run_id)
            del self._replica.runs[run_id]
            self._archive_at.pop(run_id, None)

    def vanish(self, runs: list[RunId]) -> None:
        """Let go of runs that were forgotten; nobody owes an answer about them."""
        for run_id in runs:
            self._let_go(list(self._replica.runs[run_id].tasks))
        for run_id in runs:
            del self._replica.runs[run_id]
            self._archive_at.pop(run_id, None)

    def _owed(self, run_id: RunId) -> bool:
        """Whether an executor or the disk still owes an answer about this run; when it comes, the run is looked at."""
        return self._tickets.awaits(run_id) > 0 or self._is_leased(run_id)

    def _may_go_on(self, run_id: RunId) -> bool:
        """Whether an answer is owed for which the end of this run waits: all but that of voters."""
        return self._tickets.awaits(run_id) > self._quorum.open_in(run_id) or self._is_leased(run_id)

    def _is_leased(self, run_id: RunId) -> bool:
        return any(lease.spec.run == run_id for lease in self._leases.in_hand())

    def _write_finish(self, run_id: RunId, run: RunEntry) -> None:
        if self._may_go_on(run_id) or self._looks_back(run_id, run):
            return
        counts = self._summaries.run_counts(run)
        digest = self._digests.digest_of_tasks(run_id)
        written = after(self._turn.stamp(), run.last_finish)
        finished = RunFinished(run_id, written, end_state(counts), counts, run.task_count, digest)
        run.finishing = run.last_finish = written
        facts: list[Fact] = [finished]
        at = max(run.last_end, run.record.sealed.changed)
        if self._clocks.leads(at, self._turn.now):
            # The clock of whoever ended it was wrong; it was before this.
            at = written
        if at > run.record.finished:
            self._replica.add_run(RunRecord(run.record.spec, finished=at))
            self._digests.run_changed(run_id)
            facts.append(RunMerged(run.record))
        self._turn.persist(Finish(finished), *facts)

    def _looks_back(self, run_id: RunId, run: RunEntry) -> bool:
        """Whether tasks that left memory have to come back before it is known that all has ended."""
        if run.looked_back or not run.archived.get("aborted"):
            return False
        run.looked_back = True
        self._turn.act(LookUp((run_id,), (), None, whole=True))
        return True

    def _archive_some(self, run_id: RunId, run: RunEntry) -> None:
        gone = self._free_to_leave(run)
        for task in gone:
            for state, count in ended_counts(self._replica.tasks[task]).items():
                run.archived[state] = run.archived.get(state, 0) + count
        run.archived_tasks += len(gone)
        self._drop(gone)
        # Those that have to stay are looked through again when there are twice as many: a wide fan-in stays cheap.
        self._archive_at[run_id] = self._group + 2 * len(run.archivable)

    def _free_to_leave(self, run: RunEntry) -> list[TaskId]:
        """Return the ended tasks about which nobody owes an answer, and that feed only each other."""
        busy = self._recalled | {lease.spec.id: None for lease in self._leases.in_hand()}
        leaving = {task: None for task in run.archivable if task not in busy and not self._tickets.awaits(task)}
        staying = [task for task in leaving if any(target not in leaving for target in self._dataflow.targets(task))]
        while staying:
            task = staying.pop()
            if task in leaving:
                del leaving[task]
                staying += (edge.source for edge in self._replica.tasks[task].spec.edges)
        return list(leaving)

    def _drop(self, tasks: list[TaskId]) -> None:
        self._let_go(tasks)
        if tasks:
            self._turn.act(Archive(tuple(tasks)))

    def _let_go(self, tasks: list[TaskId]) -> None:
        # A task leaves after those that it feeds, because dataflow forgets edges from the far end.
        for task in reversed(tasks):
            spec = self._replica.tasks[task].spec
            for edge in spec.edges:
                self._turn.look_at(run_of(edge.source))
            run = self._replica.runs[spec.run]
            run.unended.pop(task, None)
            run.archivable.pop(task, None)
            for leave in self._leave_memory:
                leave(task)
            self._dataflow.drop(task)
            self._replica.drop_task(task)
