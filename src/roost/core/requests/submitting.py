"""Submitting: a run and its tasks are accepted when they are on disk, and answered when that is safe.

Rules
- A submission is checked whole before anything is written.
- A seal that is on its way to the disk counts the tasks that come after it.
"""

from typing import TypeAlias

import msgspec

from roost.core.actions import Accepted, Notify, Reply, RunChanged, TaskChanged
from roost.core.data.inventory import Inventory
from roost.core.events import Submitted
from roost.core.facts import BlobStored, Fact, ItemsStored, ResultsStored, RunMerged, StatesMerged, StoryTold, TaskAdded
from roost.core.medium.port import Medium
from roost.core.origin import SUBMITTED
from roost.core.peers import Peers
from roost.core.queue.applying import Applying
from roost.core.queue.dataflow import Dataflow
from roost.core.queue.digests import Digests
from roost.core.queue.lanes import Lanes
from roost.core.queue.replica import Replica
from roost.core.queue.tokens import Tokens
from roost.core.requests.decisions import Decisions
from roost.core.tickets import Submission
from roost.core.turn import Turn
from roost.model.elements import Elements
from roost.model.errors import InvalidInput
from roost.model.happenings import SubmittedBy
from roost.model.ids import NodeId, RunId, TaskId, run_of
from roost.model.limits import VOTERS_MAX
from roost.model.ranges import EMPTY, RangeSet
from roost.model.record import UNTOUCHED, RunRecord, Switch, TaskRecord
from roost.model.segments import Segment
from roost.model.states import Done
from roost.model.task import TaskSpec
from roost.model.token import Token
from roost.model.workflow import check_quorum, check_submission
from roost.policy.conditions.parsing import parse_condition
from roost.policy.match import reasons_never
from roost.wire.messages import Facts

#: A task, the states of elements whose results are given, and the results.
_Given: TypeAlias = tuple[TaskId, Elements, tuple[TaskId, Token, NodeId, Segment]]


class Submitting:
    def __init__(
        self,
        turn: Turn,
        *,
        peers: Peers,
        replica: Replica,
        dataflow: Dataflow,
        tokens: Tokens,
        lanes: Lanes,
        applying: Applying,
        inventory: Inventory,
        digests: Digests,
        medium: Medium,
        decisions: Decisions,
    ) -> None:
        self._turn = turn
        self._peers = peers
        self._replica = replica
        self._dataflow = dataflow
        self._tokens = tokens
        self._lanes = lanes
        self._applying = applying
        self._inventory = inventory
        self._digests = digests
        self._medium = medium
        self._decisions = decisions
        #: Tasks whose submission is on its way to the disk, by run.
        self._submitting: dict[RunId, dict[TaskId, None]] = {}
        #: Runs whose seal is on its way to the disk, with how many tasks they have.
        self._sealing: dict[RunId, RunRecord] = {}

    def ask(self, event: Submitted) -> None:
        run = self._replica.runs.get(event.run.id)
        if run is not None and (run.sealed or run.record.spec != event.run):
            raise InvalidInput(f"run {event.run.id} takes no more tasks; start a new one")
        submitting = self._submitting.get(event.run.id, {})
        twice = next((task.id for task in event.tasks if task.id in submitting), None) if submitting else None
        if twice is not None:
            raise InvalidInput(f"task '{twice}' is being submitted already; wait for the answer")
        known = self._known(event)
        ordered = check_submission(self._with_voters(event), known)
        _check_conditions(event)
        _check_items(event)
        # Tasks for a session that is open leave its seal alone: one that is on its way to the disk must stand.
        sealed = UNTOUCHED if event.open else Switch(self._turn.stamp(), on=True)
        record = RunRecord(event.run, sealed=sealed, task_count=0 if event.open else len(event.tasks))
        if event.run.id in self._sealing:
            # The seal that is on its way to the disk does not count these.
            count = self._sealing[event.run.id].task_count + len(event.tasks)
            record = self._sealing[event.run.id] = RunRecord(event.run, task_count=count)
        facts: list[Fact] = [] if run is not None and event.open and not record.task_count else [RunMerged(record)]
        needed = {other: None for task in known if (other := run_of(task)) != event.run.id}
        others = self._decisions.needed_by(event.run.id, needed)
        facts += map(RunMerged, others)
        facts += [BlobStored(name, content) for name, content in event.blobs]
        facts += [TaskAdded(task) for task in ordered]
        facts += [ItemsStored(task, segment) for task, segment in event.items]
        given = self._given(event)
        for task, delta, (_, token, maker, segment) in given:
            facts += (StatesMerged(task, delta), ResultsStored(task, token, maker, segment))
        what = SubmittedBy(event.run.owner, event.run.host)
        at = self._turn.stamp()
        if event.open:
            facts += [StoryTold(task.id, at, _at_first(task), what, event.cause) for task in ordered]
        else:
            # All tasks of the run came together: a line that each of them would have is told once.
            facts.append(StoryTold(TaskId(event.run.id), at, EMPTY, what, event.cause))
        self._submitting.setdefault(event.run.id, {}).update(dict.fromkeys([task.id for task in ordered]))
        accepted = Submitted(
            event.cause, event.run, tuple(ordered), given=event.given, open=event.open, safe=event.safe
        )
        facts_for_keepers = Facts(
            runs=(record, *(self._replica.runs[other.spec.id].record.merge(other) for other in others)),
            tasks=tuple(ordered),
            items=event.items,
            blobs=event.blobs,
            states=tuple((task, delta) for task, delta, _ in given),
            results=tuple(result for _, _, result in given),
        )
        self._turn.persist(
            Submission(accepted, record, self._warnings(ordered), facts_for_keepers, tuple(known), others), *facts
        )

    def _with_voters(self, event: Submitted) -> tuple[TaskSpec, ...]:
        """Return the tasks with the nodes that decide on their results, if a person wants a quorum."""
        if not event.quorum:
            return event.tasks
        voters = tuple(sorted((self._turn.name, *self._peers.others)))
        if len(voters) > VOTERS_MAX:
            raise InvalidInput(
                f"a quorum has at most {VOTERS_MAX} nodes and {len(voters)} are there; submit it without --quorum"
            )
        check_quorum(event.tasks)
        return tuple(msgspec.structs.replace(task, voters=voters) for task in event.tasks)

    def _given(self, event: Submitted) -> list[_Given]:
        """Return the states and results that come with a submission, as if this node had made them."""
        given = []
        token = self._tokens.following()
        for task, segment, length in event.given:
            delta = Elements({Done(token, self._turn.name, length): segment.ranges})
            given.append((task, delta, (task, token, self._turn.name, segment)))
        return given

    def _known(self, event: Submitted) -> dict[TaskId, TaskSpec]:
        """Return the tasks here that the submission names: as sources, or as its own."""
        tasks = self._replica.tasks
        if not tasks:
            return {}
        named = {edge.source for task in event.tasks for edge in task.edges}
        named.update([task.id for task in event.tasks])
        return {task: tasks[task].spec for task in sorted(named & tasks.keys())}

    def _warnings(self, tasks: list[TaskSpec]) -> tuple[str, ...]:
        capacity = self._lanes.capacity
        warnings: dict[str, None] = {}
        for task in tasks:
            if task.needs.condition:
                # Whether any node meets it is found out by asking them (runtime/far/fitting.py).
                continue
            reasons = reasons_never(task, capacity)
            if reasons and not self._fits_elsewhere(task):
                warnings |= dict.fromkeys(f"'{task.id}' will wait: {reason}" for reason in reasons)
        return tuple(warnings)

    def _fits_elsewhere(self, task: TaskSpec) -> bool:
        """Whether another node that is heard here can run a task, as it says."""
        beats = (self._peers.heartbeat_of(node) for node in self._peers.staying)
        return any(beat is not None and not reasons_never(task, beat.offers) for beat in beats)

    def refuse(self, change: Submission) -> None:
        """The disk had no room for it."""
        self._end_submitting(change.event)

    def _end_submitting(self, event: Submitted) -> None:
        """The tasks of a submission are no longer on their way to the disk."""
        waiting = self._submitting[event.run.id]
        if len(waiting) == len(event.tasks):
            del self._submitting[event.run.id]
            return
        for task in event.tasks:
            del waiting[task.id]

    def apply(self, change: Submission) -> None:
        event = change.event
        first = event.run.id not in self._replica.runs
        run = self._replica.add_run(change.record)
        self._decisions.touch(change.touched, tell=False)
        self._end_submitting(event)
        entries = []
        for task in event.tasks:
            entry = self._applying.follow(TaskRecord(task))
            entries.append(entry)
            if self._dataflow.waits(entry) and task is not event.tasks[0]:
                run.unended[task.id] = None
            else:
                self._turn.touch(task.id)
        for task_name, delta, (_, token, maker, segment) in self._given(event):
            self._inventory.add_results(task_name, token, maker, segment.ranges)
            self._applying.apply(task_name, delta, SUBMITTED)
        present = [entry.present for entry in entries]
        self._accepted(change, Reply(event.cause, Accepted(change.warnings, sum(map(len, present)))))
        if first:
            # Its tasks come with it: a word for each of a hundred thousand would drown whoever listens.
            self._turn.act(Notify(RunChanged(event.run.id, "added")))
            return
        for task, elements in zip(event.tasks, present, strict=True):
            self._turn.act(Notify(TaskChanged(task.id, "added", elements)))

    def _accepted(self, change: Submission, reply: Reply) -> None:
        """A submission is in memory; it is answered when it is safe."""
        event = change.event
        self._digests.run_changed(event.run.id)
        self._digests.tasks_changed([task.id for task in event.tasks])
        for task in event.tasks:
            if task.has_items:
                self._inventory.add_items(task.id, task.elements)
        for blob, _ in change.facts.blobs:
            self._inventory.add_blob(blob)
        self._medium.keep(change, reply)

    # Seals.

    def on_their_way(self, run: RunId) -> int:
        """Return how many tasks of a run are on their way to the disk."""
        return len(self._submitting.get(run, ()))

    def seal(self, record: RunRecord) -> None:
        """The seal of a run is on its way to the disk."""
        self._sealing[record.spec.id] = record

    def end_seal(self, run: RunId) -> None:
        """It is on disk, or is off."""
        self._sealing.pop(run, None)


def _at_first(task: TaskSpec) -> RangeSet:
    """Return the elements that are known to exist; those of a pool are found out."""
    return task.elements if task.mapper is None else EMPTY


def _check_conditions(event: Submitted) -> None:
    """What nobody can read would never start."""
    for spec in event.tasks:
        if spec.needs.condition:
            try:
                parse_condition(spec.needs.condition)
            except InvalidInput as error:
                raise InvalidInput(f"what task '{spec.id}' requires cannot be read: {error}") from None


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
