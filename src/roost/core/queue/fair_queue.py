"""The queue: the tasks with ready elements that this node could run, in their order, shared out fairly among users.

Rules
- The tasks of one user are in the order of policy/order.py; users take turns (policy/shares.py). Where all is one
  user's, as nearly always, that is one sorted list, and nobody counts anything.
- Of the others only as much is put into order as somebody looks at: a long queue costs no more than a short one.
"""

import math
from bisect import bisect_left, insort
from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import islice
from typing import Final

from roost.core.queue.replica import TaskEntry
from roost.core.queue.usage import Usage
from roost.model.errors import InvariantViolated
from roost.model.ids import RunId, TaskId
from roost.model.task import TaskSpec
from roost.policy.order import OrderKey, order_key
from roost.policy.shares import in_turn

#: How many waiting tasks are looked at in one pass, so that a long queue of misfits stays cheap.
LOOK_MAX: Final = 256


class Head(Collection[TaskEntry]):
    """The first tasks of a queue, put into order as far as they are looked at. It holds until the queue changes."""

    def __init__(self, rest: Iterator[TaskEntry], size: int) -> None:
        self._rest = rest
        self._size = size
        self._found: list[TaskEntry] = []

    def __len__(self) -> int:
        return self._size

    def __contains__(self, entry: object) -> bool:
        return any(entry is one for one in self)

    def __iter__(self) -> Iterator[TaskEntry]:
        yield from self._found
        for entry in self._rest:
            self._found.append(entry)
            yield entry


class FairQueue:
    def __init__(self, usage: Usage, owner_of: Callable[[RunId], str]) -> None:
        self._usage = usage
        self._owner_of = owner_of
        #: A task that says to have been submitted later, by a clock that is wrong, waits as if it had been then.
        self.latest_s = math.inf
        #: The places of tasks that are, or were, in the queue.
        self._keys: dict[TaskId, OrderKey] = {}
        self._waiting: dict[TaskId, TaskEntry] = {}
        #: What waits of each user, in its order; of no user nothing.
        self._queues: dict[str, list[OrderKey]] = {}

    def __len__(self) -> int:
        return len(self._waiting)

    def __contains__(self, task: object) -> bool:
        return task in self._waiting

    def __iter__(self) -> Iterator[TaskEntry]:
        """Yield all of them, in no order that means anything."""
        return iter(self._waiting.values())

    @property
    def users(self) -> int:
        """How many users' tasks wait."""
        return len(self._queues)

    def get(self, task: TaskId) -> TaskEntry | None:
        return self._waiting.get(task)

    def add(self, entry: TaskEntry) -> None:
        """Queue a task that is not there."""
        owner = self._owner_of(entry.spec.run)
        queue = self._queues.get(owner)
        if queue is None:
            if self._queues:
                self._usage.returned(owner, self._queues)
            queue = self._queues[owner] = []
        insort(queue, self.place(entry.spec))
        self._waiting[entry.spec.id] = entry

    def remove(self, task: TaskId) -> None:
        """Take a task out of the queue that is there."""
        entry = self._waiting.pop(task)
        owner = self._owner_of(entry.spec.run)
        queue = self._queues[owner]
        del queue[bisect_left(queue, self._keys[task])]
        if not queue:
            del self._queues[owner]

    def place(self, spec: TaskSpec) -> OrderKey:
        """Return the place of a task in the order of its user's, and remember it: that of the first time counts."""
        key = self._keys.get(spec.id)
        if key is None:
            key = self._keys[spec.id] = order_key(spec, self.latest_s)
        return key

    def forget(self, task: TaskId) -> None:
        """A task that is not in the queue any more leaves memory."""
        self._keys.pop(task, None)

    def first(self) -> Collection[TaskEntry]:
        """Return the first tasks, in their order."""
        if len(self._queues) > 1:
            return self._head(islice(self._in_turn(), LOOK_MAX))
        return self._head(next(iter(self._queues.values()), [])[:LOOK_MAX])

    def _head(self, keys: Iterable[OrderKey]) -> Head:
        return Head((self._waiting[key[2]] for key in keys), min(len(self._waiting), LOOK_MAX))

    def in_order(self, tasks: Collection[TaskEntry]) -> list[TaskEntry]:
        """Return these tasks, which wait here, in the order of the queue."""
        if len(self._queues) <= 1:
            return sorted(tasks, key=self._key)
        queues: dict[str, list[OrderKey]] = {}
        for entry in sorted(tasks, key=self._key):
            queues.setdefault(self._owner_of(entry.spec.run), []).append(self._key(entry))
        had_s = {owner: self._usage.had_s(owner) for owner in queues}
        return [self._waiting[key[2]] for key in in_turn(had_s, {o: self._costly(q) for o, q in queues.items()})]

    def position(self, task: TaskId) -> int | None:
        """Return how many tasks of the same user are ahead of this one in the queue; None if it is not in it."""
        entry = self._waiting.get(task)
        return None if entry is None else bisect_left(self._queues[self._owner_of(entry.spec.run)], self._key(entry))

    def shares(self) -> dict[str, float]:
        """Return what each user has had whose tasks wait, in seconds of a processor; whose turn it is comes first."""
        had_s = {owner: self._usage.had_s(owner) for owner in self._queues}
        return dict(sorted(had_s.items(), key=lambda share: (share[1], self._queues[share[0]][0])))

    def is_before_all(self, spec: TaskSpec) -> bool:
        """Whether a task, which need not be in the queue, goes before all that are."""
        if not self._queues:
            return True
        own = self._queues.get(self._owner_of(spec.run))
        return (own is None or order_key(spec, self.latest_s) < own[0]) and self.is_turn_of(spec)

    def is_turn_of(self, spec: TaskSpec) -> bool:
        """Whether a task, which need not be in the queue, goes before all that wait of other users."""
        owner = self._owner_of(spec.run)
        others = [other for other in self._queues if other != owner]
        if not others:
            return True
        key = order_key(spec, self.latest_s)
        own_s = self._usage.had_s(owner) if owner in self._queues else self._usage.would_have_had_s(owner, others)
        return all((own_s, key) < (self._usage.had_s(other), self._queues[other][0]) for other in others)

    def comes_after(self, spec: TaskSpec, other: TaskSpec) -> bool:
        """Whether a task that runs would come after another, if both waited."""
        owner, before = self._owner_of(spec.run), self._owner_of(other.run)
        if owner == before:
            return order_key(spec) > order_key(other)
        return self._usage.had_s(owner) > self._usage.had_s(before)

    def _in_turn(self) -> Iterator[OrderKey]:
        had_s = {owner: self._usage.had_s(owner) for owner in self._queues}
        return in_turn(had_s, {owner: self._costly(queue) for owner, queue in self._queues.items()})

    def _costly(self, keys: list[OrderKey]) -> Iterator[tuple[OrderKey, float]]:
        """Yield places with what it takes to do one element of the task there."""
        return ((key, self._usage.takes_s(self._waiting[key[2]].spec)) for key in keys)

    def _key(self, entry: TaskEntry) -> OrderKey:
        return self._keys[entry.spec.id]

    def check(self) -> None:
        queues: dict[str, list[OrderKey]] = {}
        for entry in self._waiting.values():
            queues.setdefault(self._owner_of(entry.spec.run), []).append(self._key(entry))
        if self._queues != {owner: sorted(keys) for owner, keys in queues.items()}:
            raise InvariantViolated("the queue and the waiting tasks differ")
