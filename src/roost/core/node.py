"""The node: it composes the machines and is their one entry, ``handle(event, now) -> list[Action]``.

Rules
- One event, one list of actions, performed in order. A Reply or Notify after a Persist leaves when that is on disk.
- A change that others rely on is applied when it is on disk (tickets.py); a lease at once.
- After every event the scheduler decides once, on what is ready then. Most of what others say and the disk answers
  changes nothing that it decides by; whatever does says so (``stir``), and otherwise its last decision stands.
- Time is an argument. ``now`` is wall-clock seconds that never run backwards.

Requests of people are in requests.py, what is taken next in leasing.py, ends of tasks and runs in completion.py,
answers to questions in telling/summaries.py.
"""

from typing import assert_never

from roost.core import outcomes
from roost.core.actions import (
    Action,
    Notify,
    Pause,
    ProgressChanged,
    Stop,
    StopMode,
)
from roost.core.applying import Applying, Followers
from roost.core.completion import ARCHIVE_GROUP, Completion
from roost.core.data.inventory import Inventory
from roost.core.data.losses import Losses
from roost.core.events import (
    Answered,
    CancelAsked,
    CapacityChanged,
    DamageFound,
    DeadlineReached,
    DrainAsked,
    ElementFailed,
    ElementsDone,
    ElementsReturned,
    Event,
    ForgetAsked,
    Heard,
    Leaving,
    Moved,
    Persisted,
    PersistFailed,
    Progressed,
    Recalled,
    ReopenAsked,
    RetryAsked,
    Sealed,
    Started,
    Submitted,
    SuspendAsked,
    WaitBegan,
    WaitEnded,
)
from roost.core.executor_reports import Answer, further, what_counts
from roost.core.facts import Fact, StatesMerged, StoryTold
from roost.core.mesh.anti_entropy.digests import Digests
from roost.core.mesh.clock_bounds import ClockBounds
from roost.core.mesh.contest.lease_expiry import LeaseExpiry
from roost.core.mesh.mesh import Mesh, Surroundings
from roost.core.mesh.overruled import Overruled
from roost.core.mesh.replication import Replication
from roost.core.origin import ACCEPTED, ACCEPTED_ELSEWHERE, Origin
from roost.core.page_in import take_back
from roost.core.queue.dataflow import Dataflow
from roost.core.queue.disk_pressure import DiskPressure
from roost.core.queue.draining import Draining
from roost.core.queue.leases import Lease, Leases
from roost.core.queue.leasing import Leasing
from roost.core.queue.lending import Lending
from roost.core.queue.lives import Lives
from roost.core.queue.preemption import make_way
from roost.core.queue.replica import Replica
from roost.core.queue.scheduler import Scheduler
from roost.core.queue.yielding import change_offer
from roost.core.requests import Requests
from roost.core.restored import Restored
from roost.core.tickets import (
    Cancellation,
    Change,
    Finish,
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
    Tickets,
    Voted,
)
from roost.core.tickets import Forgetting as ForgettingChange
from roost.core.tombstones import Tombstones
from roost.model.clock import Stamp, soonest
from roost.model.elements import Elements
from roost.model.errors import InvariantViolated
from roost.model.happenings import Happening
from roost.model.ids import CauseId, LeaseId, NodeId, TaskId, run_of
from roost.model.ranges import EMPTY, RangeSet
from roost.model.record import RunRecord
from roost.model.resources import Capacity
from roost.model.states import State
from roost.model.task import UNRUN

#: Events that stir only through what they change: what is submitted is ready once it is on disk.
_SELDOM_STIRS = (Heard, Persisted, Submitted)


class Node:
    def __init__(
        self,
        name: NodeId,
        capacity: Capacity,
        restored: Restored,
        surroundings: Surroundings | None = None,
        *,
        archive_group: int = ARCHIVE_GROUP,
    ) -> None:
        """Take up where ``restored`` ends; feed Started before anything else. Without surroundings it stays alone."""
        self.name = name
        self.boot = restored.boot
        self.replica = Replica()
        self.dataflow = Dataflow(self.replica)
        self.inventory = Inventory(self.replica, restored.blobs)
        self.digests = Digests(self.replica)
        self.replication = Replication(self)
        self.leases = Leases(name, restored.boot)
        self._lives = Lives(restored.boot)
        self.leasing = Leasing(self, self._lives)
        self.scheduler = Scheduler(capacity)
        self.draining = Draining(self)
        self.lending = Lending(self)
        self.tickets = Tickets()
        self.disk_pressure = DiskPressure()
        #: How far running elements say they are.
        self.progress: dict[tuple[LeaseId, int], tuple[float, str]] = {}
        self.lease_expiry = LeaseExpiry(self)
        self.overruled = Overruled(self)
        self.requests = Requests(self)
        self._completion = Completion(self, archive_group)
        self.losses = Losses(self)
        self.clocks = ClockBounds(name, restored.last_stamp)
        self._neighbours = restored.neighbours
        self._touched: dict[TaskId, None] = {}
        self._actions: list[Action] = []
        self._now = 0.0
        self._moment: Stamp | None = None
        #: Whether anything has changed since this node last looked for work.
        self._stirred = True
        self._due_at: float | None = None
        self._due_is_known = False
        self.mesh = Mesh(self, surroundings)
        self.applying = Applying(
            Followers(
                self.replica, self.dataflow, self._lives, self.digests, self.overruled, self._completion,
                self.replication, self.mesh, self.touch, self.act, self.persist,
            )
        )  # fmt: skip
        for run in restored.runs:
            self.replica.restore_run(run, kept=False)
        #: Lengths of pools that the last life had no time to write.
        self._unwritten = self.applying.restore(restored.tasks)
        for held in restored.holdings:
            self.inventory.restore(held)
            self.mesh.quorum.restore(held)
        for run_id, of_record, of_tasks in restored.digests:
            self.digests.restore(run_id, of_record, of_tasks)
        self.tombstones = Tombstones(self, self._completion, restored.tombstones)
        for run in restored.runs:
            self._completion.restored(run, restored.last_stamp)
            self.digests.run_changed(run.record.spec.id)
        if surroundings is not None:
            for run_id in self.digests.runs():
                self.mesh.re_replication.audit_whole(run_id)

    def handle(self, event: Event, now: float) -> list[Action]:
        """React to one event. The only way in which a node changes."""
        self._now = max(now, self._now)
        self.scheduler.latest_s = self.clocks.latest(self._now)
        self._moment = None
        self._actions = []
        self._due_is_known = False
        if self.trouble or not isinstance(event, _SELDOM_STIRS):
            self.stir()
        self._react(event)
        self._settle()
        self.tombstones.follow()
        self.draining.follow()
        self.losses.follow()
        self.lending.follow()
        if self._stirred or self.mesh.fetching.has_hopeless:
            self._stirred = False
            self.mesh.bidding.look()
            self.leasing.schedule()
        self.leasing.steal()
        make_way(self)
        self.lease_expiry.follow()
        self.replication.speak()
        return self._actions

    def next_deadline(self) -> float | None:
        """Return when DeadlineReached should come, if nothing happens before."""
        # Deadlines follow from what was handled, so between two events they stay.
        if not self._due_is_known:
            self._due_at, self._due_is_known = self._soonest_deadline(), True
        return self._due_at

    def _soonest_deadline(self) -> float | None:
        steal_at = None if self.trouble else self.scheduler.next_steal_at()
        hindered_until = self.disk_pressure.next_deadline()
        return soonest(self.tickets.retry_at, hindered_until, steal_at, self.mesh.next_deadline())

    def sizes(self) -> dict[str, tuple[int, int]]:
        """Return the tables that others can fill, each with its size and its limit."""
        return self.mesh.sizes()

    def check(self) -> None:
        """Recompute everything that is kept twice; raise InvariantViolated where it differs."""
        self.replica.check()
        self.dataflow.check()
        self.scheduler.check()
        self.scheduler.lanes.check(self.leases.active)
        self.mesh.check()
        if self._due_is_known and self._due_at != self._soonest_deadline():
            raise InvariantViolated(f"{self.name} waits until {self._due_at}, and something is due at another time")
        if not self._stirred and self.leasing.may_lease:
            overlooked = self.scheduler.overlooked(self._now, self.takeable)
            if overlooked is not None:
                raise InvariantViolated(f"{self.name} could start {overlooked}, and nothing has stirred it")
        for lease in self.leases.active.values():
            entry = self.replica.tasks[lease.spec.id]
            if not lease.outstanding.issubset(entry.in_any_phase):
                raise InvariantViolated(f"lease {lease.name} holds unknown elements of {lease.spec.id}")

    def stamp_at(self, now: float) -> Stamp:
        """Return a stamp for something outside that happens now, such as a submission."""
        self._now = max(now, self._now)
        return self.stamp()

    # What the machines of this node use.

    @property
    def now(self) -> float:
        return self._now

    @property
    def trouble(self) -> str | None:
        """Why nothing new may start here, in words, or None: what it leaves could not be kept."""
        if self.tickets.trouble:
            return f"this node cannot write its journal ({self.tickets.trouble})"
        return self.disk_pressure.why and f"the disk of this node is full ({self.disk_pressure.why})"

    def act(self, action: Action) -> None:
        self._actions.append(action)

    def stamp(self) -> Stamp:
        return self.clocks.stamp(self._now)

    def moment(self) -> Stamp:
        """Return one stamp for all that this node ends by itself while it handles one event."""
        if self._moment is None:
            self._moment = self.stamp()
        return self._moment

    def persist(self, change: Change, *facts: Fact) -> None:
        self.act(self.tickets.persist(change, facts))

    def story(self, task: TaskId, ranges: RangeSet, what: Happening, cause: str) -> StoryTold:
        return StoryTold(task, self.stamp(), ranges, what, CauseId(cause))

    def touch(self, task: TaskId) -> None:
        """What is ready of this task may have changed."""
        self._touched[task] = None
        self.stir()

    def stir(self) -> None:
        """Something has changed by which this node chooses its work."""
        self._stirred = True

    def apply(
        self, task: TaskId, delta: Elements, origin: Origin, at: Stamp | None = None
    ) -> list[tuple[State, RangeSet]]:
        """See Applying."""
        return self.applying.apply(task, delta, origin, at)

    def ready(self, task: TaskId) -> RangeSet:
        """Return the elements of a task that may start now, on some node."""
        spec = self.replica.tasks[task].spec
        if isinstance(spec.work, UNRUN) or self.replica.runs[spec.run].suspended or self.tombstones.is_going(spec.run):
            return EMPTY
        withdrawn = self.requests.withdrawn(task)
        return self.dataflow.ready(task) - withdrawn if withdrawn else self.dataflow.ready(task)

    def has_ready(self, task: TaskId) -> bool:
        return task in self.replica.tasks and bool(self.ready(task))

    def ready_here(self, task: TaskId) -> RangeSet:
        """Return those of them that this node may start, as far as its disk goes."""
        return self.disk_pressure.allowed(task, self.ready(task))

    def takeable(self, task: TaskId) -> RangeSet:
        """Return the elements that this node may lease to itself now."""
        return self.mesh.bidding.takeable(task)

    def stop(self, lease: Lease, ranges: RangeSet, mode: StopMode) -> None:
        lease.stopping |= ranges
        self.act(Stop(lease.name, ranges, mode))

    def end_here(self, task: TaskId, ranges: RangeSet) -> dict[LeaseId, RangeSet]:
        """Stop what this node runs of these elements; return what is to be confirmed dead, by lease."""
        waiting: dict[LeaseId, RangeSet] = {}
        for lease in self.leases.active.values():
            part = lease.outstanding & ranges if lease.spec.id == task else EMPTY
            if part:
                waiting[lease.name] = part
                self.stop(lease, part, StopMode.KILL)
        return waiting

    def run_switched(self, before: RunRecord, after: RunRecord) -> None:
        """Somebody else suspended, resumed or sealed a run."""
        run = after.spec.id
        if after.suspended.on and not before.suspended.on:
            self.requests.freeze(run)
        for task in self.replica.runs[run].tasks:
            self.touch(task)
        self._completion.look_at(run)

    def no_longer_alone(self) -> None:
        """Others are there: what waits has to be won from now on, and what they lack is found out by digests."""
        for task in self.replica.tasks:
            self.touch(task)

    # Reactions.

    def _react(self, event: Event) -> None:
        match event:
            case Heard():
                self._heard(event)
            case Started():
                self._start()
            case (
                Submitted()
                | Sealed()
                | SuspendAsked()
                | ForgetAsked()
                | CancelAsked()
                | RetryAsked()
                | ReopenAsked()
                | Answered()
            ):
                self.requests.ask(event)
            case Recalled():
                take_back(self, self._completion, event)
            case DamageFound():
                self.losses.found(event)
            case Persisted() | PersistFailed():
                self._disk_answered(event)
            case ElementsDone() | ElementFailed() | ElementsReturned():
                self._answered(event)
            case Progressed():
                self._progressed(event)
            case WaitBegan() | WaitEnded():
                self.lending.heard(event)
            case CapacityChanged() | DrainAsked() | Moved() | Leaving():
                self._place_changed(event)
            case DeadlineReached():
                self._deadline()
            case _:
                assert_never(event)

    def _place_changed(self, event: CapacityChanged | DrainAsked | Moved | Leaving) -> None:
        """What this node offers is not as it was, or where it is, or whether it stays."""
        match event:
            case CapacityChanged():
                change_offer(self, event)
            case DrainAsked():
                self.draining.asked(event)
            case Moved(address=address):
                self.mesh.move(address)
            case Leaving():
                self.mesh.leave()

    def _disk_answered(self, event: Persisted | PersistFailed) -> None:
        if isinstance(event, Persisted):
            for change in self.tickets.persisted(event.ticket):
                self._apply(change)
                # What is offered or proposed has not landed before others keep it.
                if not isinstance(change, ResultOffer | Proposed):
                    self.landed(change)
            return
        self.inventory.take_back(self.tickets.brought_by(event.ticket))
        refused = self.tickets.failed(event.ticket, event.reason, self._now)
        if refused is not None:
            self.requests.refuse(refused, event.reason)
            self.landed(refused)

    def _heard(self, event: Heard) -> None:
        self.clocks.heard(event.sender, event.sent, event.wall_ms, self._now)
        self.mesh.heard(event)

    def _start(self) -> None:
        self.mesh.start(self._neighbours)
        for pool, delta in self._unwritten:
            self.persist(Note((pool,), urgent=True), StatesMerged(pool, delta))
        for run in self.replica.runs:
            self._completion.look_at(run)
        for entry in self.replica.tasks.values():
            self.touch(entry.spec.id)
            self.lease_expiry.start(entry)
        self.losses.start()

    def _apply(self, change: Change) -> None:
        match change:
            case Outcome():
                self._accept(change)
            case ResultOffer():
                self.mesh.offer(change)
            case Proposed() | Voted():
                self.mesh.quorum.apply(change)
            case Keeping():
                self.replication.keep(change)
            case Learnt(news=news):
                self.replication.tell(news)
            case Finish(finished=finished):
                self._completion.finish(finished)
            case ForgettingChange():
                self.tombstones.apply(change)
            case Submission() | Cancellation() | Retry() | Reopening() | Switching():
                self.requests.apply(change)
            case LivesNoted(life=life):
                self._lives.noted(life)
                self.stir()
            case Note():
                pass
            case _:
                assert_never(change)

    def _accept(self, outcome: Outcome) -> None:
        task = outcome.task
        self.apply(task, outcome.delta, ACCEPTED_ELSEWHERE if outcome.is_told else ACCEPTED, outcome.at)
        if outcome.alone:
            self.mesh.accepted_alone(run_of(task))
        if outcome.noted is not None:
            self.replication.failed(outcome.noted)
            self.mesh.re_replication.decided(run_of(task))

    def offer_accepted(self, offer: ResultOffer, outcome: Outcome) -> None:
        """Another node keeps results of this one, and has accepted those in ``outcome``; so does this disk."""
        if outcome.delta:
            self.persist(outcome, StatesMerged(outcome.task, outcome.delta))
        self.landed(offer)

    def landed(self, change: Change) -> None:
        """Runs that stayed in memory for this change may leave now."""
        for run in self.tickets.landed(change):
            self._completion.look_at(run)

    def _answered(self, event: Answer) -> None:
        """An executor answered for elements of a lease."""
        lease = self.leases.active.get(event.lease)
        answer = what_counts(lease, event) if lease is not None else None
        if lease is None or answer is None:
            return
        entry = self.replica.tasks[lease.spec.id]
        if isinstance(answer, ElementsDone):
            ranges = outcomes.done(self, lease, entry, answer)
        elif isinstance(answer, ElementFailed):
            ranges = outcomes.failed(self, lease, entry, answer)
        else:
            ranges = outcomes.returned(self, lease, entry, answer.ranges, answer.no_room)
        if self.progress:
            for index in ranges:
                self.progress.pop((lease.name, index), None)
        self.requests.stopped(lease.name, ranges)
        if not lease.outstanding:
            self._lease_over(lease)

    def _lease_over(self, lease: Lease) -> None:
        lanes = self.scheduler.lanes
        lane = lanes.open_lanes[lease.lane]
        ran = lane.front
        lanes.lease_over(lease)
        if lane.paused and lane.leases and lane.front is not ran:
            self.act(Pause(lane.front.name))
        self.touch(lease.spec.id)

    def _progressed(self, event: Progressed) -> None:
        lease = self.leases.active.get(event.lease)
        if lease is not None and event.index in lease.outstanding:
            before, _ = self.progress.get((lease.name, event.index), (0.0, ""))
            fraction = further(before, event.fraction)
            self.progress[lease.name, event.index] = (fraction, event.note)
            self.act(Notify(ProgressChanged(lease.spec.id, event.index, fraction, event.note), promises=False))

    def _deadline(self) -> None:
        if self.tickets.retry_at is not None and self.tickets.retry_at <= self._now:
            for again in self.tickets.write_again():
                self.act(again)
                self.replication.handed_in_again(self.tickets.brought_by(again.ticket))
        for task in self.disk_pressure.tick(self._now, self.has_ready):
            self.touch(task)
        self.tombstones.tick()
        self.mesh.tick()

    # After every event.

    def _settle(self) -> None:
        """Bring the queue and the runs up to date with what the event touched."""
        while self._touched:
            touched, self._touched = self._touched, {}
            for task in touched:
                entry = self.replica.tasks.get(task)
                if entry is not None:
                    self.scheduler.set_ready(entry, ready=bool(self.ready_here(task)))
                    self._completion.follow(entry)
        self._completion.conclude()
