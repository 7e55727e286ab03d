"""Usage: what each user has had of all machines, as far as this node has heard.

It follows from records, which all nodes have; no message is about it.

Rules
- What an element took counts when it has ended, done or failed, wherever that was: by the length that was learnt here.
  Before anything was, by what its owner states, or by how long such elements have been seen to be in hand, whichever is
  more: who states too little gains nothing.
- What somebody has in hand counts as if it had run already.
- Other nodes have seen other things, and may count a little differently. That costs a little fairness and nothing else.
- It begins anew with each life of the node. Of the past it takes only what is in hand then.
- Users are remembered up to a bound; of those who have nothing in hand, who came first goes first, and begins anew.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Final, Protocol

import msgspec

from roost.core.queue.replica import TaskEntry
from roost.core.turn import Turn
from roost.model.errors import InvariantViolated
from roost.model.ids import NodeId, RunId, TaskId, run_of
from roost.model.ranges import RangeSet
from roost.model.states import Done, Failed, State
from roost.model.task import TaskSpec
from roost.policy.shares import UNKNOWN_S, Account, on_return

#: Users, and nodes, of which is remembered what they had or did.
NAMES_MAX: Final = 1_000
#: What counts for a lane that takes less: even one that takes nothing is a process.
CPUS_LEAST: Final = 0.01


class Lengths(Protocol):
    """How long elements take, as far as is known here."""

    def mean_s(self, spec: TaskSpec) -> float | None:
        """... as was seen here."""

    def length_s(self, spec: TaskSpec) -> float | None:
        """... or else as is expected."""


class WorkDone(msgspec.Struct):
    """What was done for a user, or by a node."""

    elements: int = 0
    busy_s: float = 0.0

    def add(self, elements: int, busy_s: float) -> None:
        self.elements += elements
        self.busy_s += busy_s


class _InHand(msgspec.Struct, gc=False):
    """Elements of a task that somebody holds; ``ended`` of them have ended since there were any."""

    spec: TaskSpec
    elements: int
    since: float
    ended: int = 0

    def seen_s(self, now: float) -> float:
        """Return about how long they are in hand: so many at a time, one after the other."""
        return (now - self.since) * self.elements / (self.elements + self.ended)


class _User:
    __slots__ = ("account", "done", "known", "unknown")

    def __init__(self) -> None:
        self.account = Account()
        #: What is in hand of his: what that comes to, where lengths are known; where they are not, what it is, for it
        #: counts for more as time passes.
        self.known: dict[TaskId, float] = {}
        self.unknown: dict[TaskId, _InHand] = {}
        #: What has ended of his in this life of the node.
        self.done = WorkDone()


class Usage:
    def __init__(self, turn: Turn, owner_of: Callable[[RunId], str], lengths: Callable[[], Lengths]) -> None:
        self._turn = turn
        self._owner_of = owner_of
        self._lengths = lengths
        self._users: dict[str, _User] = {}
        self._nodes: dict[NodeId, WorkDone] = {}

    def follow(self, entry: TaskEntry, moved: Sequence[tuple[State, RangeSet]] = ()) -> None:
        """Elements of a task may have been leased or have ended."""
        spec = entry.spec
        user = self._user(self._owner_of(spec.run))
        held = user.unknown.get(spec.id)
        for state, ranges in moved:
            if isinstance(state, Failed) or (isinstance(state, Done) and not state.reused):
                self._ended(spec, user, held, state.node, len(ranges))
        self._hold(spec, user, held, len(entry.leased))

    def forget(self, task: TaskId) -> None:
        """A task leaves memory."""
        user = self._users.get(self._owner_of(run_of(task)))
        if user is not None:
            user.known.pop(task, None)
            user.unknown.pop(task, None)

    def see_from_now(self) -> None:
        """This node has started, or its machine has woken up; how long others had something in hand it has not seen."""
        for user in self._users.values():
            for held in user.unknown.values():
                held.since = self._turn.now

    def had_s(self, name: str) -> float:
        """Return what a user has had: what he has used, as it counts now, and what he has in hand."""
        user = self._users.get(name)
        if user is None:
            return 0.0
        unknown = (held.elements * self._takes_s(held.spec, held) for held in user.unknown.values())
        return self._counted(name) + sum(user.known.values()) + sum(unknown)

    def takes_s(self, spec: TaskSpec) -> float:
        """Return what it takes to do one element of a task, in seconds of a processor."""
        return self._takes_s(spec, None)

    def returned(self, name: str, others: Iterable[str]) -> None:
        """Something of a user's begins to wait, beside what waits of others'."""
        begins_with = on_return(self._counted(name), map(self._counted, others))
        self._user(name).account = Account(begins_with, self._turn.now)

    def would_have_had_s(self, name: str, others: Iterable[str]) -> float:
        """Return what a user would have had if something of his began to wait now."""
        own_s = self._counted(name)
        return self.had_s(name) - own_s + on_return(own_s, map(self._counted, others))

    def for_users(self) -> dict[str, WorkDone]:
        """Return what was done for each user in this life of the node, as far as it has heard."""
        return {name: user.done for name, user in sorted(self._users.items()) if user.done.elements}

    def by_nodes(self) -> dict[NodeId, WorkDone]:
        """Return what each node has done in this life of this one, as far as it has heard."""
        return dict(sorted(self._nodes.items()))

    def check(self, leased: Iterable[TaskId]) -> None:
        """Raise InvariantViolated unless these are the tasks of which somebody has something in hand."""
        noted = sorted(task for user in self._users.values() for task in (*user.known, *user.unknown))
        if noted != sorted(leased):
            raise InvariantViolated(f"elements of {sorted(leased)} are leased, as in hand are noted {noted}")

    def _counted(self, name: str) -> float:
        user = self._users.get(name)
        return 0.0 if user is None else user.account.counted(self._turn.now)

    def _ended(self, spec: TaskSpec, user: _User, held: _InHand | None, node: NodeId, elements: int) -> None:
        busy_s = elements * self._length_s(spec, held)
        user.account = user.account.plus(busy_s * _cpus(spec), self._turn.now)
        if held is not None:
            held.ended += elements
        user.done.add(elements, busy_s)
        self._work_of(node).add(elements, busy_s)

    def _work_of(self, node: NodeId) -> WorkDone:
        work = self._nodes.get(node)
        if work is None:
            if len(self._nodes) >= NAMES_MAX:
                del self._nodes[next(iter(self._nodes))]
            work = self._nodes[node] = WorkDone()
        return work

    def _hold(self, spec: TaskSpec, user: _User, held: _InHand | None, elements: int) -> None:
        """So many elements of a task are in hand now."""
        task = spec.id
        if not elements:
            user.known.pop(task, None)
            user.unknown.pop(task, None)
        elif (seen_s := self._lengths().mean_s(spec)) is not None:
            user.unknown.pop(task, None)
            user.known[task] = elements * seen_s * _cpus(spec)
        elif held is None:
            user.known.pop(task, None)
            user.unknown[task] = _InHand(spec, elements, self._turn.now)
        else:
            held.elements = elements

    def _takes_s(self, spec: TaskSpec, held: _InHand | None) -> float:
        return self._length_s(spec, held) * _cpus(spec)

    def _length_s(self, spec: TaskSpec, held: _InHand | None) -> float:
        lengths = self._lengths()
        seen_s = lengths.mean_s(spec)
        if seen_s is not None:
            return seen_s
        stated_s = lengths.length_s(spec)
        length_s = UNKNOWN_S if stated_s is None else stated_s
        return length_s if held is None else max(length_s, held.seen_s(self._turn.now))

    def _user(self, name: str) -> _User:
        user = self._users.get(name)
        if user is None:
            if len(self._users) >= NAMES_MAX:
                self._forget_one()
            user = self._users[name] = _User()
        return user

    def _forget_one(self) -> None:
        """Make room for a user, in place of one who has nothing in hand."""
        idle = (name for name, user in self._users.items() if not user.known and not user.unknown)
        if (oldest := next(idle, None)) is not None:
            del self._users[oldest]


def _cpus(spec: TaskSpec) -> float:
    return max(spec.needs.cpus, CPUS_LEAST)
