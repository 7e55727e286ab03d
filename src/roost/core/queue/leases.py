"""Leases: who has which elements under which token, and what becomes of them when an attempt ends.

Rules
- A lease takes elements of one task and one edition, under the token that the medium gave with the claim (tokens.py,
  core/medium/port.py). It is larger than any that they had: tokens only grow.
- Every element of a lease is answered once: done, failed or returned. When all are, the lease is over.
- When a node starts, its own leases are void: their processes died with its last life (executors/port.py).
- A further attempt at what another node has leased is in no record, and kept apart from the leases that are, so that
  nothing takes it for one of those (attempts.py).

It computes the next states and leaves merging and persisting to the node.
"""

from collections import deque
from collections.abc import Mapping
from types import MappingProxyType

from roost.core.actions import Start
from roost.core.queue.replica import TaskEntry
from roost.core.queue.tokens import round_of
from roost.model.elements import Elements
from roost.model.errors import InvariantViolated
from roost.model.ids import BlobHash, LeaseId, NodeId, TaskId
from roost.model.pools import POOL_ITEMS_MAX
from roost.model.ranges import EMPTY, RangeSet
from roost.model.states import NO_LENGTH, Absent, Cancelled, Done, Failed, Leased, Released, Retried, State, downed_in
from roost.model.task import Failure, Function, TaskSpec
from roost.model.token import Token

NO_LENGTHS: Mapping[int, int] = MappingProxyType({})
#: Leases that ended well and are remembered: as many as lanes may have.
_ENDED_KEPT = 256
#: Functions that are remembered as not to be leased ahead; with more, it is found out anew.
_NEVER_AHEAD_MAX = 1_000


class Lease:
    """A piece of work in the hands of an executor of this node."""

    __slots__ = (
        "again",
        "at_hand_since",
        "behind",
        "earlier_tokens",
        "edition",
        "further",
        "granted_at",
        "lane",
        "left",
        "name",
        "outstanding",
        "raised",
        "size",
        "spec",
        "stopping",
        "token",
        "told",
        "told_ran_s",
    )

    def __init__(
        self, name: LeaseId, spec: TaskSpec, lane: int, ranges: RangeSet, token: Token, now: float, edition: int = 0
    ) -> None:
        self.name = name
        self.spec = spec
        self.lane = lane
        self.token = token
        #: What elements that were told to stop before it was renewed still have.
        self.earlier_tokens: tuple[Token, ...] = ()
        #: What it left to others when it was renewed, and has not come back: it has never had that under its token.
        self.left = EMPTY
        self.granted_at = now
        #: Since when its element at hand is: since it came to the front of its lane, or the one before was answered.
        self.at_hand_since = now
        self.size = len(ranges)
        #: Whether an element of it was tried before.
        self.again = False
        #: The lease whose result it takes in the same lane, if it was leased ahead; else 0.
        self.behind = LeaseId(0)
        #: Whether it is a further attempt at what another node has leased (attempts.py).
        self.further = False
        #: How often its elements were sent back.
        self.edition = edition
        #: Elements that have not been answered.
        self.outstanding = ranges
        #: Elements that were told to stop and have not come back.
        self.stopping = RangeSet()
        #: How often it got a larger token because another node had the same elements.
        self.raised = 0
        #: How far its element at hand had come when others were last told, and for how long it had run.
        self.told = self.told_ran_s = 0.0

    def start(self) -> Start:
        """Return what the executor is told."""
        return Start(self.name, self.lane, self.spec, self.outstanding, self.token, self.again, self.behind)


class Leases:
    def __init__(self, node: NodeId, life: int) -> None:
        self._node = node
        self._life = life
        self._next_name = 1
        #: The last ones that ended with results.
        self.ended_well: deque[LeaseId] = deque(maxlen=_ENDED_KEPT)
        #: Functions whose calls were leased ahead in vain: what they take is too large to be kept for them.
        self.never_ahead: set[BlobHash] = set()
        #: Those of record, and further attempts.
        self.active: dict[LeaseId, Lease] = {}
        self.attempts: dict[LeaseId, Lease] = {}

    def find(self, name: LeaseId) -> Lease | None:
        """Return a lease or a further attempt that is not over."""
        return self.active.get(name) or self.attempts.get(name)

    def in_hand(self) -> list[Lease]:
        """Return all leases and further attempts that are not over: what executors owe an answer about."""
        return [*self.active.values(), *self.attempts.values()]

    def attempted(self, task: TaskId) -> RangeSet:
        """Return the elements of a task at which this node makes further attempts."""
        found = EMPTY
        for lease in self.attempts.values():
            if lease.spec.id == task:
                found |= lease.outstanding
        return found

    def made_earlier(self, done: Done) -> bool:
        """Whether a result was made in an earlier life of this node."""
        return done.node == self._node and done.token.life < self._life

    def grant(self, entry: TaskEntry, ranges: RangeSet, token: Token, lane: int, now: float) -> tuple[Lease, Elements]:
        """Lease pending elements of one edition that were claimed under a token; return the lease and the states."""
        if not ranges or not ranges.issubset(entry.pending):
            raise InvariantViolated(f"{entry.spec.id}: {ranges} are not all pending, only {entry.pending} are")
        states = self._leased(entry, ranges, token)
        edition = entry.edition_of(ranges.first)
        lease = Lease(LeaseId(self._next_name), entry.spec, lane, ranges, token, now, edition)
        lease.again = bool(entry.elements.entries_within(ranges))
        self._next_name += 1
        self.active[lease.name] = lease
        return lease, states

    def attempt(self, entry: TaskEntry, ranges: RangeSet, token: Token, lane: int, now: float) -> Lease:
        """Attempt elements of one edition that another node has leased; no record changes."""
        lease = Lease(LeaseId(self._next_name), entry.spec, lane, ranges, token, now, entry.edition_of(ranges.first))
        lease.again = lease.further = True
        self._next_name += 1
        self.attempts[lease.name] = lease
        return lease

    def renewable(self, lease: Lease, entry: TaskEntry, contested: RangeSet = EMPTY) -> RangeSet:
        """Return what a lease still has and could take under a larger token.

        Elements that another node has by now are left to it, except those that are ``contested``.
        """
        ranges = (lease.outstanding - lease.stopping) & (entry.pending | contested | self._ours(lease, entry))
        return entry.in_edition(ranges, lease.edition)

    def renew(self, lease: Lease, entry: TaskEntry, ranges: RangeSet, token: Token) -> Elements:
        """Take elements of a lease, all that are ``renewable``, under a larger token; return the states to merge."""
        states = self._leased(entry, ranges, token)
        lease.earlier_tokens += (lease.token,)
        lease.left = lease.outstanding - ranges
        lease.token = token
        return states

    def _leased(self, entry: TaskEntry, ranges: RangeSet, token: Token) -> Elements:
        """Return the states that lease these elements to this node."""
        states: dict[State, RangeSet] = {}
        fresh = ranges
        for state, part in entry.elements.entries_within(ranges):
            if token <= state.token:
                raise InvariantViolated(f"{entry.spec.id}: {part} had token {state.token}, and {token} is not larger")
            leased = Leased(round_of(state), token, self._node, _failures(state), state.edition, downed_in(state))
            states[leased] = states.get(leased, RangeSet()) | part
            fresh -= part
        if fresh:
            leased = Leased(0, token, self._node, 0)
            states[leased] = states.get(leased, RangeSet()) | fresh
        return Elements(states)

    def _ours(self, lease: Lease, entry: TaskEntry) -> RangeSet:
        ours = RangeSet()
        for _, part in self._held(lease, entry, lease.outstanding):
            ours |= part
        return ours

    def done(
        self, lease: Lease, ranges: RangeSet, lengths: Mapping[int, int] = NO_LENGTHS, *, reused: bool = False
    ) -> Elements:
        """Elements are done; ``lengths`` are those of the lists that a pool maps.

        A list whose length nobody says is an empty one, so that the pool behind it comes to its end.
        """
        self._answer(lease, ranges)
        self.ended_well.append(lease.name)
        parts: dict[int, list[int]] = {}
        for index in ranges if lease.spec.is_mapped else ():
            length = min(max(lengths.get(index, 0), 0), POOL_ITEMS_MAX)
            parts.setdefault(length, []).append(index)
        found = {length: RangeSet.of(part) for length, part in parts.items()} or {NO_LENGTH: ranges}
        return Elements(
            {Done(lease.token, self._node, length, lease.edition, reused): part for length, part in found.items()}
        )

    def failed(self, lease: Lease, entry: TaskEntry, index: int, failure: Failure) -> Elements:
        one = RangeSet.span(index, index + 1)
        self._answer(lease, one)
        held = self._held(lease, entry, one)
        if not held:
            return Elements()
        leased = held[0][0]
        failures = entry.spec.retries + 1 if failure.permanent else leased.failures + 1
        return Elements({Failed(leased.round, leased.token, leased.node, failures, leased.edition): one})

    def returned(self, lease: Lease, entry: TaskEntry, ranges: RangeSet) -> Elements:
        if lease.behind in self.ended_well and not lease.stopping and isinstance(lease.spec.work, Function):
            if len(self.never_ahead) >= _NEVER_AHEAD_MAX:
                self.never_ahead.clear()
            self.never_ahead.add(lease.spec.work.code)
        self._answer(lease, ranges)
        return _released(self._held(lease, entry, ranges))

    def void(self, entry: TaskEntry) -> Elements:
        """Return the states that end the leases that this node had on a task when its last life ended."""
        return _released(
            [
                (state, ranges)
                for state, ranges in entry.elements.items()
                if isinstance(state, Leased) and state.node == self._node
            ]
        )

    def _answer(self, lease: Lease, ranges: RangeSet) -> None:
        if not ranges.issubset(lease.outstanding):
            raise InvariantViolated(f"lease {lease.name} of {lease.spec.id} answers {ranges}, owes {lease.outstanding}")
        lease.outstanding -= ranges
        lease.stopping -= ranges
        lease.left -= ranges
        if not lease.outstanding:
            del (self.attempts if lease.further else self.active)[lease.name]

    def _held(self, lease: Lease, entry: TaskEntry, ranges: RangeSet) -> list[tuple[Leased, RangeSet]]:
        """Return the part of ``ranges`` that is still this lease's: not cancelled, nor done or leased elsewhere."""
        tokens = (lease.token, *lease.earlier_tokens)
        return [
            (state, part)
            for state, part in entry.elements.entries_within(ranges)
            if isinstance(state, Leased) and state.token in tokens and state.node == self._node
        ]


def _released(held: list[tuple[Leased, RangeSet]]) -> Elements:
    return Elements({released_state(state): part for state, part in held})


def released_state(state: Leased) -> Released:
    """Return what becomes of a lease that ends without a word on the work."""
    return Released(state.round, state.token, state.node, state.failures, state.edition, state.downed)


def _failures(state: State) -> int:
    return 0 if isinstance(state, Cancelled | Absent | Done | Retried) else state.failures
