"""Direct placement: interactive work that its submitter has no room for, and another node seems to have.

Rules
- With the news of interactive elements that it cannot take itself, the submitter names a node for as many of them as
  others seem to have room for; one node each, in turn, and no node for more than it seems to have room for.
- Who holds no lease that is known has all its room; else what its last heartbeat said, less what it was handed since.
- A node that is named and has room may take them at once, without a window: its policy chooses (``View.handed``). What
  it does not choose then, it competes for as others do.
- For everybody else, the submitter among them, it counts as a bid of the named node that was made when the work was
  submitted: they leave the elements to it, and bid for them when they are not leased in time.
- Only the submitter's word counts, so that no element is handed to two nodes.
- Who is unstable is handed nothing, and hands on all that it submits, as far as super-peers are there; who is too
  unstable does so in any case (policy/by_state.py).
- Where work of other users waits who have had less, nobody is named, and who is named takes nothing: it is their turn
  (policy/shares.py).
"""

import math
from collections.abc import Iterable

from roost.core.mesh.contest.bidding import Bidding
from roost.core.peers import Peers
from roost.core.queue.readiness import Readiness
from roost.core.queue.replica import Replica
from roost.core.queue.scheduler import Scheduler
from roost.core.turn import Turn
from roost.model.clock import Stamp
from roost.model.ids import NodeId
from roost.model.ranges import RangeSet
from roost.model.states import Leased
from roost.model.task import Priority, TaskSpec
from roost.model.vitals import NodeState
from roost.policy.choose import EQUAL_SCORE
from roost.policy.match import reasons_never
from roost.wire.messages import Bid, Handed


class DirectPlacement:
    def __init__(
        self,
        turn: Turn,
        peers: Peers,
        replica: Replica,
        scheduler: Scheduler,
        readiness: Readiness,
        bidding: Bidding,
    ) -> None:
        self._turn = turn
        self._name = turn.name
        self._peers = peers
        self._replica = replica
        self._scheduler = scheduler
        self._readiness = readiness
        self._bidding = bidding
        #: Who got something last: the next one begins.
        self._last = NodeId("")
        #: What was handed on of late.
        self._given: list[Handed] = []

    def hand_on(self, submitted: Iterable[TaskSpec]) -> tuple[Handed, ...]:
        """Return what of these tasks, which are new, others are to take at once."""
        handed, own_cpus = [], 0.0
        for spec in submitted:
            if spec.priority is Priority.INTERACTIVE and self._scheduler.is_turn_of(spec):
                ready = self._readiness.ready(spec.id)
                room = self._own_lanes(spec) - math.ceil(own_cpus / spec.needs.cpus)
                own = ready.take(max(room, 0))
                own_cpus += len(own) * spec.needs.cpus
                handed += self._shared_out(spec, ready - own)
        for part in handed:
            self.heard(self._name, part)
        return tuple(handed)

    def heard(self, sender: NodeId, part: Handed) -> None:
        """The submitter has named a node, perhaps this one."""
        entry = self._replica.tasks.get(part.task)
        if entry is None or sender != entry.spec.submitted.node or entry.spec.priority is not Priority.INTERACTIVE:
            return
        if part.node == self._name:
            mine = self._readiness.ready_here(part.task) & part.ranges
            if mine and self._scheduler.free_lanes(entry.spec) and self._scheduler.is_turn_of(entry.spec):
                self._bidding.handed(part.task, mine)
        elif part.ranges:
            submitted = entry.spec.submitted
            at = Stamp(submitted.wall_ms, submitted.count, part.node)
            self._bidding.heard(Bid(part.task, part.ranges, entry.spec.priority, EQUAL_SCORE, at))

    def _own_lanes(self, spec: TaskSpec) -> int:
        """Return how many lanes this node has for what it submits, unless it should work through others."""
        state = self._turn.condition.state
        if state is NodeState.TOO_UNSTABLE or (state is NodeState.UNSTABLE and self._peers.supers):
            return 0
        return self._scheduler.free_lanes(spec)

    def _shared_out(self, spec: TaskSpec, left: RangeSet) -> list[Handed]:
        shares = []
        for other in self._in_turn() if left else ():
            share = left.take(self._lanes_of(other, spec))
            if share:
                left -= share
                shares.append(Handed(spec.id, other, share))
                self._last = other
            if not left:
                break
        self._given += shares
        return shares

    def _in_turn(self) -> list[NodeId]:
        others = self._peers.others
        return [other for other in others if other > self._last] + [other for other in others if other <= self._last]

    def _lanes_of(self, other: NodeId, spec: TaskSpec) -> int:
        """Return for how many elements of a task a node seems to have room."""
        heartbeat = self._peers.heartbeat_of(other, alive=True)
        if heartbeat is None:
            return 0
        offers = heartbeat.offers
        if self._peers.drains(other) or self._peers.state_of(other) >= NodeState.UNSTABLE:
            return 0
        if reasons_never(spec, offers):
            return 0
        free = offers.cpus - self._cpus_held_by(other)
        if free < offers.cpus:
            free = min(free, heartbeat.free_cpus)
        return max(0, int((free - self._cpus_given_to(other) + 1e-9) // spec.needs.cpus))

    def _cpus_held_by(self, other: NodeId) -> float:
        """Return what a node needs at least for the leases that it is known to hold."""
        tasks = self._replica.tasks
        return sum(
            tasks[task].spec.needs.cpus
            for task in self._replica.leased
            if any(isinstance(state, Leased) and state.node == other for state, _ in tasks[task].elements.items())
        )

    def _cpus_given_to(self, other: NodeId) -> float:
        """Return the room for what a node was handed, and nobody is known to hold yet."""
        tasks = self._replica.tasks
        self._given = [part for part in self._given if self._is_pending(part)]
        mine = [part for part in self._given if part.node == other]
        return sum(tasks[part.task].spec.needs.cpus * len(part.ranges & tasks[part.task].pending) for part in mine)

    def _is_pending(self, part: Handed) -> bool:
        entry = self._replica.tasks.get(part.task)
        return entry is not None and not part.ranges.isdisjoint(entry.pending)
