"""Requests of people: submit, seal, cancel, retry, send back, answer, suspend, resume.

Rules
- A request is checked whole before anything is written, written before anything is changed, and answered after that.
- A cancellation is answered when what ran is confirmed dead.
- Suspending freezes what runs where it is and gives back what has not begun. What has ended is not suspended.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeAlias, assert_never

import msgspec

from roost.core.actions import Accepted, Notify, Pause, Refused, Reply, RunChanged, StopMode, TaskChanged
from roost.core.events import (
    Answered,
    CancelAsked,
    ForgetAsked,
    ReopenAsked,
    RetryAsked,
    Sealed,
    Submitted,
    SuspendAsked,
)
from roost.core.facts import BlobStored, Fact, ItemsStored, ResultsStored, RunMerged, StatesMerged, StoryTold, TaskAdded
from roost.core.origin import PEOPLE, SUBMITTED
from roost.core.queue.invalidation import Affected, behind, next_edition, reopened
from roost.core.queue.replica import RunEntry, TaskEntry
from roost.core.queue.retrying import retried
from roost.core.tickets import (
    Cancellation,
    Change,
    Finish,
    Forgetting,
    Keeping,
    Learnt,
    LivesNoted,
    Note,
    Outcome,
    Proposed,
    Reopening,
    ResultOffer,
    Retry,
    Submission,
    Switching,
    Voted,
)
from roost.core.touching import touched
from roost.model.clock import after
from roost.model.elements import Elements
from roost.model.errors import InvalidInput, NotFound
from roost.model.ids import CauseId, LeaseId, NodeId, RunId, TaskId, name_of, run_of
from roost.model.limits import VOTERS_MAX
from roost.model.paths import shown_in
from roost.model.ranges import EMPTY, RangeSet
from roost.model.record import UNTOUCHED, RunRecord, Switch, TaskRecord
from roost.model.segments import Segment
from roost.model.states import NO_LENGTH, Cancelled, Done, State
from roost.model.task import Manual, TaskSpec, Value
from roost.model.token import NO_TOKEN, Token
from roost.model.workflow import check_quorum, check_submission
from roost.policy.match import reasons_never
from roost.wire.messages import Records

if TYPE_CHECKING:
    from roost.core.node import Node

#: A task, the states of elements whose results are given, and the results.
_Given: TypeAlias = tuple[TaskId, Elements, tuple[TaskId, Token, NodeId, Segment]]
#: What a person is told of a run that is suspended, or was, where that may be a surprise.
_IS_HELD = "run {0} is suspended, so nothing of it starts before 'roost resume {0}'"
_IS_FREE = "run {0} is no longer suspended; nothing of it waits"
_IS_IDLE = "nothing of run {0} waits or runs now; what comes next waits for 'roost resume {0}'"
Request: TypeAlias = Submitted | Sealed | CancelAsked | RetryAsked | ReopenAsked | Answered | SuspendAsked | ForgetAsked


class Requests:
    def __init__(self, node: "Node") -> None:
        self._node = node
        #: Tasks whose submission is on its way to the disk, by run.
        self._submitting: dict[RunId, dict[TaskId, None]] = {}
        #: Runs whose seal is on its way to the disk, with how many tasks they have.
        self._sealing: dict[RunId, RunRecord] = {}
        #: Cancellations that wait for elements to be confirmed dead, and how many elements each touched.
        self._dying: dict[CauseId, tuple[dict[LeaseId, RangeSet], int]] = {}
        #: What is being cancelled because nobody has leased it, on its way to the disk: it is not to be leased now.
        self._withdrawn: dict[CauseId, dict[TaskId, RangeSet]] = {}

    def ask(self, event: Request) -> None:
        """Check a request and write it down, or refuse it with one sentence."""
        try:
            _refuse_what_goes(self._node, event)
            match event:
                case ForgetAsked():
                    self._node.tombstones.ask(event)
                case Submitted():
                    self._submit(event)
                case Sealed():
                    self._switch(event.cause, event.run, "sealed")
                case SuspendAsked():
                    self._switch(event.cause, event.run, "suspended" if event.on else "resumed")
                case CancelAsked():
                    self._ask_to_cancel(event)
                case RetryAsked():
                    self._ask_to_retry(event)
                case ReopenAsked():
                    self._reopen(event)
                case Answered():
                    self._answer(event)
                case _:
                    assert_never(event)
        except InvalidInput as refusal:
            self._node.act(Reply(event.cause, Refused(str(refusal))))

    def _ask_to_cancel(self, event: CancelAsked) -> None:
        to_states = _withdrawn if event.unleased else _cancelled
        asked = self._asked(event).items()
        found = ((task, to_states(self._node.replica.tasks[task], part)) for task, part in asked)
        deltas = tuple((task, delta) for task, delta in found if delta)
        if event.unleased:
            self._withdrawn[event.cause] = {task: delta.known() for task, delta in deltas}
        self._write(Cancellation(event.cause, deltas, _named(event)), "cancelled by a person")

    def _ask_to_retry(self, event: RetryAsked) -> None:
        deltas = tuple(retried(self._node, self._asked(event)).items())
        lost = self._node.losses.among(event.tasks)
        if lost:
            cause = event.cause if not deltas else CauseId("damage")
            self._reopen(ReopenAsked(cause, lost, "its result was lost; to be made again, by a person"))
            if not deltas:
                return
        # What was aborted goes on with it; empty states say on disk that it is no longer archived.
        behind = self._node.dataflow.aborted_behind(task for task, _ in deltas)
        revived = [StatesMerged(task, Elements()) for task in behind]
        change = Retry(event.cause, deltas, _named(event), self._touched(deltas))
        self._write(change, "to be tried again, by a person", *revived)

    def apply(self, change: Submission | Cancellation | Retry | Reopening | Switching) -> None:
        """What was asked is on disk: make it so, and answer."""
        match change:
            case Submission():
                self._accept(change)
            case Cancellation():
                self._cancel(change)
            case Retry():
                self._try_again(change)
            case Reopening():
                self._begin_again(change)
            case Switching():
                self._turn(change)
            case _:
                assert_never(change)

    def refuse(self, change: Change, reason: str) -> None:
        """What was asked could not be written: nothing was changed, and the person may try later."""
        message = f"this node cannot write its journal ({reason}), so nothing was changed; try again when there is room"
        match change:
            case Submission(event=event):
                self._end_submitting(event)
                self._node.act(Reply(event.cause, Refused(message, temporary=True)))
            case Forgetting(cause=cause):
                self._node.tombstones.refuse(change)
                if cause is not None:
                    self._node.act(Reply(cause, Refused(message, temporary=True)))
            case Cancellation(cause=cause) | Retry(cause=cause) | Reopening(cause=cause) | Switching(cause=cause):
                if isinstance(change, Switching):
                    self._sealing.pop(change.record.spec.id, None)
                for task in self._withdrawn.pop(cause, {}):
                    self._node.touch(task)
                self._node.act(Reply(cause, Refused(message, temporary=True)))
            case (
                Outcome()
                | ResultOffer()
                | Proposed()
                | Voted()
                | Learnt()
                | Keeping()
                | Finish()
                | LivesNoted()
                | Note()
            ):
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

    # Submitting.

    def _submit(self, event: Submitted) -> None:
        node = self._node
        run = node.replica.runs.get(event.run.id)
        if run is not None and (run.sealed or run.record.spec != event.run):
            raise InvalidInput(f"run {event.run.id} takes no more tasks; start a new one")
        submitting = self._submitting.get(event.run.id, {})
        twice = next((task.id for task in event.tasks if task.id in submitting), None) if submitting else None
        if twice is not None:
            raise InvalidInput(f"task '{twice}' is being submitted already; wait for the answer")
        known = self._known(event)
        ordered = check_submission(self._with_voters(event), known)
        _check_items(event)
        # Tasks for a session that is open leave its seal alone: one that is on its way to the disk must stand.
        sealed = UNTOUCHED if event.open else Switch(node.stamp(), on=True)
        record = RunRecord(event.run, sealed=sealed, task_count=0 if event.open else len(event.tasks))
        if event.run.id in self._sealing:
            # The seal that is on its way to the disk does not count these.
            count = self._sealing[event.run.id].task_count + len(event.tasks)
            record = self._sealing[event.run.id] = RunRecord(event.run, task_count=count)
        facts: list[Fact] = [] if run is not None and event.open and not record.task_count else [RunMerged(record)]
        others = self._touched_by(event, known)
        facts += map(RunMerged, others)
        facts += [BlobStored(name, content) for name, content in event.blobs]
        facts += [TaskAdded(task) for task in ordered]
        facts += [ItemsStored(task, segment) for task, segment in event.items]
        given = self._given(event)
        for task, delta, (_, token, maker, segment) in given:
            facts += (StatesMerged(task, delta), ResultsStored(task, token, maker, segment))
        what = f"submitted by {event.run.owner} on {event.run.host}"
        at = node.stamp()
        if event.open:
            facts += [StoryTold(task.id, at, _at_first(task), what, event.cause) for task in ordered]
        else:
            # All tasks of the run came together: a line that each of them would have is told once.
            facts.append(StoryTold(TaskId(event.run.id), at, EMPTY, what, event.cause))
        self._submitting.setdefault(event.run.id, {}).update(dict.fromkeys([task.id for task in ordered]))
        accepted = Submitted(
            event.cause, event.run, tuple(ordered), given=event.given, open=event.open, safe=event.safe
        )
        records = Records(
            runs=(record, *(node.replica.runs[other.spec.id].record.merge(other) for other in others)),
            tasks=tuple(ordered),
            items=event.items,
            blobs=event.blobs,
            states=tuple((task, delta) for task, delta, _ in given),
            results=tuple(result for _, _, result in given),
        )
        node.persist(Submission(accepted, record, self._warnings(ordered), records, tuple(known), others), *facts)

    def _touched_by(self, event: Submitted, known: Iterable[TaskId]) -> tuple[RunRecord, ...]:
        """Return what changes of the records of other runs on which a submission builds, unless it is known to."""
        own, runs = event.run.id, self._node.replica.runs
        others = {run: None for task in known if (run := run_of(task)) != own}
        fresh = [run for run in others if own not in runs[run].record.needed_by]
        return touched(self._node, fresh, needed_by=own) if fresh else ()

    def _with_voters(self, event: Submitted) -> tuple[TaskSpec, ...]:
        """Return the tasks with the nodes that decide on their results, if a person wants a quorum."""
        if not event.quorum:
            return event.tasks
        voters = tuple(sorted((self._node.name, *self._node.mesh.others)))
        if len(voters) > VOTERS_MAX:
            raise InvalidInput(
                f"a quorum has at most {VOTERS_MAX} nodes and {len(voters)} are there; submit it without --quorum"
            )
        check_quorum(event.tasks)
        return tuple(msgspec.structs.replace(task, voters=voters) for task in event.tasks)

    def _given(self, event: Submitted) -> list[_Given]:
        """Return the states and results that come with a submission, as if this node had made them."""
        node, given = self._node, []
        token = node.leases.next_token()
        for task, segment, length in event.given:
            delta = Elements({Done(token, node.name, length): segment.ranges})
            given.append((task, delta, (task, token, node.name, segment)))
        return given

    def _known(self, event: Submitted) -> dict[TaskId, TaskSpec]:
        """Return the tasks here that the submission names: as sources, or as its own."""
        tasks = self._node.replica.tasks
        if not tasks:
            return {}
        named = {edge.source for task in event.tasks for edge in task.edges}
        named.update([task.id for task in event.tasks])
        return {task: tasks[task].spec for task in sorted(named & tasks.keys())}

    def _warnings(self, tasks: list[TaskSpec]) -> tuple[str, ...]:
        capacity = self._node.scheduler.lanes.capacity
        warnings: dict[str, None] = {}
        for task in tasks:
            for reason in reasons_never(task, capacity):
                warnings[f"'{task.id}' will wait: {reason}"] = None
        return tuple(warnings)

    def _end_submitting(self, event: Submitted) -> None:
        """The tasks of a submission are no longer on their way to the disk."""
        waiting = self._submitting[event.run.id]
        if len(waiting) == len(event.tasks):
            del self._submitting[event.run.id]
            return
        for task in event.tasks:
            del waiting[task.id]

    def _accept(self, change: Submission) -> None:
        node, event = self._node, change.event
        first = event.run.id not in node.replica.runs
        run = node.replica.add_run(change.record)
        self._touch(change.touched, tell=False)
        self._end_submitting(event)
        entries = []
        for task in event.tasks:
            entry = node.applying.follow(TaskRecord(task))
            entries.append(entry)
            if node.dataflow.waits(entry) and task is not event.tasks[0]:
                run.unended[task.id] = None
            else:
                node.touch(task.id)
        for task_name, delta, (_, token, maker, segment) in self._given(event):
            node.inventory.add_results(task_name, token, maker, segment.ranges)
            node.apply(task_name, delta, SUBMITTED)
        present = [entry.present for entry in entries]
        self._accepted(change, Reply(event.cause, Accepted(change.warnings, sum(map(len, present)))))
        if first:
            # Its tasks come with it: a word for each of a hundred thousand would drown whoever listens.
            node.act(Notify(RunChanged(event.run.id, "added")))
            return
        for task, elements in zip(event.tasks, present, strict=True):
            node.act(Notify(TaskChanged(task.id, "added", elements)))

    # Cancelling and trying again.

    def _accepted(self, change: Submission, reply: Reply) -> None:
        """A submission is in memory; it is answered when it is safe."""
        node, event = self._node, change.event
        node.digests.run_changed(event.run.id)
        node.digests.tasks_changed([task.id for task in event.tasks])
        for task in event.tasks:
            if task.has_items:
                node.inventory.add_items(task.id, task.elements)
        for blob, _ in change.records.blobs:
            node.inventory.add_blob(blob)
        node.mesh.submitted(change, reply)

    def _asked(self, event: CancelAsked | RetryAsked) -> Affected:
        asked: Affected = {}
        for task, ranges in event.tasks:
            if task not in self._node.replica.tasks:
                raise NotFound(f"there is no task '{task}'")
            asked[task] = asked.get(task, EMPTY) | ranges
        return asked

    def _write(self, change: Cancellation | Retry | Reopening, what: str, *more: Fact) -> None:
        facts: list[Fact] = [*more]
        if not isinstance(change, Cancellation):
            facts += map(RunMerged, change.touched)
        for task, delta in change.deltas:
            # Of a pool also what may not exist is changed; people hear of what does.
            told = delta.known() & self._node.replica.tasks[task].present or delta.known()
            facts += (StatesMerged(task, delta), self._node.story(task, told, what, change.cause))
        self._node.persist(change, *facts)

    def _touched(self, deltas: Iterable[tuple[TaskId, Elements]]) -> tuple[RunRecord, ...]:
        """Return what changes of the records of runs whose elements are to run once more."""
        return touched(self._node, dict.fromkeys(run_of(task) for task, _ in deltas))

    def _touch(self, records: tuple[RunRecord, ...], *, tell: bool = True) -> None:
        """What sets runs to work again is on disk: their records say so, here and, if they are not told yet, to all."""
        for record in records:
            entry = self._node.replica.add_run(record)
            self._node.digests.run_changed(record.spec.id)
            if tell:
                self._node.replication.run_changed(entry.record)

    def _cancel(self, change: Cancellation) -> None:
        node = self._node
        self._withdrawn.pop(change.cause, None)
        count = self._merge(change.deltas)
        waiting: dict[LeaseId, RangeSet] = {}
        for task, delta in change.deltas:
            waiting |= node.end_here(task, delta.known())
        if waiting:
            self._dying[change.cause] = (waiting, count)
        else:
            node.act(Reply(change.cause, Accepted(elements=count)))

    def withdrawn(self, task: TaskId) -> RangeSet:
        """Return what must not be leased any more: a cancellation that spares what is leased is being written."""
        found = EMPTY
        for tasks in self._withdrawn.values():
            found |= tasks.get(task, EMPTY)
        return found

    def _try_again(self, change: Retry) -> None:
        self._touch(change.touched)
        count = self._merge(change.deltas)
        runs = dict.fromkeys(run_of(task) for task, _ in change.deltas)
        held = tuple(_IS_HELD.format(run) for run in runs if self._node.replica.runs[run].suspended)
        self._node.act(Reply(change.cause, Accepted(held, count)))

    def _merge(self, deltas: tuple[tuple[TaskId, Elements], ...]) -> int:
        """Join states in, and say so; return how many elements moved."""
        count = 0
        for task, delta in deltas:
            moved = self._node.apply(task, delta, PEOPLE)
            count += sum(len(ranges) for _, ranges in moved)
        return count

    # Sending back, and answering.

    def _reopen(self, event: ReopenAsked) -> None:
        node = self._node
        asked: dict[TaskId, RangeSet] = {}
        for task, ranges in event.tasks:
            entry = node.replica.tasks.get(task)
            if entry is None:
                raise NotFound(f"there is no task '{task}'")
            if isinstance(entry.spec.work, Value):
                raise InvalidInput(f"task '{name_of(task)}' is a value, which cannot be done again; start a new run")
            if entry.done & ranges:
                asked[task] = asked.get(task, EMPTY) | (entry.done & ranges)
        if not asked:
            raise InvalidInput("nothing of what is sent back is done; 'roost retry' tries again what failed")
        affected = behind(node, asked.items())
        for task, ranges in asked.items():
            affected[task] = affected.get(task, EMPTY) | ranges
        deltas = reopened(node, affected, next_edition(node, affected))
        revived = _revived(affected, deltas)
        change = Reopening(event.cause, tuple(deltas), touched=self._touched(deltas))
        self._write(change, event.why or "sent back by a person", *revived)

    def _answer(self, event: Answered) -> None:
        node, task, one = self._node, event.task, RangeSet.span(event.index, event.index + 1)
        entry = node.replica.tasks.get(task)
        if entry is None:
            raise NotFound(f"there is no task '{task}'")
        if not isinstance(entry.spec.work, Manual):
            raise InvalidInput(f"task '{name_of(task)}' is not done by people; only manual tasks are answered")
        amends = bool(entry.done & one)
        if not amends and not one.issubset(node.dataflow.ready(task)):
            place = f"element {shown_in(entry.spec, event.index)} of '{name_of(task)}'"
            raise InvalidInput(f"{place} waits for nobody's answer now")
        affected = behind(node, [(task, one)]) if amends else {}
        edition = next_edition(node, {**affected, task: one}) if amends else next_edition(node, {task: one}) - 1
        token = node.leases.next_token([state for state, _ in entry.elements.entries_within(one)], edition)
        done = Elements({Done(token, node.name, NO_LENGTH, edition): one})
        deltas = [*reopened(node, affected, edition), (task, done)]
        result = (task, token, node.name, event.result)
        change = Reopening(event.cause, tuple(deltas), (result,), self._touched(deltas))
        what = f"{'amended' if amends else 'done'} by {event.who}"
        self._write(change, what, ResultsStored(*result), *_revived(affected, deltas))

    def _begin_again(self, change: Reopening) -> None:
        """What was sent back is on disk: let go of what runs of it, and answer when an answer is safe."""
        node = self._node
        self._touch(change.touched)
        for task, token, maker, segment in change.results:
            node.inventory.add_results(task, token, maker, segment.ranges)
        count = sum(len(delta.known() & node.replica.tasks[task].present) for task, delta in change.deltas)
        for task, delta in change.deltas:
            node.end_here(task, delta.known())
        self._merge(change.deltas)
        reply = Reply(change.cause, Accepted(elements=count))
        if change.results:
            node.mesh.answered(Records(states=change.deltas, results=change.results), reply)
        else:
            node.act(reply)

    # Switches of a run.

    def _switch(self, cause: CauseId, run: RunId, word: str) -> None:
        entry = self._node.replica.runs.get(run)
        if entry is None:
            raise NotFound(f"there is no run {run} that could be {word}")
        if word == "suspended" and self._has_ended(entry):
            self._node.act(Reply(cause, Accepted()))
            return
        known = entry.record
        stamp = after(self._node.stamp(), (known.sealed if word == "sealed" else known.suspended).changed)
        if word == "sealed":
            on_their_way = len(self._submitting.get(run, ()))
            record = RunRecord(known.spec, known.suspended, Switch(stamp, on=True), entry.task_count + on_their_way)
            self._sealing[run] = record
        else:
            record = RunRecord(known.spec, Switch(stamp, on=word == "suspended"), known.sealed, known.task_count)
        self._node.persist(Switching(cause, record, word), RunMerged(record))

    def _has_ended(self, entry: RunEntry) -> bool:
        """Whether nothing of a run is left to hold back, nor will be by what is on its way to the disk."""
        waits = self._node.tickets.awaits(entry.record.spec.id)
        return entry.is_complete and not entry.unended and not waits

    def _turn(self, change: Switching) -> None:
        node, run = self._node, change.record.spec.id
        was_suspended = node.replica.runs[run].suspended
        entry = node.replica.add_run(change.record)
        if change.word == "sealed":
            self._sealing.pop(run, None)
        node.replication.run_changed(entry.record)
        node.mesh.re_replication.decided(run)
        node.digests.run_changed(run)
        if change.word == "suspended":
            self.freeze(run)
        for task in entry.tasks:
            node.touch(task)
        going_on = sum(
            len(node.replica.tasks[task].pending | node.replica.tasks[task].leased) for task in entry.unended
        )
        remarks: tuple[str, ...] = ()
        if not going_on and entry.suspended != was_suspended:
            remarks = ((_IS_IDLE if entry.suspended else _IS_FREE).format(run),)
        node.act(Reply(change.cause, Accepted(remarks, going_on)))
        node.act(Notify(RunChanged(run, change.word)))

    def freeze(self, run: RunId) -> None:
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


def _refuse_what_goes(node: "Node", event: Request) -> None:
    """Raise InvalidInput if a request is about a run that was forgotten, or is about to be."""
    if node.tombstones.is_empty:
        return
    match event:
        case Submitted():
            named = [edge.source for task in event.tasks for edge in task.edges]
            runs = [event.run.id, *map(run_of, named)]
        case CancelAsked() | RetryAsked() | ReopenAsked():
            runs = [run_of(task) for task, _ in event.tasks]
        case Answered():
            runs = [run_of(event.task)]
        case Sealed() | SuspendAsked():
            runs = [event.run]
        case _:
            runs = []
    gone = next((run for run in runs if node.tombstones.has_forgotten(run)), None)
    if gone is not None:
        raise InvalidInput(f"run {gone} was forgotten")


def _revived(affected: Affected, deltas: Iterable[tuple[TaskId, Elements]]) -> list[Fact]:
    """Return what says on disk that tasks are no longer archived that only waited, or were aborted, behind others."""
    moved = {task for task, _ in deltas}
    return [StatesMerged(task, Elements()) for task in affected if task not in moved]


def _at_first(task: TaskSpec) -> RangeSet:
    """Return the elements that are known to exist; those of a pool are found out."""
    return task.elements if task.mapper is None else EMPTY


def _named(event: CancelAsked | RetryAsked) -> tuple[TaskId, ...]:
    return tuple(task for task, _ in event.tasks)


def _cancelled(entry: TaskEntry, ranges: RangeSet) -> Elements:
    return _withdrawn(entry, ranges, entry.leased)


def _withdrawn(entry: TaskEntry, ranges: RangeSet, leased: RangeSet = EMPTY) -> Elements:
    # Of a pool also what may still turn out to exist.
    wanted = (entry.pending | leased | entry.unknown) & ranges
    states: dict[State, RangeSet] = {}
    fresh = wanted
    for state, part in entry.elements.entries_within(wanted):
        cancelled = Cancelled(state.token, state.edition)
        states[cancelled] = states.get(cancelled, EMPTY) | part
        fresh -= part
    if fresh:
        states[Cancelled(NO_TOKEN)] = states.get(Cancelled(NO_TOKEN), EMPTY) | fresh
    return Elements(states)


def _check_items(event: Submitted) -> None:
    """Every element of a task with items has exactly one, and no other element has any."""
    if not event.items and not any(spec.has_items for spec in event.tasks):
        return
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
