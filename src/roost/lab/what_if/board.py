"""What all nodes of a world know of its work: what waits, in which order, and who bids what in a contest.

Rules
- The work of one user is in the order in which it was handed in, what is interactive first. Users take turns by what
  they have had (policy/shares.py), as on real nodes.
- A bid keeps elements from all who bid no better. What is claimed when the contest ends is had.
"""

from bisect import insort
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Final, NamedTuple

from roost.lab.what_if.work import Task
from roost.model.clock import Stamp
from roost.model.ids import NodeId, RunId, TaskId, task_id
from roost.model.ranges import EMPTY, RangeSet
from roost.model.task import Priority
from roost.policy.order import AGEING_S, OrderKey
from roost.policy.shares import UNKNOWN_S, Account, in_turn, on_return

#: How far nodes look into the queue, as real ones do (core/queue/fair_queue.py).
LOOK_MAX: Final = 256
RUN: Final = RunId("1-whatif")
SUBMITTER: Final = NodeId("submitter")


class Claim(NamedTuple):
    ranges: RangeSet
    score: float
    #: The place of the node among all.
    node: int


class Entry:
    """A task, and what of it waits."""

    __slots__ = ("at", "claimed", "claims", "elements", "id", "is_single", "key", "losses", "task", "waiting")

    def __init__(self, at: int, task: Task) -> None:
        self.at = at
        self.task = task
        self.id: TaskId = task_id(RUN, f"{at}.{task.name}")
        self.elements = task.elements
        self.is_single = len(self.elements) == 1
        #: Ready elements that nobody has.
        self.waiting = EMPTY
        #: What of that is bid for in the contest that goes on, and all of it together.
        self.claims: list[Claim] = []
        self.claimed = EMPTY
        #: How often the node of an element has died over it.
        self.losses: dict[int, int] = {}
        earlier = int(AGEING_S * 1000) if task.priority is Priority.INTERACTIVE else 0
        self.key: OrderKey = (-earlier, Stamp(0, at, SUBMITTER), self.id)

    def ready_for(self, score: float) -> RangeSet:
        """Return what waits and nobody bids better for, or as well and earlier.

        Elements of an array are alike: while there are some that nobody bids for, those of others are left to them.
        """
        if not self.claimed:
            return self.waiting
        ready = self.waiting - self.claimed
        if ready:
            return ready
        # No element is claimed twice.
        worse = [claim.ranges for claim in self.claims if claim.score > score]
        return RangeSet.of_spans(span for ranges in worse for span in ranges.spans()) if worse else EMPTY


class Board:
    def __init__(self, tasks: Sequence[Task]) -> None:
        self.entries = [Entry(at, task) for at, task in enumerate(tasks)]
        self.by_id = {entry.id: entry for entry in self.entries}
        self._by_key = {entry.key: entry for entry in self.entries}
        self._queues: dict[str, list[OrderKey]] = {}
        self._accounts: dict[str, Account] = {task.owner: Account() for task in tasks}
        self._in_hand: dict[str, float] = dict.fromkeys(self._accounts, 0.0)
        #: The first tasks, until somebody has more or less in hand; that accounts fade meanwhile is not looked at.
        self._first: list[Entry] | None = None

    @property
    def is_empty(self) -> bool:
        return not self._queues

    def add(self, at: int, ranges: RangeSet, now: float) -> None:
        """Elements wait from now on."""
        self._first = None
        entry = self.entries[at]
        if not entry.waiting:
            owner = entry.task.owner
            if owner not in self._queues:
                others = [self._accounts[other].counted(now) for other in self._queues]
                begins_with = on_return(self._accounts[owner].counted(now), others)
                self._accounts[owner] = Account(begins_with, now)
            insort(self._queues.setdefault(owner, []), entry.key)
        entry.waiting = entry.waiting | ranges

    def take(self, at: int, ranges: RangeSet) -> None:
        """Somebody has these elements."""
        self._first = None
        entry = self.entries[at]
        entry.waiting = entry.waiting - ranges
        if not entry.waiting:
            queue = self._queues[entry.task.owner]
            queue.remove(entry.key)
            if not queue:
                del self._queues[entry.task.owner]

    def first(self, now: float) -> list[Entry]:
        """Return the first tasks of the queue, in its order."""
        if self._first is None:
            self._first = [self._by_key[key] for key in islice(self._in_order(now), LOOK_MAX)]
        return self._first

    def _in_order(self, now: float) -> Iterable[OrderKey]:
        if len(self._queues) <= 1:
            return next(iter(self._queues.values()), ())
        had_s = {owner: self._accounts[owner].counted(now) + self._in_hand[owner] for owner in self._queues}
        return in_turn(had_s, {owner: self._costly(queue) for owner, queue in self._queues.items()})

    def _costly(self, queue: Sequence[OrderKey]) -> Iterator[tuple[OrderKey, float]]:
        return ((key, self.takes_s(self._by_key[key])) for key in queue)

    @staticmethod
    def takes_s(entry: Entry) -> float:
        """Return what one element takes of a processor, as far as it was stated."""
        stated_s = entry.task.stated_s
        return (UNKNOWN_S if stated_s is None else stated_s) * entry.task.needs.cpus

    def hold(self, entry: Entry, elements: int) -> None:
        """So many more elements are in somebody's hand, or fewer."""
        self._first = None
        self._in_hand[entry.task.owner] += elements * self.takes_s(entry)

    def used(self, entry: Entry, seconds: float, now: float) -> None:
        """An element has ended that took so long of a processor."""
        self._first = None
        owner = entry.task.owner
        self._accounts[owner] = self._accounts[owner].plus(seconds, now)
