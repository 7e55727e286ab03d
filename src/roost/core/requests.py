"""Requests of people: submit, seal, cancel, retry, suspend, resume.

Rules
- A request is checked whole before anything is written, written before anything is changed, and answered after that.
- A cancellation is answered when what ran is confirmed dead.
- Suspending freezes what runs where it is and gives back what has not begun.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias, assert_never

from roost.core.actions import Accepted, Notify, Pause, Refused, Reply, RunChanged, StopMode, TaskChanged
from roost.core.events import CancelAsked, RetryAsked, Sealed, Submitted, SuspendAsked
from roost.core.facts import BlobStored, Fact, ItemsStored, RunMerged, StatesMerged, TaskAdded
from roost.core.replica import Phase, TaskEntry
from roost.core.tickets import Cancellation, Change, Finish, Note, Outcome, Retry, Submission, Switching
from roost.model.elements import Elements
from roost.model.errors import InvalidInput, NotFound
from roost.model.ids import CauseId, LeaseId, RunId, TaskId, Token, run_of
from roost.model.ranges import EMPTY, RangeSet
from roost.model.record import RunRecord, Switch, TaskRecord
from roost.model.states import Cancelled, Failed, Retried, State
from roost.model.task import TaskSpec
from roost.model.workflow import check_submission
from roost.policy.match import reasons_never

if TYPE_CHECKING:
    from roost.core.node import Node

_ToStates: TypeAlias = Callable[[TaskEntry, RangeSet], Elements]


class Requests:
    def __init__(self, node: "Node") -> None:
        self._node = node
        #: Tasks whose submission is on its way to the disk.
        self._submitting: dict[TaskId, None] = {}
        #: How many requests about each run are on their way to the disk; a run stays in memory for them.
        self._in_flight: dict[RunId, int] = {}
        #: Cancellations that wait for elements to be confirmed dead, and how many elements each touched.
        self._dying: dict[CauseId, tuple[dict[LeaseId, RangeSet], int]] = {}

    def ask(self, event: Submitted | Sealed | CancelAsked | RetryAsked | SuspendAsked) -> None:
        """Check a request and write it down, or refuse it with one sentence."""
        try:
            match event:
                case Submitted():
                    self._submit(event)
                case Sealed():
                    self._switch(event.cause, event.run, "sealed")
                case SuspendAsked():
                    self._switch(event.cause, event.run, "suspended" if event.on else "resumed")
                case CancelAsked():
                    deltas = self._deltas(event, _cancelled)
                    self._write(Cancellation(event.cause, deltas), deltas, "cancelled by a person", event.cause)
                case RetryAsked():
                    deltas = self._deltas(event, _retried)
                    self._write(Retry(event.cause, deltas), deltas, "to be tried again, by a person", event.cause)
        except InvalidInput as refusal:
            self._node.act(Reply(event.cause, Refused(str(refusal))))

    def apply(self, change: Submission | Cancellation | Retry | Switching) -> None:
        """What was asked is on disk: make it so, and answer."""
        self._landed(change)
        match change:
            case Submission():
                self._accept(change)
            case Cancellation():
                self._cancel(change)
            case Retry(cause=cause, deltas=deltas):
                self._merge(deltas)
                self._node.act(Reply(cause, Accepted(elements=_count(deltas))))
            case Switching():
                self._turn(change)
            case _:
                assert_never(change)

    def refuse(self, change: Change, reason: str) -> None:
        """What was asked could not be written: nothing was changed, and the person may try later."""
        message = f"this node cannot write its journal ({reason}), so nothing was changed; try again when there is room"
        if isinstance(change, Submission | Cancellation | Retry | Switching):
            self._landed(change)
        match change:
            case Submission(event=event):
                for task in event.tasks:
                    self._submitting.pop(task.id, None)
                self._node.act(Reply(event.cause, Refused(message, temporary=True)))
            case Cancellation(cause=cause) | Retry(cause=cause) | Switching(cause=cause):
                self._node.act(Reply(cause, Refused(message, temporary=True)))
            case Outcome() | Finish() | Note():
                pass
            case _:
                assert_never(change)

    def stopped(self, lease: LeaseId, ranges: RangeSet) -> None:
        """Elements of a lease were answered; cancellations that waited for nothing else are confirmed."""
        for cause, (waiting, count) in list(self._dying.items()):
            if lease in waiting:
                waiting[lease] -= ranges
                if not waiting[lease]:
                    del waiting[lease]
                if not waiting:
                    del self._dying[cause]
                    self._node.act(Reply(cause, Accepted(elements=count)))

    def awaits_disk(self, run: RunId) -> bool:
        return run in self._in_flight

    def _send(self, change: Submission | Cancellation | Retry | Switching, facts: list[Fact]) -> None:
        for run in _runs_of(change):
            self._in_flight[run] = self._in_flight.get(run, 0) + 1
        self._node.persist(change, *facts)

    def _landed(self, change: Submission | Cancellation | Retry | Switching) -> None:
        for run in _runs_of(change):
            self._in_flight[run] -= 1
            if not self._in_flight[run]:
                del self._in_flight[run]
            self._node.conclude_later(run)

    # Submitting.

    def _submit(self, event: Submitted) -> None:
        node = self._node
        run = node.replica.runs.get(event.run.id)
        if run is not None and (run.sealed or run.record.spec != event.run):
            raise InvalidInput(f"run {event.run.id} takes no more tasks; start a new one")
        twice = next((task.id for task in event.tasks if task.id in self._submitting), None)
        if twice is not None:
            raise InvalidInput(f"task '{twice}' is being submitted already; wait for the answer")
        known = {source: entry.spec for source, entry in self._entries_named(event).items()}
        ordered = check_submission(event.tasks, known)
        _check_items(event)
        record = RunRecord(event.run, sealed=Switch(node.stamp(), on=not event.open))
        facts: list[Fact] = [RunMerged(record)]
        facts += [BlobStored(name, content) for name, content in event.blobs]
        facts += [TaskAdded(task) for task in ordered]
        facts += [ItemsStored(task, segment) for task, segment in event.items]
        what = f"submitted by {event.run.owner} on {event.run.host}"
        facts += [node.story(task.id, task.elements, what, event.cause) for task in ordered]
        self._submitting.update(dict.fromkeys(task.id for task in ordered))
        accepted = Submitted(event.cause, event.run, tuple(ordered), open=event.open)
        self._send(Submission(accepted, record, self._warnings(ordered)), facts)

    def _entries_named(self, event: Submitted) -> dict[TaskId, TaskEntry]:
        tasks = self._node.replica.tasks
        named = [task.id for task in event.tasks] + [edge.source for task in event.tasks for edge in task.edges]
        return {task: tasks[task] for task in named if task in tasks}

    def _warnings(self, tasks: list[TaskSpec]) -> tuple[str, ...]:
        capacity = self._node.scheduler.lanes.capacity
        warnings: dict[str, None] = {}
        for task in tasks:
            for reason in reasons_never(task, capacity):
                warnings[f"'{task.id}' will wait: {reason}"] = None
        return tuple(warnings)

    def _accept(self, change: Submission) -> None:
        node, event = self._node, change.event
        first = event.run.id not in node.replica.runs
        node.replica.add_run(change.record)
        for task in event.tasks:
            del self._submitting[task.id]
            node.dataflow.add(node.replica.add_task(TaskRecord(task)))
            node.touch(task.id)
        node.act(Reply(event.cause, Accepted(change.warnings, sum(len(task.elements) for task in event.tasks))))
        if first:
            node.act(Notify(RunChanged(event.run.id, "added")))
        for task in event.tasks:
            node.act(Notify(TaskChanged(task.id, "added", task.elements)))

    # Cancelling and trying again.

    def _deltas(self, event: CancelAsked | RetryAsked, to_states: _ToStates) -> tuple[tuple[TaskId, Elements], ...]:
        deltas = []
        for task, ranges in event.tasks:
            entry = self._node.replica.tasks.get(task)
            if entry is None:
                raise NotFound(f"there is no task '{task}'")
            delta = to_states(entry, ranges)
            if delta:
                deltas.append((task, delta))
        return tuple(deltas)

    def _write(
        self, change: Cancellation | Retry, deltas: tuple[tuple[TaskId, Elements], ...], what: str, cause: CauseId
    ) -> None:
        facts: list[Fact] = []
        for task, delta in deltas:
            facts += (StatesMerged(task, delta), self._node.story(task, delta.known(), what, cause))
        self._send(change, facts)

    def _cancel(self, change: Cancellation) -> None:
        node = self._node
        self._merge(change.deltas)
        waiting: dict[LeaseId, RangeSet] = {}
        for task, delta in change.deltas:
            gone = delta.in_state(Cancelled)
            for lease in node.leases.active.values():
                part = lease.outstanding & gone if lease.spec.id == task else EMPTY
                if part:
                    waiting[lease.name] = part
                    node.stop(lease, part, StopMode.KILL)
        if waiting:
            self._dying[change.cause] = (waiting, _count(change.deltas))
        else:
            node.act(Reply(change.cause, Accepted(elements=_count(change.deltas))))

    def _merge(self, deltas: tuple[tuple[TaskId, Elements], ...]) -> None:
        for task, delta in deltas:
            self._node.merge(task, delta)
            self._node.tell(task, delta)

    # Switches of a run.

    def _switch(self, cause: CauseId, run: RunId, word: str) -> None:
        entry = self._node.replica.runs.get(run)
        if entry is None:
            raise NotFound(f"there is no run {run} that could be {word}")
        stamp = self._node.stamp()
        if word == "sealed":
            record = RunRecord(entry.record.spec, entry.record.suspended, Switch(stamp, on=True))
        else:
            record = RunRecord(entry.record.spec, Switch(stamp, on=word == "suspended"), entry.record.sealed)
        self._send(Switching(cause, record, word), [RunMerged(record)])

    def _turn(self, change: Switching) -> None:
        node, run = self._node, change.record.spec.id
        entry = node.replica.add_run(change.record)
        if change.word == "suspended":
            self._freeze(run)
        for task in entry.tasks:
            node.touch(task)
        node.act(Reply(change.cause, Accepted()))
        node.act(Notify(RunChanged(run, change.word)))

    def _freeze(self, run: RunId) -> None:
        """Freeze the lanes that run elements of this run; what only waits in a lane is given back."""
        node = self._node
        for lane in node.scheduler.lanes.open_lanes.values():
            freeze = not lane.paused and lane.front.spec.run == run
            for lease in lane.leases.values():
                if freeze or lease.spec.run == run:
                    node.stop(lease, lease.outstanding, StopMode.UNSTARTED)
            if freeze:
                node.scheduler.lanes.pause(lane)
                node.act(Pause(lane.front.name))


def _cancelled(entry: TaskEntry, ranges: RangeSet) -> Elements:
    wanted = (entry.pending | entry.leased) & ranges
    states: dict[State, RangeSet] = {}
    fresh = wanted
    for state, part in entry.elements.entries_within(wanted):
        cancelled = Cancelled(state.token)
        states[cancelled] = states.get(cancelled, EMPTY) | part
        fresh -= part
    if fresh:
        states[Cancelled(Token(0))] = states.get(Cancelled(Token(0)), EMPTY) | fresh
    return Elements(states)


def _retried(entry: TaskEntry, ranges: RangeSet) -> Elements:
    wanted = entry.phases[Phase.FAILED] & ranges
    states: dict[State, RangeSet] = {}
    for state, part in entry.elements.entries_within(wanted):
        assert isinstance(state, Failed)
        retried = Retried(state.round + 1, state.token)
        states[retried] = states.get(retried, EMPTY) | part
    return Elements(states)


def _runs_of(change: Submission | Cancellation | Retry | Switching) -> list[RunId]:
    match change:
        case Submission(record=record) | Switching(record=record):
            return [record.spec.id]
        case Cancellation(deltas=deltas) | Retry(deltas=deltas):
            return list(dict.fromkeys(run_of(task) for task, _ in deltas))


def _count(deltas: tuple[tuple[TaskId, Elements], ...]) -> int:
    return sum(len(delta.known()) for _, delta in deltas)


def _check_items(event: Submitted) -> None:
    """Every element of a task with items has exactly one, and no other element has any."""
    covered: dict[TaskId, tuple[RangeSet, int]] = {}
    for task, segment in event.items:
        ranges, count = covered.get(task, (EMPTY, 0))
        covered[task] = (ranges | segment.ranges, count + segment.count)
    for spec in event.tasks:
        ranges, count = covered.pop(spec.id, (EMPTY, 0))
        if (ranges, count) != ((spec.elements, len(spec.elements)) if spec.has_items else (EMPTY, 0)):
            raise InvalidInput(
                f"the items of task '{spec.id}' do not match its {len(spec.elements):,} elements one to one"
            )
    if covered:
        raise InvalidInput(f"there are items for '{next(iter(covered))}', which is not among the tasks")
