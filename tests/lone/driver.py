"""The driver of a lone node: one life of it, over a heap of its own events."""

import heapq
from random import Random

from roost.core.actions import Send
from roost.core.completion import ARCHIVE_GROUP
from roost.core.events import DeadlineReached, Started
from roost.core.node import Node
from roost.model.resources import Capacity
from roost.sim.checkers.observer import Onlooker
from roost.sim.journal import SimDisk
from roost.sim.life import Coming, Faults, Life
from roost.sim.trace import Trace


class SimDriver(Life):
    """A crash ends it; the next life gets the same disk."""

    def __init__(
        self,
        disk: SimDisk,
        capacity: Capacity,
        faults: Faults,
        rng: Random,
        observer: Onlooker,
        trace: Trace,
        *,
        now: float,
        archive_group: int = ARCHIVE_GROUP,
    ) -> None:
        node = Node(disk.node, capacity, disk.restore(), archive_group=archive_group)
        super().__init__(
            node, disk, faults, rng, observer, trace, now=now, later=self.later, clock=self.clock, send=self.send
        )
        self._heap: list[tuple[float, int, Coming]] = []
        self._sequence = 0
        self.later(0.0, Started())

    def step(self, until: float) -> bool:
        """Feed the next event, or move time on to ``until`` if none comes before. Return whether there was one."""
        deadline = self.node.next_deadline()
        next_at = self._heap[0][0] if self._heap else float("inf")
        if deadline is not None and deadline <= min(next_at, until):
            self.now = max(self.now, deadline)
            self.feed(DeadlineReached())
            return True
        if next_at > until:
            self.now = until
            return False
        self.now, _, event = heapq.heappop(self._heap)
        self.arrive(event)
        return True

    @property
    def idle(self) -> bool:
        return not self._heap and self.node.next_deadline() is None

    # What a life needs of its world.

    def later(self, delay: float, event: Coming) -> None:
        self._sequence += 1
        heapq.heappush(self._heap, (self.now + delay, self._sequence, event))

    def clock(self, now: float) -> float:
        return now

    def send(self, send: Send) -> None:
        """Nobody is there to hear it."""
