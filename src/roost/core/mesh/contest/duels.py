"""Duels: others have moved what this node works on. It goes on, stops, or waits until it knows better.

Rules
- A holder that was believed dead and lives takes its elements again under a larger token, while nobody else has them.
- Of two holders one goes on (duplicate_resolution.py). The one with the smaller lease decides, when it hears of the
  other's.
- For that it has to know how far the other has come under that very lease, or a later one: an earlier one may have been
  given back, and the element begun anew. Heartbeats tell it. Until one does both work on, for HEARING_S at the longest.
- So a rival gets heartbeats, too, in a mesh so large that they do not go to all; and whoever gets one that names what
  he works on answers with his next.
- What is undecided is what the record gives to another node and this one still works on. So nothing is kept of it but
  until when it waits.
"""

from roost.core.actions import StopMode
from roost.core.facts import StatesMerged
from roost.core.mesh.contest.bidding import Bidding
from roost.core.mesh.contest.duplicate_resolution import Holder, goes_on, holder_of, waits
from roost.core.origin import LEASED
from roost.core.peers import Peers
from roost.core.queue.applying import Applying
from roost.core.queue.applying import Moved as MovedStates
from roost.core.queue.leases import Lease, Leases
from roost.core.queue.replica import Phase, Replica, TaskEntry, phase_of
from roost.core.queue.stopping import Stopping
from roost.core.queue.tokens import Tokens
from roost.core.tickets import Note
from roost.core.turn import Turn
from roost.model.happenings import LeaseKept
from roost.model.ids import LeaseId, NodeId
from roost.model.ranges import EMPTY, RangeSet
from roost.model.states import Leased, State
from roost.wire.messages import Bid, RunningLease

#: How long a holder waits for word on how far its rival has come. Longer: several heartbeats in a row may be lost, or
#: come late. Shorter: less is executed twice. It must be shorter than lease_expiry's CONFIRM_S: else the lease of a
#: rival that is not heard is released meanwhile, and taken again by each of the two in turn.
HEARING_S = 2.0


class Duels:
    def __init__(
        self,
        turn: Turn,
        *,
        peers: Peers,
        replica: Replica,
        leases: Leases,
        tokens: Tokens,
        stopping: Stopping,
        applying: Applying,
        bidding: Bidding,
    ) -> None:
        self._turn = turn
        self._peers = peers
        self._replica = replica
        self._leases = leases
        self._tokens = tokens
        self._stopping = stopping
        self._applying = applying
        self._bidding = bidding
        #: Until when a lease of this node waits for word of a rival.
        self._undecided: dict[tuple[LeaseId, NodeId], float] = {}
        #: Those who have named what this node works on, too, since its last heartbeat.
        self._rivals: dict[NodeId, None] = {}

    def displaced(self, entry: TaskEntry, moved: MovedStates) -> None:
        """Elements of a task have moved: what this node works on of them ends, goes on, or is taken again."""
        task = entry.spec.id
        for state, ranges in moved:
            if phase_of(state, entry.spec.retries) is not Phase.PENDING:
                self._bidding.taken_by_others(task, ranges)
        for lease in [lease for lease in self._leases.active.values() if lease.spec.id == task]:
            for state, ranges in moved:
                part = (lease.outstanding & ranges) - lease.stopping
                if part:
                    self._contested(lease, entry, state, part)

    def beat_heard(self, rival: NodeId, named: tuple[RunningLease, ...]) -> None:
        """A heartbeat has named all leases of its node, and how far they have come."""
        if any(self._works_on(lease) for lease in named):
            self._rivals[rival] = None
        for name, holder in [key for key in self._undecided if key[1] == rival]:
            self._look_again(name, holder)

    def _works_on(self, named: RunningLease) -> bool:
        """Whether this node has an element of another's lease in hand, too."""
        return any(
            lease.spec.id == named.task and not lease.outstanding.isdisjoint(named.ranges)
            for lease in self._leases.active.values()
        )

    def beats_to(self) -> tuple[NodeId, ...]:
        """Return the rivals to whom the next heartbeat goes."""
        rivals, self._rivals = self._rivals, {}
        return tuple(rivals | {rival: None for _, rival in self._undecided})

    def tick(self) -> None:
        """Decide without what was not heard in time."""
        for name, rival in [key for key, until in self._undecided.items() if until <= self._turn.now]:
            self._look_again(name, rival)

    def next_deadline(self) -> float | None:
        return min(self._undecided.values(), default=None)

    def _look_again(self, name: LeaseId, rival: NodeId) -> None:
        until = self._undecided.pop((name, rival))
        lease = self._leases.active.get(name)
        entry = None if lease is None else self._replica.tasks.get(lease.spec.id)
        if lease is None or entry is None:
            return
        for state, part in entry.elements.entries_within(lease.outstanding - lease.stopping):
            if isinstance(state, Leased) and state.node == rival:
                self._duel(lease, entry, state, part, until)

    def _contested(self, lease: Lease, entry: TaskEntry, state: State, part: RangeSet) -> None:
        phase = phase_of(state, entry.spec.retries)
        if state.edition > lease.edition:
            # A person has sent it back: what runs has the inputs of an earlier edition.
            self._stopping.stop(lease, part, StopMode.KILL)
        elif phase is Phase.PENDING:
            self._take_again(lease, entry, EMPTY)
        elif isinstance(state, Leased) and state.node != self._turn.name:
            until = self._undecided.get((lease.name, state.node), self._turn.now + HEARING_S)
            self._duel(lease, entry, state, part, until)
        elif phase is not Phase.LEASED:
            self._stopping.stop(lease, part, StopMode.KILL)

    def _duel(self, lease: Lease, entry: TaskEntry, rival: Leased, part: RangeSet, until: float) -> None:
        """Another node holds the same elements, and its lease is the larger: stop, or take a larger one.

        Or wait for word on the rival; without one it is decided at ``until``.
        """
        at_hand, kept = part & lease.outstanding.take(1), EMPTY
        for contested in (at_hand, part - at_hand):
            if contested:
                bid = self._bid_of(self._turn.name, entry, contested)
                me = Holder(bid, lease.told, lease.told_ran_s) if contested is at_hand else Holder(bid)
                told = self._told_by(rival, entry, contested)
                other = holder_of(self._bid_of(rival.node, entry, contested), told, contested.first)
                if self._turn.now < until and waits(me, other, lease.raised):
                    self._undecided[lease.name, rival.node] = until
                elif goes_on(me, other, lease.raised):
                    kept |= contested
                else:
                    self._stopping.stop(lease, contested, StopMode.KILL)
        if kept:
            lease.raised += 1
            self._take_again(lease, entry, kept)

    def _bid_of(self, holder: NodeId, entry: TaskEntry, part: RangeSet) -> Bid | None:
        return self._bidding.bid_of(holder, entry.spec.id, part.first)

    def _told_by(self, rival: Leased, entry: TaskEntry, part: RangeSet) -> RunningLease | None:
        """Return what a rival said of this lease, or a later one."""
        heartbeat = self._peers.heartbeat_of(rival.node)
        for lease in () if heartbeat is None else heartbeat.leases:
            if lease.task == entry.spec.id and lease.token >= rival.token and part.first in lease.ranges:
                return lease
        return None

    def _take_again(self, lease: Lease, entry: TaskEntry, contested: RangeSet) -> None:
        """This node still works on it: say so with a larger token."""
        task = entry.spec.id
        ranges = self._leases.renewable(lease, entry, contested)
        if ranges:
            delta = self._leases.renew(lease, entry, ranges, self._tokens.for_lease(entry, ranges))
            told = self._turn.story(task, delta.known(), LeaseKept(self._turn.name), f"lease {lease.name}")
            self._turn.persist(Note((task,)), StatesMerged(task, delta), told)
            self._applying.apply(task, delta, LEASED)
