"""Answers to questions about runs and tasks, computed from the machines' state; nothing here changes anything."""

from roost.core.peers import Peers
from roost.core.queue.dataflow import Dataflow
from roost.core.queue.lanes import Lanes
from roost.core.queue.lease_progress import LeaseProgress
from roost.core.queue.replica import Phase, Replica, RunEntry, TaskEntry
from roost.core.telling.undecided import Undecided
from roost.core.telling.views import TAKEN_OVER, RunningElement, RunView, TaskView
from roost.core.turn import Turn
from roost.model.clock import NEVER, Stamp
from roost.model.ids import NodeId, RunId, TaskId
from roost.model.ranges import EMPTY, ONE, RangeSet
from roost.model.record import RunRecord
from roost.model.states import Done, Leased
from roost.model.task import Manual

_ONE_DONE = {"done": 1}


class Summaries:
    def __init__(
        self,
        turn: Turn,
        peers: Peers,
        replica: Replica,
        dataflow: Dataflow,
        lanes: Lanes,
        progress: LeaseProgress,
        undecided: Undecided,
    ) -> None:
        self._turn = turn
        self._peers = peers
        self._replica = replica
        self._dataflow = dataflow
        self._lanes = lanes
        self._progress = progress
        self._undecided = undecided

    def element_ranges(self, task: TaskId) -> dict[str, RangeSet]:
        """Return each element of a task under the state that people see; states without elements are left out."""
        entry = self._replica.tasks[task]
        suspended = self._replica.runs[entry.spec.run].suspended
        # Most tasks of a large run have ended or wait, and nobody needs to look for them in lanes.
        running, frozen = self._begun(entry) if entry.leased else (EMPTY, EMPTY)
        queued = (entry.leased - running - frozen) | self._dataflow.ready(task)
        ranges = {
            "waiting": self._dataflow.waiting(task),
            "ready": EMPTY if suspended else queued,
            "running": running,
            "suspended": frozen | (queued if suspended else EMPTY),
            "done": entry.done,
            "failed": entry.phases[Phase.FAILED],
            "cancelled": entry.phases[Phase.CANCELLED],
            "aborted": self._dataflow.aborted(task),
        }
        return _of_those_that_exist(entry, ranges)

    def run_counts(self, run: RunEntry) -> dict[str, int]:
        """Count the elements of a run by their states, and those that were taken over."""
        counts = {state: count for state, count in run.archived.items() if count}
        for task in run.tasks:
            for state, count in self._counts(task).items():
                counts[state] = counts.get(state, 0) + count
        return counts

    def _counts(self, task: TaskId) -> dict[str, int]:
        entry = self._replica.tasks[task]
        if self._dataflow.has_ended(task):
            return ended_counts(entry)
        return _counted(entry, self.element_ranges(task))

    def task_view(self, task: TaskId) -> TaskView:
        entry, running = self._replica.tasks[task], tuple(self.running_elements(task))
        return TaskView(entry.spec, self.element_ranges(task), running, done_on(entry), taken_over(entry))

    def run_view(self, run_id: RunId) -> RunView:
        run = self._replica.runs[run_id]
        counts, reused = by_state(self.run_counts(run))
        finished_at = moment_of_end(run.record, run.finished_at) if run.finished_at else None
        tasks, people = len(run.tasks) + run.archived_tasks, self.for_people(run)
        return RunView(run.record, _run_state(run, counts), counts, tasks, finished_at, people, reused)

    def for_people(self, run: RunEntry) -> int:
        """Return how many elements of a run wait for a person; none does while the run is suspended."""
        if run.suspended:
            return 0
        works = ((task, self._replica.tasks[task].spec.work) for task in run.unended)
        return sum(len(self._dataflow.ready(task)) for task, work in works if isinstance(work, Manual))

    def _begun(self, entry: TaskEntry) -> tuple[RangeSet, RangeSet]:
        """Return the leased elements that run, here or elsewhere, and those that are frozen here."""
        running, frozen = self._fronts(entry.spec.id)
        elsewhere = RangeSet.of(element.index for element in self._running_elsewhere(entry))
        running |= elsewhere | self._undecided.all(entry.spec.id)
        return running & entry.leased, frozen & entry.leased

    def _fronts(self, task: TaskId) -> tuple[RangeSet, RangeSet]:
        """Return the elements of a task that run in a lane, and those that are frozen in one.

        A further attempt that is frozen says nothing of the element, which goes on elsewhere.
        """
        running, frozen = EMPTY, EMPTY
        for lane in self._lanes.open_lanes.values():
            if lane.front.spec.id == task and not (lane.paused and lane.front.further):
                first = lane.front.outstanding.take(1)
                running, frozen = (running, frozen | first) if lane.paused else (running | first, frozen)
        return running, frozen

    def _running_elsewhere(self, entry: TaskEntry) -> list[RunningElement]:
        """Return what runs on other nodes: as their heartbeats say, else the first element of each of their leases.

        Only neighbours are heard; of all others it is known what they hold, and not what of it they have begun.
        """
        task, elements = entry.spec.id, self._attempted_elsewhere(entry)
        for state, held in entry.elements.items():
            if not isinstance(state, Leased) or state.node not in self._peers.others:
                continue
            heartbeat = self._peers.heartbeat_of(state.node)
            if heartbeat is None:
                elements.append(RunningElement(task, held.first, None, node=state.node))
                continue
            for lease in heartbeat.leases:
                at_hand = lease.ranges.take(1) & held
                if lease.task == task and lease.running_s is not None and at_hand:
                    fraction = lease.fraction or None
                    elements.append(
                        RunningElement(task, at_hand.first, lease.running_s, fraction, lease.note, state.node)
                    )
        return elements

    def _attempted_elsewhere(self, entry: TaskEntry) -> list[RunningElement]:
        """Return what neighbours run beside the nodes that have leased it."""
        found = []
        for other in self._peers.others if entry.leased else ():
            heartbeat = self._peers.heartbeat_of(other)
            for attempt in () if heartbeat is None else heartbeat.attempts:
                index = (attempt.ranges & entry.leased).take(1)
                if attempt.task == entry.spec.id and attempt.running_s is not None and index:
                    found.append(
                        RunningElement(
                            entry.spec.id, index.first, attempt.running_s, attempt.fraction or None, "", other
                        )
                    )
        return found

    def running_elements(self, task: TaskId) -> list[RunningElement]:
        """Return the elements of a task that run, here and elsewhere, in the order of their indices."""
        elements = self._running_elsewhere(self._replica.tasks[task])
        for lane in self._lanes.open_lanes.values():
            lease = lane.front
            if lease.spec.id == task and not lane.paused:
                index = lease.outstanding.first
                fraction, note = self._progress.at(lease, index)
                elements.append(
                    RunningElement(task, index, self._turn.now - lease.granted_at, fraction, note, self._turn.name)
                )
        return sorted(elements, key=lambda element: element.index)


def ended_ranges(entry: TaskEntry) -> dict[str, RangeSet]:
    """Return each element of a task that has ended under the state that people see; what never ran was aborted."""
    ranges = {
        "done": entry.done,
        "failed": entry.phases[Phase.FAILED],
        "cancelled": entry.phases[Phase.CANCELLED],
        "aborted": entry.pending,
    }
    return _of_those_that_exist(entry, ranges)


def _of_those_that_exist(entry: TaskEntry, ranges: dict[str, RangeSet]) -> dict[str, RangeSet]:
    """Leave out what is empty, and what a person cancelled of a pool before anybody knew whether it would exist."""
    if entry.spec.mapper is not None:
        ranges = {state: members & entry.present for state, members in ranges.items()}
    return {state: members for state, members in ranges.items() if members}


def ended_counts(entry: TaskEntry) -> dict[str, int]:
    """Count the elements of a task that has ended by their states, and those that were taken over."""
    if entry.spec.elements is ONE and entry.done and not entry.spec.reuse.looks:
        # Of a large run most are like that.
        return _ONE_DONE
    return _counted(entry, ended_ranges(entry))


def _counted(entry: TaskEntry, ranges: dict[str, RangeSet]) -> dict[str, int]:
    counts = {state: len(members) for state, members in ranges.items()}
    found = taken_over(entry)
    return counts | {TAKEN_OVER: len(found)} if found else counts


def by_state(counts: dict[str, int]) -> tuple[dict[str, int], int]:
    """Return how many elements are in each state, and how many of them were taken over."""
    return {state: count for state, count in counts.items() if state != TAKEN_OVER}, counts.get(TAKEN_OVER, 0)


def done_on(entry: TaskEntry) -> dict[NodeId, int]:
    """Return how many of a task's accepted results each node made, in the order of the nodes' names."""
    made: dict[NodeId, int] = {}
    for state, ranges in entry.elements.items():
        if isinstance(state, Done) and not state.reused:
            made[state.node] = made.get(state.node, 0) + len(ranges)
    return dict(sorted(made.items()))


def taken_over(entry: TaskEntry) -> RangeSet:
    """Return the elements whose results were taken over from earlier runs."""
    found = EMPTY
    if not entry.spec.reuse.looks:
        return found
    for state, ranges in entry.elements.items():
        if isinstance(state, Done) and state.reused:
            found |= ranges
    return found


def moment_of_end(record: RunRecord, written: Stamp) -> float:
    """Return in seconds when a run ended: as all nodes say, or if none ever said, when this one wrote it down."""
    return (record.finished if record.finished != NEVER else written).wall_ms / 1000


def end_state(counts: dict[str, int]) -> str:
    """Return how a run ended as a whole: the worst that happened in it."""
    if counts.get("failed") or counts.get("aborted"):
        # Something aborted because it waited for something that a person cancelled is a cancellation, too.
        return "failed" if counts.get("failed") else "cancelled"
    return "cancelled" if counts.get("cancelled") else "done"


def _run_state(run: RunEntry, counts: dict[str, int]) -> str:
    if run.finished_at is not None:
        return end_state(counts)
    if run.suspended and run.unended:
        return "suspended"
    if counts.get("running"):
        return "running"
    if not run.sealed and not run.unended:
        return "open"
    return "running" if any(counts.get(state) for state in ("done", "failed")) else "waiting"
