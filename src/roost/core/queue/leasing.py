"""Leasing: what this node takes next, decided once after an event, on what is ready then.

Rules
- While the disk refuses, or was just found full (disk_pressure.py), nothing new starts, because what it leaves could
  not be kept; nor while tokens of a node with more lives are known and that is not on disk (lives.py).
- New leases are written down in one go, and started without waiting for the disk: losing one costs an attempt.
"""

from collections.abc import Sequence
from typing import Protocol

from roost.core.actions import Continue, StopMode
from roost.core.facts import NODE_RESTARTED, Fact, LivesHeard, StatesMerged
from roost.core.origin import GIVEN_BACK
from roost.core.queue.applying import Applying
from roost.core.queue.attempts import Attempts
from roost.core.queue.lanes import Lane
from roost.core.queue.leases import Lease, Leases
from roost.core.queue.leasing_ahead import LeasingAhead
from roost.core.queue.lives import Lives
from roost.core.queue.policy_memory import PolicyMemory
from roost.core.queue.readiness import Readiness
from roost.core.queue.replica import Replica, TaskEntry
from roost.core.queue.scheduler import Scheduler
from roost.core.queue.stopping import Stopping
from roost.core.tickets import LivesNoted, Note
from roost.core.turn import Turn
from roost.model.elements import Elements
from roost.model.happenings import LeasedBy, NodeRestarted
from roost.model.ids import RunId, TaskId
from roost.model.ranges import RangeSet
from roost.model.token import Token
from roost.policy.choose import Repeat


class Claims(Protocol):
    """What this node may take, as it has agreed with the others."""

    def won(self) -> list[TaskId] | None: ...
    def claimed(self, task: TaskId) -> RangeSet: ...
    def unanswered(self, task: TaskId) -> RangeSet: ...
    def token(self, task: TaskId, ranges: RangeSet) -> Token: ...
    def why(self, task: TaskId) -> str | None: ...
    def why_lost(self, task: TaskId) -> str | None: ...
    def why_abstains(self) -> str | None: ...
    def leave_the_rest(self) -> None: ...
    def repeats(self) -> Sequence[Repeat]: ...


class Leasing:
    def __init__(
        self,
        turn: Turn,
        *,
        replica: Replica,
        memory: PolicyMemory,
        lives: Lives,
        leases: Leases,
        scheduler: Scheduler,
        readiness: Readiness,
        applying: Applying,
        stopping: Stopping,
        claims: Claims,
        ahead: LeasingAhead,
        attempts: Attempts,
    ) -> None:
        self._turn = turn
        self._replica = replica
        self._memory = memory
        self._lives = lives
        self._leases = leases
        self._scheduler = scheduler
        self._lanes = scheduler.lanes
        self._readiness = readiness
        self._applying = applying
        self._stopping = stopping
        self._claims = claims
        self._ahead = ahead
        self._attempts = attempts

    @property
    def may_lease(self) -> bool:
        return self._readiness.trouble is None and self._lives.are_noted

    def start(self, entry: TaskEntry) -> None:
        """End what this node held of a task when its last life ended."""
        task = entry.spec.id
        void = self._leases.void(entry)
        if void:
            told = self._turn.story(task, void.known(), NodeRestarted(self._turn.name), NODE_RESTARTED)
            self._turn.persist(Note((task,)), StatesMerged(task, void), told)
            held = void.known()
            # Of what its lanes held, only so much can have run.
            self._memory.aborted += min(len(held), self._lanes.could_hold(entry.spec.needs))
            self._memory.lost(task, held)
            self._applying.apply(task, void, GIVEN_BACK)

    def schedule(self) -> None:
        """Let frozen lanes go on where there is room, and lease what can be taken to lanes."""
        self._note_lives()
        if not self.may_lease:
            return
        while (lane := self._scheduler.resumable(self._may_run)) is not None:
            self._lanes.resume(lane)
            self._turn.act(Continue(lane.front.name))
        repeats = self._claims.repeats()
        self._attempts.begin([choice for choice in repeats if choice.goes_first])
        granted: list[tuple[Lease, Elements]] = []

        def grant(entry: TaskEntry, ranges: RangeSet, lane: Lane) -> Lease:
            token = self._claims.token(entry.spec.id, ranges)
            lease, delta = self._leases.grant(entry, ranges, token, lane.name, self._turn.now)
            granted.append((lease, delta))
            self._applying.lease(entry, ranges, delta)
            self._scheduler.set_ready(entry, ready=bool(self._readiness.ready_here(entry.spec.id)))
            return lease

        self._scheduler.assign(self._turn.now, self._claims.claimed, grant, self._claims.won())
        self._ahead.lease(grant)
        self._claims.leave_the_rest()
        self._start(granted)
        self._attempts.begin([choice for choice in repeats if not choice.goes_first])

    def steal(self) -> None:
        """Have the fullest lane give back half of what it has not begun, if another has nothing to do."""
        victim = None if self._readiness.trouble else self._scheduler.steal(self._turn.now)
        if victim is not None:
            given = (self._lanes.open_lanes[victim.lane].unbegun(victim) + 1) // 2
            kept = victim.outstanding.take(len(victim.outstanding) - given)
            self._stopping.stop(victim, victim.outstanding - kept, StopMode.UNSTARTED)

    def _note_lives(self) -> None:
        life = self._lives.to_note()
        if life is not None:
            self._turn.persist(LivesNoted(life), LivesHeard(life))

    def _start(self, granted: list[tuple[Lease, Elements]]) -> None:
        if not granted:
            return
        facts: list[Fact] = []
        for lease, delta in granted:
            what = LeasedBy(self._turn.name, lease.lane, lease.token)
            told = self._turn.story(lease.spec.id, lease.outstanding, what, f"lease {lease.name}")
            facts += (StatesMerged(lease.spec.id, delta), told)
        self._turn.persist(Note(tuple(lease.spec.id for lease, _ in granted)), *facts)
        for lease, _ in granted:
            self._turn.act(lease.start())

    def _may_run(self, run: RunId) -> bool:
        return not self._replica.runs[run].suspended
