"""The node: the one entry to its machines (machines.py), ``handle(event, now) -> list[Action]``.

Rules
- One event, one list of actions, performed in order. A Reply or Notify after a Persist leaves when that is on disk.
- A change that others rely on is applied when it is on disk (tickets.py); a lease at once.
- After every event the scheduler decides once, on what is ready then. Most of what others say and the disk answers
  changes nothing that it decides by; whatever does says so (``stir``), and otherwise its last decision stands.
- Time is an argument. ``now`` is wall-clock seconds that never run backwards.

Requests of people are in requests/, what is taken next in queue/leasing.py, ends of tasks and runs in completion.py,
answers to questions in telling/.
"""

from collections.abc import Iterator
from typing import assert_never

from roost.core.actions import Action, Notify, Pause, ProgressChanged
from roost.core.completion import ARCHIVE_GROUP
from roost.core.events import (
    Answered,
    Awoke,
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
    VitalsChanged,
    WaitBegan,
    WaitEnded,
)
from roost.core.executor_reports import Answer, further, what_counts
from roost.core.facts import StatesMerged
from roost.core.holdings import Brought
from roost.core.machines import Machines
from roost.core.medium.alone import Alone
from roost.core.medium.port import MakeMedium
from roost.core.origin import ACCEPTED
from roost.core.queue.draining import Remaining
from roost.core.queue.leases import Lease
from roost.core.restored import Restored
from roost.core.tickets import (
    Cancellation,
    Change,
    Finish,
    Forgetting,
    Found,
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
    Voted,
)
from roost.core.tickets import Switching as SwitchingChange
from roost.model.chance import NO_CHANCE, Chance
from roost.model.clock import Stamp, soonest
from roost.model.errors import InvariantViolated
from roost.model.ids import NodeId, run_of
from roost.model.resources import Capacity
from roost.model.vitals import Condition
from roost.policy.choose import Policy
from roost.policy.fairness import NO_FAIRNESS, Fairness
from roost.policy.usual import USUAL

#: Events that stir only through what they change: what is submitted is ready once it is on disk.
_SELDOM_STIRS = (Heard, Persisted, Submitted, VitalsChanged)


class Node:
    def __init__(
        self,
        name: NodeId,
        capacity: Capacity,
        restored: Restored,
        medium: MakeMedium = Alone,
        *,
        chance: Chance = NO_CHANCE,
        policy: Policy = USUAL,
        fairness: Fairness = NO_FAIRNESS,
        archive_group: int = ARCHIVE_GROUP,
    ) -> None:
        """Take up where ``restored`` ends; feed Started before anything else.

        ``fairness`` says when this node leaves to others what ``policy`` wants.
        """
        self.name = name
        self.boot = restored.boot
        machines = Machines(name, capacity, restored, medium, chance, policy, fairness, archive_group)
        self._turn = machines.turn
        self._clocks = machines.clocks
        self._requests = machines.requests
        self._cancelling = machines.cancelling
        self._completion = machines.completion
        self._tombstones = machines.tombstones
        self._page_in = machines.page_in
        self._losses = machines.losses
        self._leasing = machines.leasing
        self._preemption = machines.preemption
        self._outcomes = machines.outcomes
        self.tickets = machines.tickets
        self.peers = machines.peers
        self.queue = machines.queue
        self.draining = machines.draining
        self.staying = machines.staying
        self._own_state = machines.own_state
        self.inventory = machines.inventory
        self.fetcher = machines.fetcher
        self.re_replication = machines.re_replication
        self.quorum = machines.quorum
        self._agreeing = machines.agreeing
        self.medium = machines.medium
        self.undecided = machines.undecided
        self.summaries = machines.summaries
        self.explanations = machines.explanations
        self._neighbours = restored.neighbours
        self._due_at: float | None = None
        self._due_is_known = False
        self._restore(restored)

    def _restore(self, restored: Restored) -> None:
        replica, digests = self.queue.replica, self.queue.digests
        for run in restored.runs:
            replica.restore_run(run, kept=False)
        #: Lengths of pools that the last life had no time to write.
        self._unwritten = self.queue.applying.restore(restored.tasks)
        for held in restored.holdings:
            self.inventory.restore(held)
            self.quorum.restore(held)
        for run_id, of_record, of_tasks in restored.digests:
            digests.restore(run_id, of_record, of_tasks)
        self.queue.forgotten.restore(restored.tombstones)
        for run in restored.runs:
            self._completion.restored(run, restored.last_stamp)
            digests.run_changed(run.record.spec.id)
        if self.peers.on_network:
            for run_id in digests.runs():
                self.re_replication.audit_whole(run_id)

    def handle(self, event: Event, now: float) -> list[Action]:
        """React to one event. The only way in which a node changes."""
        turn, queue = self._turn, self.queue
        actions = turn.begin(now)
        queue.fair_queue.latest_s = self._clocks.latest(turn.now)
        self._due_is_known = False
        if queue.readiness.trouble or not isinstance(event, _SELDOM_STIRS):
            turn.stir()
        self._react(event)
        self._settle()
        self._tombstones.follow()
        self.draining.follow()
        self._losses.follow()
        queue.lending.follow()
        if turn.stirred or self.fetcher.has_hopeless:
            turn.stirred = False
            self.medium.look()
            self._leasing.schedule()
        self._leasing.steal()
        self._preemption.make_way()
        self.medium.end_turn()
        return actions

    def next_deadline(self) -> float | None:
        """Return when DeadlineReached should come, if nothing happens before."""
        # Deadlines follow from what was handled, so between two events they stay.
        if not self._due_is_known:
            self._due_at, self._due_is_known = self._soonest_deadline(), True
        return self._due_at

    def _soonest_deadline(self) -> float | None:
        queue = self.queue
        steal_at = None if queue.readiness.trouble else queue.scheduler.next_steal_at()
        hindered_until = queue.disk_pressure.next_deadline()
        return soonest(self.tickets.retry_at, hindered_until, steal_at, self.medium.next_deadline())

    def sizes(self) -> dict[str, tuple[int, int]]:
        """Return the tables that others can fill, each with its size and its limit."""
        return self.medium.sizes()

    def remaining(self) -> Remaining:
        """Return what keeps this node from being switched off without loss."""
        return self.draining.remaining(self.medium.remaining())

    def check(self) -> None:
        """Recompute everything that is kept twice; raise InvariantViolated where it differs."""
        for _ in self.checks():
            pass

    def checks(self) -> Iterator[None]:
        """Do the same in small steps, between which events may be handled: the whole takes long where much is held."""
        queue = self.queue
        yield from queue.replica.checks()
        yield from queue.dataflow.checks()
        queue.fair_queue.check()
        queue.usage.check(queue.replica.leased)
        queue.lanes.check(queue.leases.in_hand())
        self.medium.check()
        if self._due_is_known and self._due_at != self._soonest_deadline():
            raise InvariantViolated(f"{self.name} waits until {self._due_at}, and something is due at another time")
        if not self._turn.stirred and self._leasing.may_lease:
            overlooked = queue.scheduler.overlooked(self._turn.now, self.medium.claimed)
            if overlooked is not None:
                raise InvariantViolated(f"{self.name} could start {overlooked}, and nothing has stirred it")
        for lease in queue.leases.in_hand():
            entry = queue.replica.tasks[lease.spec.id]
            # As a rule they are leased: only for the others all phases are put together.
            if not (lease.outstanding.issubset(entry.leased) or lease.outstanding.issubset(entry.in_any_phase)):
                raise InvariantViolated(f"lease {lease.name} holds unknown elements of {lease.spec.id}")

    @property
    def condition(self) -> Condition:
        """In which state this node is, as it has judged last."""
        return self._turn.condition

    @property
    def now(self) -> float:
        """The time of the last event."""
        return self._turn.now

    def stamp_at(self, now: float) -> Stamp:
        """Return a stamp for something outside that happens now, such as a submission."""
        self._turn.now = max(now, self._turn.now)
        return self._turn.stamp()

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
                self._requests.ask(event)
            case Recalled():
                self._page_in.take_back(event)
            case DamageFound():
                self._losses.found(event)
            case Persisted() | PersistFailed():
                self._disk_answered(event)
            case ElementsDone() | ElementFailed() | ElementsReturned():
                self._answered(event)
            case Progressed():
                self._progressed(event)
            case WaitBegan() | WaitEnded():
                self.queue.lending.heard(event)
            case CapacityChanged() | VitalsChanged() | DrainAsked() | Awoke() | Moved() | Leaving():
                self._place_changed(event)
            case DeadlineReached():
                self._deadline()
            case _:
                assert_never(event)

    def _place_changed(self, event: CapacityChanged | VitalsChanged | DrainAsked | Awoke | Moved | Leaving) -> None:
        """What this node offers is not as it was, or how it is, or where it is, or whether it stays."""
        match event:
            case CapacityChanged():
                self.queue.yielding.change_offer(event)
            case VitalsChanged(vitals=vitals):
                self._own_state.feel(vitals)
            case DrainAsked():
                if self.draining.asked(event):
                    self.re_replication.hand_over()
            case Awoke(past=past):
                self._turn.come_on_line(past)
                self._own_state.begin()
                self.queue.usage.see_from_now()
            case Moved() | Leaving():
                self.medium.place_changed(event)

    def _disk_answered(self, event: Persisted | PersistFailed) -> None:
        if isinstance(event, Persisted):
            for change in self.tickets.persisted(event.ticket):
                self._apply(change)
                # What is offered or proposed has not landed before others keep it, nor what others have to find, too.
                if not isinstance(change, ResultOffer | Found | Proposed):
                    self._turn.landed(change)
            return
        self.inventory.take_back(self.tickets.brought_by(event.ticket))
        refused = self.tickets.failed(event.ticket, event.reason, self._turn.now)
        if refused is not None:
            self._requests.refuse(refused, event.reason)
            self._turn.landed(refused)

    def _heard(self, event: Heard) -> None:
        self._clocks.heard(event.sender, event.sent, event.wall_ms, self._turn.now)
        self.medium.heard(event)

    def _start(self) -> None:
        self._turn.come_on_line(self._turn.online)
        self._own_state.begin()
        self.queue.usage.see_from_now()
        self.medium.start(self._neighbours)
        for pool, delta in self._unwritten:
            self._turn.persist(Note((pool,), urgent=True), StatesMerged(pool, delta))
        for run in self.queue.replica.runs:
            self._turn.look_at(run)
        for entry in self.queue.replica.tasks.values():
            self._turn.touch(entry.spec.id)
            self._leasing.start(entry)
        self._losses.start()

    def _apply(self, change: Change) -> None:
        match change:
            case Outcome():
                self._accept(change)
            case ResultOffer() | Keeping() | Learnt():
                self.medium.apply(change)
            case Proposed() | Voted():
                self.quorum.apply(change)
            case Found():
                self._agreeing.apply(change)
            case Finish(finished=finished):
                self._completion.finish(finished)
            case Submission() | Cancellation() | Retry() | Reopening() | SwitchingChange() | Forgetting():
                self._requests.apply(change)
            case LivesNoted(life=life):
                self.queue.lives.noted(life)
                self._turn.stir()
            case Note():
                pass
            case _:
                assert_never(change)

    def _accept(self, outcome: Outcome) -> None:
        task = outcome.task
        self.queue.applying.apply(task, outcome.delta, ACCEPTED)
        if outcome.alone:
            self.re_replication.accepted_alone(run_of(task))
        if outcome.noted is not None:
            self.medium.publish(outcome.noted)
            self.re_replication.decided(run_of(task))

    def _answered(self, event: Answer) -> None:
        """An executor answered for elements of a lease."""
        lease = self.queue.leases.find(event.lease)
        answer = what_counts(lease, event) if lease is not None else None
        if lease is None or answer is None:
            return
        entry = self.queue.replica.tasks[lease.spec.id]
        if isinstance(answer, ElementsDone):
            ranges = self._outcomes.done(lease, entry, answer)
        elif isinstance(answer, ElementFailed):
            ranges = self._outcomes.failed(lease, entry, answer)
        else:
            ranges = self._outcomes.returned(lease, entry, answer.ranges, answer.no_room)
        self.queue.progress.over(lease, ranges)
        self._cancelling.stopped(lease.name, ranges)
        if not lease.outstanding:
            self._lease_over(lease)

    def _lease_over(self, lease: Lease) -> None:
        lanes = self.queue.lanes
        lane = lanes.open_lanes[lease.lane]
        ran = lane.front
        lanes.lease_over(lease)
        if lane.leases and lane.front is not ran:
            lane.front.at_hand_since = self._turn.now
        if lane.paused and lane.leases and lane.front is not ran:
            self._turn.act(Pause(lane.front.name))
        self._turn.touch(lease.spec.id)

    def _progressed(self, event: Progressed) -> None:
        lease = self.queue.leases.find(event.lease)
        if lease is not None and event.index in lease.outstanding:
            before, _ = self.queue.progress.at(lease, event.index)
            fraction = further(before or 0.0, event.fraction)
            self.queue.progress.said(lease, event.index, fraction, event.note)
            self._turn.act(Notify(ProgressChanged(lease.spec.id, event.index, fraction, event.note), promises=False))

    def _deadline(self) -> None:
        if self.tickets.retry_at is not None and self.tickets.retry_at <= self._turn.now:
            for again in self.tickets.write_again():
                self._turn.act(again)
                self._handed_in_again(self.tickets.brought_by(again.ticket))
        for task in self.queue.disk_pressure.tick(self._turn.now, self.queue.readiness.has_ready):
            self._turn.touch(task)
        self._tombstones.tick()
        self._own_state.tick()
        self.medium.tick()

    def _handed_in_again(self, brought: Brought) -> None:
        """What a full disk refused goes there once more; what has left memory meanwhile is not counted."""
        known, queue = self.queue.replica.tasks, self.queue
        items = tuple(part for part in brought.items if part[0] in known)
        results = tuple(part for part in brought.results if part[0] in known)
        self.inventory.add(Brought(items, results, brought.blobs))
        for task in dict.fromkeys([*(part[0] for part in items), *(part[0] for part in results)]):
            for touched in (task, *queue.dataflow.targets(task)):
                self._turn.touch(touched)

    # After every event.

    def _settle(self) -> None:
        """Bring the queue and the runs up to date with what the event touched."""
        queue = self.queue
        while self._turn.touched:
            for task in self._turn.take_touched():
                entry = queue.replica.tasks.get(task)
                if entry is not None:
                    queue.scheduler.set_ready(entry, ready=bool(queue.readiness.ready_here(task)))
                    if entry.spec.agreement is not None:
                        self._agreeing.follow(entry)
                    self._completion.follow(entry)
        self._completion.conclude()
