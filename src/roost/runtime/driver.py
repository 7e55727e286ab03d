"""The driver: it feeds events to the core and performs the actions, in order. The simulated twin is sim/driver.py.

Rules
- From feeding an event to the last action nothing else runs: no await lies between.
- Everything that happens comes back as an event: a written ticket, a refused one, an answer of an executor, a deadline.
- A Reply or Notify that follows a Persist in one list of actions is held until that ticket is on disk.
- There is one timer, set to the core's next deadline.
"""

import asyncio
from collections import deque
from collections.abc import Callable

from roost.core.actions import Action, Archive, Continue, Notify, Pause, Persist, Reply, Start, Stop
from roost.core.events import DeadlineReached, Event, Persisted, PersistFailed, Started
from roost.core.facts import Fact
from roost.core.node import Node
from roost.executors.port import Executor
from roost.model.ids import LeaseId
from roost.model.task import Command, Function
from roost.runtime.clock import Clock
from roost.runtime.journal import Journal
from roost.runtime.staging import stage

#: How long a ticket that nobody waits for may wait for company, which saves it a commit of its own.
UNHURRIED_S = 0.02

Speak = Callable[[Reply | Notify], None]


class Driver:
    def __init__(self, node: Node, journal: Journal, clock: Clock, speak: Speak) -> None:
        """``speak`` gets every Reply and Notify when it may leave."""
        self._node = node
        self._journal = journal
        self._clock = clock
        self._speak = speak
        self._executors: dict[type, Executor] = {}
        self._executor_of: dict[LeaseId, Executor] = {}
        self._events: deque[Event] = deque()
        self._feeding = False
        self._held: deque[tuple[int, Reply | Notify]] = deque()
        self._unwritten: list[tuple[int, tuple[Fact, ...]]] = []
        self._write_timer: asyncio.TimerHandle | None = None
        #: The last ticket that the journal got, and the last that it answered.
        self._handed_in = 0
        self._written_up_to = 0
        self._timer: asyncio.TimerHandle | None = None
        self._timer_at: float | None = None
        self._loop = asyncio.get_running_loop()
        self._closed = False

    def start(self, command: Executor, function: Executor) -> None:
        """Begin: the journal has been opened and restored, the executors report to ``feed``."""
        self._executors = {Command: command, Function: function}
        self._journal.start(self._written, self._refused)
        self.feed(Started())

    def feed(self, event: Event) -> None:
        """Let the core react to an event. Events that come up while it does are fed after it."""
        if self._closed:
            return
        self._events.append(event)
        if self._feeding:
            return
        self._feeding = True
        try:
            while self._events:
                self._perform_all(self._node.handle(self._events.popleft(), self._clock.now()))
        finally:
            self._feeding = False
        self._set_timer()

    def close(self) -> None:
        """Take no more events. What was handed to the journal is still written when that is closed."""
        self._write()
        self._closed = True
        if self._timer is not None:
            self._timer.cancel()

    def _perform_all(self, actions: list[Action]) -> None:
        behind: int | None = None
        for action in actions:
            if isinstance(action, Persist):
                behind = action.ticket
                self._persist(action)
            elif isinstance(action, Reply | Notify):
                if behind is not None and behind > self._written_up_to:
                    self._write()
                if behind is None or behind <= self._written_up_to:
                    self._speak(action)
                else:
                    self._held.append((behind, action))
            else:
                self._perform(action)

    def _perform(self, action: Start | Stop | Pause | Continue | Archive) -> None:
        match action:
            case Start():
                executor = self._executors[type(action.spec.work)]
                self._executor_of[action.lease] = executor
                stage(action, self._journal, executor, self._node, self.feed)
            case Stop(lease=lease, ranges=ranges, mode=mode):
                self._executor_of[lease].stop(lease, ranges, mode)
            case Pause(lease=lease):
                self._executor_of[lease].pause(lease)
            case Continue(lease=lease):
                self._executor_of[lease].resume(lease)
            case Archive(tasks=tasks):
                self._journal.archive(tasks)

    def _persist(self, action: Persist) -> None:
        """Hand a ticket to the journal: at once if somebody waits for it, else with the next one that is urgent."""
        self._unwritten.append((action.ticket, action.facts))
        if action.urgent:
            self._write()
        elif self._write_timer is None:
            self._write_timer = self._loop.call_later(UNHURRIED_S, self._write)

    def _write(self) -> None:
        if self._write_timer is not None:
            self._write_timer.cancel()
            self._write_timer = None
        if not self._unwritten:
            return
        tickets, self._unwritten = self._unwritten, []
        # While an answer is on its way, writing here would overtake it.
        answered = self._written_up_to == self._handed_in
        self._handed_in = tickets[-1][0]
        if self._journal.append_all(tickets, here=answered):
            self._settle(Persisted(self._handed_in))

    def _written(self, ticket: int) -> None:
        self._loop.call_soon_threadsafe(self._settle, Persisted(ticket))

    def _refused(self, tickets: tuple[int, ...], reason: str) -> None:
        for ticket in tickets:
            self._loop.call_soon_threadsafe(self._settle, PersistFailed(ticket, reason))

    def _settle(self, event: Persisted | PersistFailed) -> None:
        self._written_up_to = event.ticket
        # What was held behind a refused ticket leaves, too: it answers for something older that is on disk.
        while self._held and self._held[0][0] <= event.ticket:
            self._speak(self._held.popleft()[1])
        self.feed(event)
        self._forget_old_leases()

    def _forget_old_leases(self) -> None:
        if len(self._executor_of) > 2 * len(self._node.leases.active) + 1000:
            self._executor_of = {name: self._executor_of[name] for name in self._node.leases.active}

    def _set_timer(self) -> None:
        deadline = self._node.next_deadline()
        if deadline == self._timer_at:
            return
        if self._timer is not None:
            self._timer.cancel()
        self._timer_at, self._timer = deadline, None
        if deadline is not None:
            delay = max(0.0, deadline - self._clock.now())
            self._timer = self._loop.call_later(delay, self._deadline)

    def _deadline(self) -> None:
        self._timer = self._timer_at = None
        self.feed(DeadlineReached())
