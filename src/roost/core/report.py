"""Answers to questions about runs and tasks, computed from the machines' state; nothing here changes anything."""

from typing import TYPE_CHECKING

from roost.core.replica import Phase, RunEntry, TaskEntry
from roost.core.views import RunningElement, RunView, TaskView
from roost.model.ids import RunId, TaskId
from roost.model.ranges import EMPTY, RangeSet
from roost.model.states import Leased

if TYPE_CHECKING:
    from roost.core.node import Node


def element_ranges(node: "Node", task: TaskId) -> dict[str, RangeSet]:
    """Return each element of a task under the state that people see; states without elements are left out."""
    entry = node.replica.tasks[task]
    suspended = node.replica.runs[entry.spec.run].suspended
    running, frozen = _fronts(node, task)
    running |= _elsewhere(node, entry)
    queued = (entry.leased - running - frozen) | node.dataflow.ready(task)
    ranges = {
        "waiting": node.dataflow.waiting(task),
        "ready": EMPTY if suspended else queued,
        "running": running & entry.leased,
        "suspended": (frozen & entry.leased) | (queued if suspended else EMPTY),
        "done": entry.done,
        "failed": entry.phases[Phase.FAILED],
        "cancelled": entry.phases[Phase.CANCELLED],
        "aborted": node.dataflow.aborted(task),
    }
    return {state: members for state, members in ranges.items() if members}


def element_counts(node: "Node", task: TaskId) -> dict[str, int]:
    return {state: len(ranges) for state, ranges in element_ranges(node, task).items()}


def ended_ranges(entry: TaskEntry) -> dict[str, RangeSet]:
    """Return each element of a task that has ended under the state that people see; what never ran was aborted."""
    ranges = {
        "done": entry.done,
        "failed": entry.phases[Phase.FAILED],
        "cancelled": entry.phases[Phase.CANCELLED],
        "aborted": entry.pending,
    }
    return {state: members for state, members in ranges.items() if members}


def ended_counts(entry: TaskEntry) -> dict[str, int]:
    return {state: len(ranges) for state, ranges in ended_ranges(entry).items()}


def run_counts(node: "Node", run: RunEntry) -> dict[str, int]:
    counts = {state: count for state, count in run.archived.items() if count}
    for task in run.tasks:
        for state, count in element_counts(node, task).items():
            counts[state] = counts.get(state, 0) + count
    return counts


def task_view(node: "Node", task: TaskId) -> TaskView:
    return TaskView(node.replica.tasks[task].spec, element_ranges(node, task), tuple(_running(node, task)))


def run_view(node: "Node", run_id: RunId) -> RunView:
    run = node.replica.runs[run_id]
    counts = run_counts(node, run)
    finished_at = run.finished_at.wall_ms / 1000 if run.finished_at else None
    return RunView(run.record, _run_state(run, counts), counts, len(run.tasks) + run.archived_tasks, finished_at)


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


def _fronts(node: "Node", task: TaskId) -> tuple[RangeSet, RangeSet]:
    """Return the elements of a task that run in a lane, and those that are frozen in one."""
    running, frozen = EMPTY, EMPTY
    for lane in node.scheduler.lanes.open_lanes.values():
        if lane.front.spec.id == task:
            first = lane.front.outstanding.take(1)
            running, frozen = (running, frozen | first) if lane.paused else (running | first, frozen)
    return running, frozen


def _elsewhere(node: "Node", entry: TaskEntry) -> RangeSet:
    """Return the elements at hand of leases that other nodes have: the first of each, as their heartbeats say."""
    running = EMPTY
    for member in node.mesh.members.members() if node.mesh.members is not None else ():
        if member.lives and member.heartbeat is not None:
            for lease in member.heartbeat.leases:
                if lease.task == entry.spec.id:
                    running |= lease.ranges.take(1)
    held = EMPTY
    for state, ranges in entry.elements.items():
        if isinstance(state, Leased) and state.node != node.name:
            held |= ranges
    return running & held


def _running(node: "Node", task: TaskId) -> list[RunningElement]:
    elements = []
    for lane in node.scheduler.lanes.open_lanes.values():
        lease = lane.front
        if lease.spec.id == task and not lane.paused:
            index = lease.outstanding.first
            fraction, note = node.progress.get((lease.name, index), (None, ""))
            elements.append(RunningElement(task, index, node.now - lease.granted_at, fraction, note))
    return elements
