"""Lease expiry: what becomes of other nodes' leases when their holder dies, starts anew, or has them no more.

Rules
- The leases of a dead node are released, alike on every node: the same state follows from the same death, so nobody
  has to tell anybody (DICE, failed resolution service; LAN 3.6.2.1).
- A node that has started anew has none of its earlier leases: their tokens name an earlier life.
- A lease that its living holder does not name in its heartbeats any more is released after CONFIRM_S: the word of its
  end was lost. So is the lease of a node that is not there at all: it died before this one came.
- What becomes of elements that this node works on is for duels.py to say: it may take them again.
"""

from collections.abc import Callable, Iterable

from roost.core.facts import NODE_LOST, StatesMerged
from roost.core.mesh.contest.duels import Duels
from roost.core.origin import HOLDER_LOST
from roost.core.peers import Peers
from roost.core.queue.applying import Applying
from roost.core.queue.leases import released_state
from roost.core.queue.policy_memory import PolicyMemory
from roost.core.queue.replica import Replica, TaskEntry
from roost.core.tickets import Note
from roost.core.turn import Turn
from roost.model.elements import Elements
from roost.model.happenings import HowLost, NodeLost
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
        peers: Peers,
        replica: Replica,
        applying: Applying,
        memory: PolicyMemory,
        duels: Duels,
        in_hand: Callable[[], tuple[RunningLease, ...]],
    ) -> None:
        """``in_hand`` returns all that this node holds, finished or not."""
        self._turn = turn
        self._peers = peers
        self._replica = replica
        self._applying = applying
        self._memory = memory
        self._duels = duels
        self._in_hand = in_hand
        self._unclaimed = Unclaimed()
        self._look_at: float | None = None

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
        claims = by_task(named)
        for task in list(self._replica.leased):
            entry = self._replica.tasks[task]
            missing = held_by_node(entry).get(holder, EMPTY) - claims.get(task, EMPTY)
            missing = self._unclaimed.look(task, holder, missing, self._turn.now)
            if missing:
                self._release(task, released(entry, holder).within(missing), NodeLost(holder, HowLost.WITHOUT_IT))

    def tick(self) -> None:
        """Release what is leased to a node that is not there, and to this one in an earlier life or by mistake."""
        if self._look_at is None or self._turn.now < self._look_at:
            return
        self._look_at = None
        ours = by_task(self._in_hand())
        for task in list(self._replica.leased):
            entry = self._replica.tasks[task]
            for holder, held in held_by_node(entry).items():
                if holder not in self._peers.others:
                    claimed = ours.get(task, EMPTY) if holder == self._turn.name else EMPTY
                    missing = self._unclaimed.look(task, holder, held - claimed, self._turn.now)
                    if missing:
                        delta = released(entry, holder).within(missing)
                        self._release(task, delta, NodeLost(holder, HowLost.NOT_THERE))
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
            if what.how is not HowLost.WITHOUT_IT:
                self._memory.lost(task, delta.known())
            moved = self._applying.apply(task, delta, HOLDER_LOST)
            self._duels.displaced(self._replica.tasks[task], moved)


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

    def look(self, task: TaskId, holder: NodeId, missing: RangeSet, now: float) -> RangeSet:
        """Return those of the elements of a task that are ``missing`` now that were so for CONFIRM_S."""
        key = (holder, task)
        since, before = self._since.get(key, (now, missing)) if missing else (now, EMPTY)
        missing &= before
        if not missing:
            self._since.pop(key, None)
        elif now - since >= CONFIRM_S:
            del self._since[key]
            return missing
        else:
            self._since[key] = (since, missing)
        return EMPTY


def by_task(named: Iterable[RunningLease]) -> dict[TaskId, RangeSet]:
    """Return what leases hold of each task."""
    claims: dict[TaskId, RangeSet] = {}
    for lease in named:
        claims[lease.task] = claims.get(lease.task, EMPTY) | lease.ranges
    return claims


def held_by_node(entry: TaskEntry) -> dict[NodeId, RangeSet]:
    """Return what is leased of a task, by who holds it."""
    held: dict[NodeId, RangeSet] = {}
    for state, ranges in entry.elements.items():
        if isinstance(state, Leased):
            held[state.node] = held.get(state.node, EMPTY) | ranges
    return held
