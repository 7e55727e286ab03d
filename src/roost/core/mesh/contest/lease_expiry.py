"""Lease expiry: what becomes of leases when their holder dies, starts anew, or has lost them to another.

Rules
- The leases of a dead node are released, alike on every node: the same state follows from the same death, so nobody
  has to tell anybody (DICE, failed resolution service; LAN 3.6.2.1).
- A node that has started anew has none of its earlier leases: their tokens name an earlier life.
- A lease that its living holder does not name in its heartbeats any more is released after CONFIRM_S: the word of its
  end was lost. So is the lease of a node that is not there at all: it died before this one came.
- A holder that was believed dead and lives takes its elements again under a larger token, while nobody else has them.
- Of two holders one goes on (duplicate_resolution.py).
"""

from collections.abc import Callable

from roost.core.actions import StopMode
from roost.core.facts import NODE_LOST, StatesMerged
from roost.core.mesh.contest.bidding import Bidding
from roost.core.mesh.contest.duplicate_resolution import Holder, fraction_of, goes_on
from roost.core.origin import HOLDER_LOST, LEASED
from roost.core.peers import Peers
from roost.core.queue.applying import Applying
from roost.core.queue.leases import Lease, Leases, released_state
from roost.core.queue.replica import Phase, Replica, TaskEntry, phase_of
from roost.core.queue.stopping import Stopping
from roost.core.queue.tokens import Tokens
from roost.core.tickets import Note
from roost.core.turn import Turn
from roost.model.elements import Elements
from roost.model.happenings import HowLost, LeaseKept, NodeLost
from roost.model.ids import NodeId, TaskId
from roost.model.ranges import EMPTY, RangeSet
from roost.model.states import Leased, State
from roost.wire.messages import RunningLease

#: How long a lease may be missing from its holder's heartbeats: news of a new lease may overtake them.
CONFIRM_S = 3.0
#: How often a node looks whether what is leased has a holder that is there.
LOOK_EVERY_S = 1.0


class LeaseExpiry:
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
        in_hand: Callable[[], tuple[RunningLease, ...]],
    ) -> None:
        """``in_hand`` returns all that this node holds, finished or not."""
        self._turn = turn
        self._peers = peers
        self._replica = replica
        self._leases = leases
        self._tokens = tokens
        self._stopping = stopping
        self._applying = applying
        self._bidding = bidding
        self._in_hand = in_hand
        self._unclaimed = Unclaimed()
        self._look_at: float | None = None

    # Other nodes' leases.

    def gone(self, holder: NodeId) -> None:
        """A node died or left: what it held is ready again."""
        self._unclaimed.forget(holder)
        for task in list(self._replica.leased):
            self._release(task, released(self._replica.tasks[task], holder), NodeLost(holder, HowLost.SILENT))

    def started_anew(self, holder: NodeId, boot: int) -> None:
        """A node lives another life: what it held in the earlier one is ready again."""
        for task in list(self._replica.leased):
            earlier = released(self._replica.tasks[task], holder, before=boot)
            self._release(task, earlier, NodeLost(holder, HowLost.RESTARTED))

    def claims_heard(self, holder: NodeId, named: tuple[RunningLease, ...]) -> None:
        """A heartbeat named all leases of its node; those that it has named no more for long are released."""
        for task in list(self._replica.leased):
            entry = self._replica.tasks[task]
            missing = self._unclaimed.look(entry, holder, named, self._turn.now)
            if missing:
                self._release(task, released(entry, holder).within(missing), NodeLost(holder, HowLost.WITHOUT_IT))

    def tick(self) -> None:
        """Release what is leased to a node that is not there, and to this one in an earlier life or by mistake."""
        if self._look_at is None or self._turn.now < self._look_at:
            return
        self._look_at = None
        ours = self._in_hand()
        for task in list(self._replica.leased):
            entry = self._replica.tasks[task]
            for holder in {state.node: None for state, _ in entry.elements.items() if isinstance(state, Leased)}:
                if holder not in self._peers.others:
                    missing = self._unclaimed.look(
                        entry, holder, ours if holder == self._turn.name else (), self._turn.now
                    )
                    self._release(task, released(entry, holder).within(missing), NodeLost(holder, HowLost.NOT_THERE))
        self.follow()

    def follow(self) -> None:
        """Look again in a while, if anything is leased to anybody."""
        if self._look_at is None and self._replica.leased and self._peers.on_network:
            self._look_at = self._turn.now + LOOK_EVERY_S

    def next_deadline(self) -> float | None:
        return self._look_at

    def _release(self, task: TaskId, delta: Elements, what: NodeLost) -> None:
        if delta:
            told = self._turn.story(task, delta.known(), what, NODE_LOST)
            self._turn.persist(Note((task,)), StatesMerged(task, delta), told)
            self._applying.apply(task, delta, HOLDER_LOST)

    # This node's own leases.

    def displaced(self, entry: TaskEntry, moved: list[tuple[State, RangeSet]]) -> None:
        """Others moved elements of a task: what this node runs of them ends, goes on, or is taken again."""
        task = entry.spec.id
        for state, ranges in moved:
            if phase_of(state, entry.spec.retries) is not Phase.PENDING:
                self._bidding.taken_by_others(task, ranges)
        for lease in [lease for lease in self._leases.active.values() if lease.spec.id == task]:
            for state, ranges in moved:
                part = (lease.outstanding & ranges) - lease.stopping
                if part:
                    self._contested(lease, entry, state, part)

    def _contested(self, lease: Lease, entry: TaskEntry, state: State, part: RangeSet) -> None:
        phase = phase_of(state, entry.spec.retries)
        if state.edition > lease.edition:
            # A person has sent it back: what runs has the inputs of an earlier edition.
            self._stopping.stop(lease, part, StopMode.KILL)
        elif phase is Phase.PENDING:
            self._take_again(lease, entry, EMPTY)
        elif isinstance(state, Leased) and state.node != self._turn.name:
            at_hand = part & lease.outstanding.take(1)
            for contested in (at_hand, part - at_hand):
                if contested:
                    self._duel(lease, entry, state, contested)
        elif phase is not Phase.LEASED:
            self._stopping.stop(lease, part, StopMode.KILL)

    def _duel(self, lease: Lease, entry: TaskEntry, rival: Leased, part: RangeSet) -> None:
        """Another node holds the same elements, and its lease is the larger: stop, or take a larger one."""
        task, index = entry.spec.id, part.first
        at_hand = lease.outstanding.take(1) == part
        me = Holder(self._bidding.bid_of(self._turn.name, task, index), lease.told if at_hand else 0.0)
        other = Holder(self._bidding.bid_of(rival.node, task, index), self._progress_of(rival.node, task, index))
        if goes_on(me, other, lease.raised):
            lease.raised += 1
            self._take_again(lease, entry, part)
        else:
            self._stopping.stop(lease, part, StopMode.KILL)

    def _progress_of(self, holder: NodeId, task: TaskId, index: int) -> float:
        heartbeat = self._peers.heartbeat_of(holder)
        leases = () if heartbeat is None else heartbeat.leases
        return max((fraction_of(lease, index) for lease in leases if lease.task == task), default=0.0)

    def _take_again(self, lease: Lease, entry: TaskEntry, contested: RangeSet) -> None:
        """This node still works on it: say so with a larger token."""
        task = entry.spec.id
        ranges = self._leases.renewable(lease, entry, contested)
        if ranges:
            delta = self._leases.renew(lease, entry, ranges, self._tokens.for_lease(entry, ranges))
            told = self._turn.story(task, delta.known(), LeaseKept(self._turn.name), f"lease {lease.name}")
            self._turn.persist(Note((task,)), StatesMerged(task, delta), told)
            self._applying.apply(task, delta, LEASED)


def released(entry: TaskEntry, holder: NodeId, *, before: int | None = None) -> Elements:
    """Return the states that end the leases of a holder; with ``before``, only those of lives before this one."""
    states: dict[State, RangeSet] = {}
    for state, ranges in entry.elements.items():
        if isinstance(state, Leased) and state.node == holder and (before is None or state.token.life < before):
            states[released_state(state)] = ranges
    return Elements(states)


class Unclaimed:
    """Leases that their holders, though they live, do not name in their heartbeats."""

    def __init__(self) -> None:
        #: Since when, for each holder and task, and which elements.
        self._since: dict[tuple[NodeId, TaskId], tuple[float, RangeSet]] = {}

    def forget(self, holder: NodeId) -> None:
        self._since = {key: value for key, value in self._since.items() if key[0] != holder}

    def look(self, entry: TaskEntry, holder: NodeId, named: tuple[RunningLease, ...], now: float) -> RangeSet:
        """Return the elements of a task that their holder has not named for CONFIRM_S."""
        key = (holder, entry.spec.id)
        missing = _held_by(entry, holder)
        for lease in named:
            if lease.task == entry.spec.id:
                missing -= lease.ranges
        since, before = self._since.get(key, (now, missing))
        missing &= before
        if not missing:
            self._since.pop(key, None)
        elif now - since >= CONFIRM_S:
            del self._since[key]
            return missing
        else:
            self._since[key] = (since, missing)
        return EMPTY


def _held_by(entry: TaskEntry, holder: NodeId) -> RangeSet:
    held = EMPTY
    for state, ranges in entry.elements.items():
        if isinstance(state, Leased) and state.node == holder:
            held |= ranges
    return held
