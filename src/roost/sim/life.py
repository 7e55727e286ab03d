"""One life of a simulated node, from its start to its death: the node, its disk and its executor.

The contract is that of runtime/driver.py. A life keeps no heap: it asks its world for events that come later, so that
one heap can drive many lives. It can be told to crash between any two actions, which is where power cuts happen.
"""

from collections.abc import Callable, Mapping
from functools import partial
from random import Random
from typing import TypeAlias

import msgspec

from roost.core.actions import (
    Action,
    Archive,
    Continue,
    Deliver,
    LookUp,
    Notify,
    Pause,
    Persist,
    Reply,
    Send,
    Start,
    Stop,
)
from roost.core.events import Event, Leaving, Persisted, PersistFailed, Recalled
from roost.core.node import Node
from roost.sim.checkers.observer import Onlooker
from roost.sim.executor import Mishaps, SimExecutor
from roost.sim.journal import SimDisk
from roost.sim.liars import Lie
from roost.sim.poison import Kill
from roost.sim.recall import recall
from roost.sim.trace import Trace

#: Between two notes of when the node is on line, as in runtime/online_times.py.
NOTE_S = 60.0
#: How long a ticket that nobody waits for may wait for company, as in runtime/driver.py.
UNHURRIED_S = 0.05
#: Between two tickets on their way to the disk, so that no rounding of times lets one overtake another.
APART_S = 1e-6


class Crashed(Exception):
    """The simulated machine lost power between two actions."""


class Faults(msgspec.Struct, frozen=True):
    """What goes wrong inside a simulated machine."""

    #: Seconds until a ticket is written, and from there until it is flushed, on average.
    write_s: float = 0.002
    #: Probability that a ticket is refused for lack of room.
    disk_full: float = 0.0
    #: Probability that a ticket counts as written when it is handed in, and is written a moment later.
    promised: float = 0.0
    mishaps: Mishaps = Mishaps()


class Flushed(msgspec.Struct, frozen=True):
    """All that was written up to this ticket outlives a power cut; the core does not hear of it."""

    ticket: int


class WriteDue(msgspec.Struct, frozen=True):
    """What nobody waits for has waited for company long enough."""


class PromiseDue(msgspec.Struct, frozen=True):
    """What was promised is written now, if it is not yet."""


Coming: TypeAlias = Event | Flushed | WriteDue | PromiseDue | Lie | Kill
_Said: TypeAlias = Reply | Notify | Send
#: Makes the results of a lease of what its node has on its disk (sim/executor.py).
Computing: TypeAlias = Callable[[Node, SimDisk, Start], Mapping[int, tuple[bytes, int]]]


class Life:
    def __init__(
        self,
        node: Node,
        disk: SimDisk,
        faults: Faults,
        rng: Random,
        observer: Onlooker,
        trace: Trace,
        *,
        now: float,
        later: Callable[[float, Coming], None],
        clock: Callable[[float], float],
        send: Callable[[Send], None],
        check_every: int = 1,
        compute: Computing | None = None,
    ) -> None:
        """``later`` lets an event arrive after so many seconds, unless the life has ended by then.

        ``clock`` tells what the node's own clock shows, ``send`` hands a message to the network. ``compute`` makes
        results of what arrives; without it they are those of the element alone.
        """
        self.now = now
        self.disk = disk
        self.node = node
        self._faults = faults
        self._rng = rng
        self._later = later
        self._clock = clock
        self._send = send
        self._observer = observer
        self._trace = trace
        self._check_every = check_every
        self._events = 0
        results = None if compute is None else partial(compute, node, disk)
        self._executor = SimExecutor(rng, faults.mishaps, later, results, node.name)
        self._held: list[tuple[int, _Said]] = []
        #: What came up while an event was handled, and is fed after it.
        self._next: list[Recalled | Persisted] = []
        #: The last ticket that the core has made, and the last that was handed to the disk: those between wait.
        self._made = 0
        self._handed_in = 0
        self._is_write_due = False
        self._promised = 0
        self._settled_up_to = 0
        self._flushed_up_to = 0
        #: Tickets that are answered when they are flushed.
        self._to_flush: set[int] = set()
        #: When the last of each kind is due; tickets are written, and flushed, in their order.
        self._due: dict[type[Coming], float] = {}
        self._online = disk.online.begun(clock(now))
        disk.note_online(self._online)
        self._noted_at = clock(now)
        #: Called before every action; raise Crashed there to cut the power.
        self.before_action: Callable[[], None] = lambda: None
        #: Whether the disk still refuses tickets at random.
        self.disk_may_fail = True

    @property
    def begun(self) -> int:
        """How often an element has begun to run in this life."""
        return self._executor.begun

    def calm_down(self) -> None:
        """Nothing goes wrong inside the machine any more that would keep work from its end."""
        self.disk_may_fail = self._executor.may_hang = False

    def feed(self, event: Event, data: bytes = b"") -> None:
        """Let the node handle an event, which came in these bytes if it came from another node."""
        self._trace.event(self.now, event, self.node.name, data)
        self._observer.on_event(event, self.node)
        self._note_online(isinstance(event, Leaving))
        actions = self.node.handle(event, self._clock(self.now))
        self._events += 1
        if self._events % self._check_every == 0:
            self.node.check()
        behind = self._settled_up_to
        for action in actions:
            self.before_action()
            self._trace.action(action)
            if isinstance(action, Persist):
                behind = action.ticket
            if isinstance(action, Reply | Notify | Send):
                self._say(behind, action)
            else:
                self._perform(action)
        while self._next:
            self.feed(self._next.pop(0))
        if self._promised and self._rng.random() < 0.5:
            self._keep_promises()
        self._executor.look(self.node)

    def _note_online(self, at_once: bool) -> None:
        shown = self._clock(self.now)
        if at_once or shown - self._noted_at >= NOTE_S:
            self._noted_at, self._online = shown, self._online.seen(shown)
            self.disk.note_online(self._online)

    def _say(self, behind: int, said: _Said) -> None:
        """Let something leave, at once or when all that it may rest on is flushed."""
        promises = said.promises if isinstance(said, Notify | Send) else True
        if promises and behind > self._flushed_up_to:
            if behind > self._handed_in:
                self._write()
            self._held.append((behind, said))
        elif promises and isinstance(said, Notify) and any(isinstance(held, Notify) for _, held in self._held):
            self._held.append((behind, said))
        else:
            self._perform(said)

    def arrive(self, event: Coming) -> None:
        """Let something happen that was announced with ``later``."""
        if isinstance(event, Flushed):
            self._flushed(event.ticket)
            return
        if isinstance(event, PromiseDue):
            self._keep_promises()
            return
        if isinstance(event, WriteDue):
            self._is_write_due = False
            self._write()
            return
        if isinstance(event, Lie):
            self.feed(event.said)
            return
        if isinstance(event, Kill):
            if self._executor.still_runs(event):
                raise Crashed
            return
        if isinstance(event, Persisted):
            event = self._settled(event)
        if self._executor.intercept(event):
            self.feed(event)

    def _settled(self, event: Persisted) -> Persisted | PersistFailed:
        """Write all up to a ticket, or refuse that one; what was held behind it leaves when those before are safe."""
        self._after_all(Flushed(event.ticket))
        if self.disk_may_fail and self._rng.random() < self._faults.disk_full:
            self.disk.refuse(event.ticket)
            if event.ticket - 1 > self._settled_up_to:
                # While the next answer is on its way, nothing is promised that would overtake it.
                self._settled_up_to = event.ticket - 1
                self.feed(Persisted(event.ticket - 1))
            self._settled_up_to = event.ticket
            return PersistFailed(event.ticket, "no space left on device")
        self._settled_up_to = event.ticket
        self.disk.write(event.ticket)
        if event.ticket in self._to_flush:
            self._to_flush.remove(event.ticket)
            self._flushed(event.ticket)
        return event

    def _write(self) -> None:
        """Hand all to the disk that waits, in one go."""
        if self._made > self._handed_in:
            self._hand_in(self._made)

    def _hand_in(self, ticket: int) -> None:
        answered = self._settled_up_to == self._handed_in
        self._handed_in = ticket
        if answered and ticket not in self._to_flush and self._rng.random() < self._faults.promised:
            if not self._promised:
                self._later(self._rng.expovariate(1 / self._faults.write_s), PromiseDue())
            self._promised = self._settled_up_to = ticket
            self._next.append(Persisted(ticket))
        else:
            self._keep_promises()
            self._after_all(Persisted(ticket))

    def _keep_promises(self) -> None:
        if self._promised:
            self.disk.write(self._promised)
            self._after_all(Flushed(self._promised))
            self._promised = 0

    def _flushed(self, ticket: int) -> None:
        self.disk.flush(ticket)
        self._flushed_up_to = ticket
        while self._held and self._held[0][0] <= ticket:
            self._perform(self._held.pop(0)[1])

    def _perform(self, action: Action) -> None:
        if isinstance(action, Start) and action.spec.edges:
            self._keep_promises()
        self._observer.on_action(action, self.node, self.disk)
        match action:
            case Persist():
                self._persist(action)
            case Start() | Stop() | Pause() | Continue():
                self._work(action)
            case Archive(tasks=tasks):
                self._keep_promises()
                self.disk.archive(tasks)
            case Send():
                self._send(action)
            case Deliver(to=to, fetch=fetch):
                self._keep_promises()
                self._say(self._settled_up_to, Send(to, self.disk.answer(fetch, self.node.queue.replica.tasks)))
            case LookUp(runs=runs, tasks=tasks, about=about, whole=whole):
                self._keep_promises()
                self._next.append(recall(self.disk, self.node.queue.replica, runs, tasks, about=about, whole=whole))
            case Reply():
                self._executor.nesting.heard(action)
            case Notify():
                pass

    def _persist(self, action: Persist) -> None:
        self.disk.append(action.ticket, action.facts)
        self._made = action.ticket
        if action.flushed:
            self._to_flush.add(action.ticket)
        if action.urgent:
            self._write()
        elif not self._is_write_due:
            self._is_write_due = True
            self._later(UNHURRIED_S, WriteDue())

    def _work(self, action: Start | Stop | Pause | Continue) -> None:
        match action:
            case Start():
                self._executor.start(action)
            case Stop(lease=lease, ranges=ranges, mode=mode):
                self._executor.stop(lease, ranges, mode)
            case Pause(lease=lease):
                self._executor.pause(lease)
            case Continue(lease=lease):
                self._executor.resume(lease)

    def _after_all(self, event: Persisted | Flushed) -> None:
        """Let this arrive when the disk has got to it: never before those of its kind that are on their way."""
        due = max(self.now + self._rng.expovariate(1 / self._faults.write_s), self._due.get(type(event), 0.0) + APART_S)
        self._due[type(event)] = due
        self._later(due - self.now, event)
