"""The simulated driver, twin of runtime/driver.py: the same contract over a heap of events.

It can be told to crash between any two actions, which is where power cuts happen.
"""

import heapq
from collections.abc import Callable
from random import Random

import msgspec

from roost.core.actions import Action, Archive, Continue, Notify, Pause, Persist, Reply, Start, Stop
from roost.core.ending import ARCHIVE_GROUP
from roost.core.events import DeadlineReached, Event, Persisted, PersistFailed, Started
from roost.core.node import Node
from roost.model.ids import NodeId
from roost.model.resources import Capacity
from roost.sim.checkers.observer import Observer
from roost.sim.disk import SimDisk
from roost.sim.executor import Mishaps, SimExecutor
from roost.sim.trace import Trace


class Crashed(Exception):
    """The simulated machine lost power between two actions."""


class Faults(msgspec.Struct, frozen=True):
    """What goes wrong in a simulated node's life."""

    #: Seconds until a ticket is written, and from there until it is flushed, on average.
    write_s: float = 0.002
    #: Probability that a ticket is refused for lack of room.
    disk_full: float = 0.0
    mishaps: Mishaps = Mishaps()


class _Flushed(msgspec.Struct, frozen=True):
    """All that was written up to this ticket outlives a power cut; the core does not hear of it."""

    ticket: int


class SimDriver:
    """One life of one node. A crash ends it; the next life gets the same disk."""

    def __init__(
        self,
        disk: SimDisk,
        capacity: Capacity,
        faults: Faults,
        rng: Random,
        observer: Observer,
        trace: Trace,
        *,
        now: float,
        archive_group: int = ARCHIVE_GROUP,
    ) -> None:
        self.now = now
        self.disk = disk
        self.node = Node(NodeId("sim"), capacity, disk.restore(), archive_group=archive_group)
        self._faults = faults
        self._rng = rng
        self._observer = observer
        self._trace = trace
        self._heap: list[tuple[float, int, Event | _Flushed]] = []
        self._sequence = 0
        self._executor = SimExecutor(rng, faults.mishaps, self._later)
        self._held: list[tuple[int, Reply | Notify]] = []
        self._settled_up_to = 0
        self._flushed_up_to = 0
        #: Called before every action; raise Crashed there to cut the power.
        self.before_action: Callable[[], None] = lambda: None
        #: Whether the disk still refuses tickets at random.
        self.disk_may_fail = True
        self._later(0.0, Started())

    def feed(self, event: Event) -> None:
        self._trace.event(self.now, event)
        self._observer.on_event(event, self.node)
        actions = self.node.handle(event, self.now)
        self.node.check()
        behind = self._settled_up_to
        for action in actions:
            self.before_action()
            self._trace.action(action)
            if isinstance(action, Persist):
                behind = action.ticket
            if isinstance(action, Reply | Notify) and behind > self._flushed_up_to:
                self._held.append((behind, action))
            else:
                self._perform(action)

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
        self._arrive(event)
        return True

    @property
    def idle(self) -> bool:
        return not self._heap and self.node.next_deadline() is None

    def _arrive(self, event: Event | _Flushed) -> None:
        if isinstance(event, _Flushed):
            self._flushed(event.ticket)
            return
        if isinstance(event, Persisted):
            event = self._settled(event)
        if self._executor.intercept(event):
            self.feed(event)

    def _settled(self, event: Persisted) -> Persisted | PersistFailed:
        """Write a ticket, or refuse it; either way what was held behind it leaves when those before it are safe."""
        self._settled_up_to = event.ticket
        self._later(self._after_all(_Flushed), _Flushed(event.ticket))
        if self.disk_may_fail and self._rng.random() < self._faults.disk_full:
            self.disk.refuse(event.ticket)
            return PersistFailed(event.ticket, "no space left on device")
        self.disk.write(event.ticket)
        return event

    def _flushed(self, ticket: int) -> None:
        self.disk.flush(ticket)
        self._flushed_up_to = ticket
        while self._held and self._held[0][0] <= ticket:
            self._perform(self._held.pop(0)[1])

    def _later(self, delay: float, event: Event | _Flushed) -> None:
        self._sequence += 1
        heapq.heappush(self._heap, (self.now + delay, self._sequence, event))

    def _perform(self, action: Action) -> None:
        self._observer.on_action(action, self.node, self.disk)
        match action:
            case Persist(ticket=ticket, facts=facts):
                self.disk.append(ticket, facts)
                self._later(self._after_all(Persisted), Persisted(ticket))
            case Start():
                self._executor.start(action)
            case Stop(lease=lease, ranges=ranges, mode=mode):
                self._executor.stop(lease, ranges, mode)
            case Pause(lease=lease):
                self._executor.pause(lease)
            case Continue(lease=lease):
                self._executor.resume(lease)
            case Archive(tasks=tasks):
                self.disk.archive(tasks)
            case Reply() | Notify():
                pass

    def _after_all(self, kind: type[Persisted] | type[_Flushed]) -> float:
        """Return in how many seconds the next of this kind is due: never before those that are on their way."""
        pending = [time for time, _, event in self._heap if isinstance(event, kind)]
        due = max(self.now + self._rng.expovariate(1 / self._faults.write_s), max(pending, default=0.0))
        return due - self.now
