"""Lease expiry: what becomes of other nodes' leases when their holder dies, starts anew, or has them no more.

Rules
- The leases of a dead node are released, alike on every node: the same state follows from the same death, so nobody
  has to tell anybody (DICE, failed resolution service; LAN 3.6.2.1).
- A node that has started anew has none of its earlier leases: their tokens name an earlier life.
- A lease that its living holder does not name in its heartbeats any more is released after CONFIRM_S: the word of its
  end was lost. So is the lease of a node that is not there at all: it died before this one came.
- What a dead node had just begun may be what killed it (takedowns.py).
- What becomes of elements that this node works on is for duels.py to say: it may take them again.
"""

from collections.abc import Callable

from msgspec.structs import replace

from roost.core.facts import NODE_LOST, FailureNoted, StatesMerged, StoryTold
from roost.core.mesh.contest.duels import Duels
from roost.core.mesh.contest.takedowns import Takedowns, by_task, failed_state, failure_of
from roost.core.mesh.membership.members import Joined, Restarted, Returned
from roost.core.origin import HOLDER_LOST, HOLDER_TAKEN_DOWN
from roost.core.peers import Peers
from roost.core.queue.applying import Applying
from roost.core.queue.leases import released_state
from roost.core.queue.policy_memory import PolicyMemory
from roost.core.queue.replica import Replica, TaskEntry
from roost.core.tickets import Note
from roost.core.turn import Turn
from roost.model.downed import has_failed, why_failed
from roost.model.elements import Elements
from roost.model.happenings import FailedOn, Happening, HowLost, NodeLost
from roost.model.ids import NodeId, TaskId
from roost.model.ranges import EMPTY, RangeSet
from roost.model.states import Failed, Leased, Released, State, downed_in
from roost.model.task import TaskSpec
from roost.wire.messages import Heartbeat, RunningLease

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
        tell_failure: Callable[[FailureNoted], None],
    ) -> None:
        """``in_hand`` returns all that this node holds, finished or not; ``tell_failure`` tells others of a failure."""
        self._turn = turn
        self._peers = peers
        self._replica = replica
        self._applying = applying
        self._memory = memory
        self._duels = duels
        self._in_hand = in_hand
        self._tell_failure = tell_failure
        self._takedowns = Takedowns(turn, replica)
        self._unclaimed = Unclaimed()
        self._look_at: float | None = None

    def gone(self, holder: NodeId, *, died: bool) -> None:
        """A node died or left: what it held is ready again."""
        if not died:
            self._takedowns.left(holder)
        self._lost(holder, HowLost.SILENT)

    def came(self, change: Joined | Restarted | Returned) -> None:
        """A node lives. In another life: what it held in the earlier one is ready again."""
        if isinstance(change, Restarted):
            self._lost(change.node, HowLost.RESTARTED, before=change.boot)
        elif isinstance(change, Returned):
            self._takedowns.returned(change.node)

    def _lost(self, holder: NodeId, how: HowLost, *, before: int | None = None) -> None:
        ended = {task: released(self._replica.tasks[task], holder, before=before) for task in self._replica.leased}
        ended = {task: delta for task, delta in ended.items() if delta}
        ended = self._takedowns.died(holder, ended, self._unclaimed.of)
        self._unclaimed.forget(holder)
        for task, delta in ended.items():
            self._release(task, delta, NodeLost(holder, how))

    def claims_heard(self, beat: Heartbeat) -> None:
        """A heartbeat named all leases of its node; those that it has named no more for long are released."""
        self._takedowns.heard(beat)
        holder, claims = beat.node, by_task(beat.leases)
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
            entry = self._replica.tasks[task]
            delta, failures = with_failures(entry.spec, delta)
            facts = [self._told(task, state, ranges, what) for state, ranges in delta.items()]
            self._turn.persist(Note((task,)), StatesMerged(task, delta), *facts, *failures)
            if what.how is not HowLost.WITHOUT_IT:
                self._memory.lost(task, delta.known())
            for noted in failures:
                self._tell_failure(noted)
            # What others have not heard of that node they cannot find out.
            is_marked = any(what.node in (downed_in(state) or ()) for state, _ in delta.items())
            moved = self._applying.apply(task, delta, HOLDER_TAKEN_DOWN if is_marked else HOLDER_LOST)
            self._duels.displaced(entry, moved)

    def _told(self, task: TaskId, state: State, ranges: RangeSet, what: NodeLost) -> StoryTold:
        if isinstance(state, Failed):
            happened: Happening = FailedOn(what.node, why_failed(state.downed))
        else:
            happened = replace(what, downed=downed_in(state) or ())
        return self._turn.story(task, ranges, happened, NODE_LOST)


def with_failures(spec: TaskSpec, delta: Elements) -> tuple[Elements, list[FailureNoted]]:
    """Let those elements have failed that have taken down as many nodes as they may; return with that, why."""
    states: dict[State, RangeSet] = {}
    failures: list[FailureNoted] = []
    for state, ranges in delta.items():
        if isinstance(state, Released) and has_failed(state.downed):
            failed = failed_state(state, spec.retries)
            states[failed] = ranges
            failures += [FailureNoted(spec.id, index, state.token, failure_of(failed)) for index in ranges]
        else:
            states[state] = ranges
    return Elements(states), failures


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

    def of(self, holder: NodeId, task: TaskId) -> RangeSet:
        """Return what of a task a holder did not name in its last heartbeat."""
        return self._since.get((holder, task), (0.0, EMPTY))[1]

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


def held_by_node(entry: TaskEntry) -> dict[NodeId, RangeSet]:
    """Return what is leased of a task, by who holds it."""
    held: dict[NodeId, RangeSet] = {}
    for state, ranges in entry.elements.items():
        if isinstance(state, Leased):
            held[state.node] = held.get(state.node, EMPTY) | ranges
    return held
