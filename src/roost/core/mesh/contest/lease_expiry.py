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

from typing import TYPE_CHECKING

from roost.core.actions import StopMode
from roost.core.facts import NODE_LOST, NODE_RESTARTED, StatesMerged
from roost.core.mesh.contest.duplicate_resolution import Holder, HolderStep, fraction_of, next_step
from roost.core.origin import GIVEN_BACK, HOLDER_LOST, LEASED
from roost.core.queue.leases import Lease, released_state
from roost.core.queue.replica import Phase, TaskEntry, phase_of
from roost.core.tickets import Note
from roost.model.elements import Elements
from roost.model.ids import NodeId, TaskId
from roost.model.ranges import EMPTY, RangeSet
from roost.model.states import Leased, State
from roost.wire.messages import RunningLease

if TYPE_CHECKING:
    from roost.core.node import Node

#: How long a lease may be missing from its holder's heartbeats: news of a new lease may overtake them.
CONFIRM_S = 3.0
#: How often a node looks whether what is leased has a holder that is there.
LOOK_EVERY_S = 1.0


class LeaseExpiry:
    def __init__(self, node: "Node") -> None:
        self._node = node
        self._unclaimed = Unclaimed()
        self._look_at: float | None = None

    # Other nodes' leases.

    def gone(self, holder: NodeId) -> None:
        """A node died or left: what it held is ready again."""
        self._unclaimed.forget(holder)
        for task in list(self._node.replica.leased):
            self._release(task, released(self._node.replica.tasks[task], holder), f"{holder} fell silent")

    def started_anew(self, holder: NodeId, boot: int) -> None:
        """A node lives another life: what it held in the earlier one is ready again."""
        for task in list(self._node.replica.leased):
            earlier = released(self._node.replica.tasks[task], holder, before=boot)
            self._release(task, earlier, f"{holder} was restarted")

    def claims_heard(self, holder: NodeId, named: tuple[RunningLease, ...]) -> None:
        """A heartbeat named all leases of its node; those that it has named no more for long are released."""
        for task in list(self._node.replica.leased):
            entry = self._node.replica.tasks[task]
            missing = self._unclaimed.look(entry, holder, named, self._node.now)
            if missing:
                self._release(task, released(entry, holder).within(missing), f"{holder} does not have it")

    def tick(self) -> None:
        """Release what is leased to a node that is not there, and to this one in an earlier life or by mistake."""
        node = self._node
        if self._look_at is None or node.now < self._look_at:
            return
        self._look_at = None
        ours = node.mesh.leases()
        for task in list(node.replica.leased):
            entry = node.replica.tasks[task]
            for holder in {state.node: None for state, _ in entry.elements.items() if isinstance(state, Leased)}:
                if holder not in node.mesh.others:
                    missing = self._unclaimed.look(entry, holder, ours if holder == node.name else (), node.now)
                    self._release(task, released(entry, holder).within(missing), f"{holder} is not there")
        self.follow()

    def follow(self) -> None:
        """Look again in a while, if anything is leased to anybody."""
        if self._look_at is None and self._node.replica.leased and self._node.mesh.members is not None:
            self._look_at = self._node.now + LOOK_EVERY_S

    def next_deadline(self) -> float | None:
        return self._look_at

    def _release(self, task: TaskId, delta: Elements, why: str) -> None:
        node = self._node
        if delta:
            told = node.story(task, delta.known(), f"ready again: {why}", NODE_LOST)
            node.persist(Note((task,)), StatesMerged(task, delta), told)
            node.apply(task, delta, HOLDER_LOST)

    # This node's own leases.

    def start(self, entry: TaskEntry) -> None:
        """End what this node held of a task when its last life ended."""
        node, task = self._node, entry.spec.id
        void = node.leases.void(entry)
        if void:
            told = node.story(task, void.known(), "given back: the node that ran it was restarted", NODE_RESTARTED)
            node.persist(Note((task,)), StatesMerged(task, void), told)
            node.apply(task, void, GIVEN_BACK)

    def displaced(self, entry: TaskEntry, moved: list[tuple[State, RangeSet]]) -> None:
        """Others moved elements of a task: what this node runs of them ends, goes on, or is taken again."""
        node, task = self._node, entry.spec.id
        for state, ranges in moved:
            if phase_of(state, entry.spec.retries) is not Phase.PENDING:
                node.mesh.bidding.taken_by_others(task, ranges)
        for lease in [lease for lease in node.leases.active.values() if lease.spec.id == task]:
            for state, ranges in moved:
                part = (lease.outstanding & ranges) - lease.stopping
                if part:
                    self._contested(lease, entry, state, part)

    def _contested(self, lease: Lease, entry: TaskEntry, state: State, part: RangeSet) -> None:
        phase = phase_of(state, entry.spec.retries)
        if state.edition > lease.edition:
            # A person has sent it back: what runs has the inputs of an earlier edition.
            self._node.stop(lease, part, StopMode.KILL)
        elif phase is Phase.PENDING:
            self._take_again(lease, entry, EMPTY)
        elif isinstance(state, Leased) and state.node != self._node.name:
            at_hand = part & lease.outstanding.take(1)
            for contested in (at_hand, part - at_hand):
                if contested:
                    self._duel(lease, entry, state, contested)
        elif phase is not Phase.LEASED:
            self._node.stop(lease, part, StopMode.KILL)

    def _duel(self, lease: Lease, entry: TaskEntry, rival: Leased, part: RangeSet) -> None:
        """Another node holds the same elements, and its lease is the larger: stop, or take a larger one."""
        node, task, index = self._node, entry.spec.id, part.first
        bids = node.mesh.bidding.contest
        at_hand = lease.outstanding.take(1) == part
        me = Holder(
            node.name,
            lease.token,
            rival.round,
            bids.bid_of(node.name, task, index),
            lease.told if at_hand else 0.0,
            lease.raised,
        )
        other = Holder(
            rival.node,
            rival.token,
            rival.round,
            bids.bid_of(rival.node, task, index),
            self._progress_of(rival.node, task, index),
        )
        if next_step(me, [other]) is HolderStep.TAKE_NEW_LEASE:
            lease.raised += 1
            self._take_again(lease, entry, part)
        else:
            node.stop(lease, part, StopMode.KILL)

    def _progress_of(self, holder: NodeId, task: TaskId, index: int) -> float:
        members = self._node.mesh.members
        member = members.member(holder) if members is not None else None
        if member is None or member.heartbeat is None:
            return 0.0
        return max((fraction_of(lease, index) for lease in member.heartbeat.leases if lease.task == task), default=0.0)

    def _take_again(self, lease: Lease, entry: TaskEntry, contested: RangeSet) -> None:
        """This node still works on it: say so with a larger token."""
        node, task = self._node, entry.spec.id
        delta = node.leases.renew(lease, entry, contested)
        if delta:
            told = node.story(task, delta.known(), f"kept by {node.name}, which goes on", f"lease {lease.name}")
            node.persist(Note((task,)), StatesMerged(task, delta), told)
            node.apply(task, delta, LEASED)


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
