"""The driver: it feeds events to the core and performs the actions, in order. The simulated twin is sim/life.py.

Rules
- From feeding an event to the last action nothing else runs: no await lies between.
- Everything that happens comes back as an event: a written ticket, a refused one, an answer of an executor, a deadline.
- The core goes on when a ticket is written, which outlives the node's process. What it says leaves when all that it
  may rest on is flushed, which outlives a power cut: the tickets written so far, and those before it in its list. News
  never overtakes other news that waits for this: listeners would hear the last word first.
- While the disk has room for sure, a small ticket counts as written when it is handed in, and is written a moment
  later: with the result of what was started from it, if that is quick. If it cannot be written, the node ends, as if it
  had been killed there; nothing that rests on it has been promised. A lease that needs results waits for that.
- A disk that fails to flush ends the node: what it holds is known again after a restart.
- So does an error that nobody expected, here or in the core: the rest of an event's actions would be lost, and the node
  would go on with half of a change. It ends as if it had been killed there, and a restart goes on from the journal. So
  it is with what self_check.py finds.
- A lease whose inputs another node has just sent is started when they are written.
- There is one timer, set to the core's next deadline. What others have said by then is heard before it: a node that did
  not get a processor for a while must not decide as if nobody had said anything.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Mapping
from typing import TypeAlias

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
from roost.core.events import DeadlineReached, Event, Persisted, PersistFailed, Started
from roost.core.node import Node
from roost.executors.port import Executor
from roost.model.ids import LeaseId, NodeId, TaskId
from roost.model.ranges import RangeSet
from roost.runtime.clock import Clock
from roost.runtime.data.arriving import Arriving
from roost.runtime.data.delivery import answer
from roost.runtime.data.staging import stage
from roost.runtime.journal.journal import Journal
from roost.runtime.journal.recall import recall
from roost.runtime.journal.writer import Ticket, Writer

log = logging.getLogger(__name__)

#: How long a ticket that nobody waits for may wait for company, which saves it a commit of its own.
UNHURRIED_S = 0.05
#: How long what work was started from waits for the first results, which saves it a commit and a flush of its own.
COMPANY_S = 0.002
#: Leases that are over and whose executors are remembered, so that it is seldom that they are looked through.
OLD_LEASES_MAX = 1000

_Deed: TypeAlias = Start | Stop | Pause | Continue | Deliver | LookUp | Archive
Speak = Callable[[Reply | Notify | Send], None]
Hear = Callable[[], None]
#: Gets the other nodes that are there.
OnCompany = Callable[[tuple[NodeId, ...]], None]
#: Gets one sentence why the node cannot go on, and whether Roost itself has failed.
GiveUp = Callable[[str, bool], None]


class Driver:
    def __init__(
        self, node: Node, journal: Journal, clock: Clock, speak: Speak, give_up: GiveUp, hear: Hear = lambda: None
    ) -> None:
        """``speak`` gets every Reply, Notify and Send when it may leave; ``hear`` feeds what has come in by now."""
        self._node = node
        self._journal = journal
        #: From the start on.
        self._writer: Writer
        self._clock = clock
        self._speak = speak
        self._give_up = give_up
        self._hear = hear
        self._executors: Mapping[type, Executor] = {}
        self._executor_of: dict[LeaseId, Executor] = {}
        self._events: deque[Event] = deque()
        self._feeding = False
        #: What waits for a ticket to be flushed, and how much of it is news.
        self._held: deque[tuple[int, Reply | Notify | Send]] = deque()
        self._news_held = 0
        self._unwritten: list[Ticket] = []
        #: Whether the core wants to hear of one of these only when it is flushed.
        self._flush_first = False
        self._write_timer: asyncio.TimerHandle | None = None
        #: The last ticket that the journal got, the last that it wrote or refused, and the last that is flushed.
        self._handed_in = 0
        self._settled_up_to = 0
        self._flushed_up_to = 0
        self._flush_asked = 0
        self._arriving = Arriving(node.name)
        #: A lease that has to wait for its inputs, and all that comes after it.
        self._early: deque[_Deed] = deque()
        #: Whether this round of events has started work.
        self._started = False
        self._timer: asyncio.TimerHandle | None = None
        self._timer_at: float | None = None
        self._timer_is_due = False
        #: What work was started from waits until then for its result.
        self._company: asyncio.TimerHandle | None = None
        self._loop = asyncio.get_running_loop()
        self._closed = False
        #: The others that were there after the last event, and who wants to hear when they are not the same any more.
        self._others = node.peers.others
        self._on_company: OnCompany = lambda _: None
        #: Who waits until everything up to a ticket is written or refused.
        self._waiting: list[tuple[int, asyncio.Future[None]]] = []

    def start(self, executors: Mapping[type, Executor]) -> None:
        """Begin: the journal has been opened and restored. The executors, by kind of work, report to ``feed``."""
        self._executors = executors
        self._writer = self._journal.start(self)
        self.feed(Started())
        self._journal.listen_to_damage(self.feed)

    def listen_to_company(self, listener: OnCompany) -> None:
        """Call ``listener`` whenever other nodes come or go."""
        self._on_company = listener

    def feed(self, event: Event) -> None:
        """Let the core react to an event. Events that come up while it does are fed after it."""
        if self._closed:
            return
        self._events.append(event)
        if self._feeding:
            return
        self.as_a_whole(self._feed_all)
        # After whatever was said, or will be said with a result that comes in a moment: nobody waits for a timer.
        if self._company is None:
            self._set_timer_soon()

    def _feed_all(self) -> None:
        self._feeding, self._started = True, False
        while self._events:
            self._perform_all(self._node.handle(self._events.popleft(), self._clock.now()))
            if not self._events:
                self._end_round()
        if self._node.peers.others is not self._others:
            self._others = self._node.peers.others
            self._on_company(self._others)

    def as_a_whole(self, do: Callable[[], None]) -> None:
        """Do something that must not be done by half: if it fails, the node ends."""
        if self._feeding:
            do()
            return
        try:
            do()
        # Whatever it was, it is no answer to anything, and what was to come after it cannot be made good.
        except Exception as error:
            log.exception("the node met an error that nobody expected")
            self._end(f"an error that nobody expected ({type(error).__name__}: {error})")
        finally:
            self._feeding = False

    def _end(self, reason: str) -> None:
        """Do and say nothing any more, and say why. What the journal has not got is lost, as with a kill."""
        for undone in (self._events, self._early, self._held, self._unwritten):
            undone.clear()
        self.close()
        self._give_up(reason, True)

    def close(self) -> None:
        """Take no more events. What was handed to the journal is still written when that is closed."""
        self._write()
        self._closed = True
        self._wake()
        if self._timer is not None:
            self._timer.cancel()

    def settle(self) -> None:
        """Flush what is written, if it is not yet: whoever looks now may tell others what was seen."""
        if self._settled_up_to > self._flushed_up_to and self._writer.flush_here():
            self._flushed(self._settled_up_to)

    async def written(self) -> None:
        """Wait until all that the core handed in so far is written, or refused."""
        self._write()
        if self._handed_in > self._settled_up_to and not self._closed:
            waiting: asyncio.Future[None] = self._loop.create_future()
            self._waiting.append((self._handed_in, waiting))
            await waiting

    def _wake(self, up_to: int | None = None) -> None:
        """Let those go on who wait for tickets up to this one; all of them at the end."""
        ready = [entry for entry in self._waiting if up_to is None or entry[0] <= up_to]
        self._waiting = [entry for entry in self._waiting if entry not in ready]
        for _, waiting in ready:
            if not waiting.done():
                waiting.set_result(None)

    def unwritten_results(self, task: TaskId) -> RangeSet:
        """Return the elements whose results another node sent, and that count as here and are not written yet."""
        return self._arriving.results(task)

    def _perform_all(self, actions: list[Action]) -> None:
        behind = self._settled_up_to
        for action in actions:
            if isinstance(action, Persist):
                behind = action.ticket
                self._persist(action)
            elif isinstance(action, Notify | Send) and not action.promises:
                self._speak(action)
            elif isinstance(action, Reply | Notify | Send):
                if behind > self._handed_in:
                    self._write()
                self._say(behind, action)
            elif self._is_early(action):
                self._early.append(action)
            else:
                self._perform(action)

    def _is_early(self, action: _Deed) -> bool:
        """Whether a lease's inputs are not written yet; what is asked of executors meanwhile comes after it."""
        if isinstance(action, Deliver | LookUp | Archive):
            return False
        if self._early:
            return True
        if not isinstance(action, Start) or self._arriving.needed_for(action.spec) <= self._settled_up_to:
            return False
        self._write()
        return self._arriving.needed_for(action.spec) > self._settled_up_to

    def _perform_early(self) -> None:
        while self._early and not self._is_still_early(self._early[0]):
            self._perform(self._early.popleft())

    def _is_still_early(self, action: _Deed) -> bool:
        return isinstance(action, Start) and self._arriving.needed_for(action.spec) > self._settled_up_to

    def _say(self, behind: int, said: Reply | Notify | Send) -> None:
        is_news = isinstance(said, Notify)
        if behind <= self._flushed_up_to and not (is_news and self._news_held):
            self._speak(said)
        else:
            self._held.append((behind, said))
            self._news_held += is_news

    def _say_held(self) -> None:
        while self._held and self._held[0][0] <= self._flushed_up_to:
            _, said = self._held.popleft()
            self._news_held -= isinstance(said, Notify)
            self._speak(said)

    def _perform(self, action: _Deed) -> None:
        match action:
            case Start():
                self._started = True
                if action.spec.edges and not action.behind:
                    self._writer.keep()
                executor = self._executors[type(action.spec.work)]
                self._executor_of[action.lease] = executor
                stage(action, self._journal, executor, self._node, self.feed)
            case Stop(lease=lease, ranges=ranges, mode=mode):
                self._executor_of[lease].stop(lease, ranges, mode)
            case Pause(lease=lease):
                self._executor_of[lease].pause(lease)
            case Continue(lease=lease):
                self._executor_of[lease].resume(lease)
            case Deliver(to=to, fetch=fetch):
                self._say(self._settled_up_to, Send(to, answer(fetch, self._journal, self._node.queue.replica.tasks)))
            case LookUp(runs=runs, tasks=tasks, about=about, whole=whole):
                self.feed(recall(self._journal, self._node.queue.replica, runs, tasks, about=about, whole=whole))
            case Archive(tasks=tasks):
                self._journal.archive(tasks)

    def _persist(self, action: Persist) -> None:
        """Hand a ticket to the journal: at once if somebody waits for it, else with the next one that is urgent."""
        self._unwritten.append((action.ticket, action.facts))
        self._flush_first |= action.flushed
        self._arriving.note(action.ticket, action.facts)
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
        here = self._settled_up_to == self._handed_in and not self._flush_first
        self._handed_in, self._flush_first = tickets[-1][0], False
        if not here:
            self._writer.append(tickets, here=False)
        elif self._writer.promise(tickets) or self._writer.append(tickets, here=True):
            self._settled(Persisted(self._handed_in))

    # Told by the journal's writer, from its thread.

    def on_written(self, ticket: int) -> None:
        self._loop.call_soon_threadsafe(self._safe, Persisted(ticket))

    def on_failed(self, tickets: tuple[int, ...], reason: str) -> None:
        for ticket in tickets:
            self._loop.call_soon_threadsafe(self._safe, PersistFailed(ticket, reason))

    def on_flushed(self, ticket: int) -> None:
        self._loop.call_soon_threadsafe(self._flushed, ticket)

    def on_lost(self, reason: str) -> None:
        self._loop.call_soon_threadsafe(self._lost, reason)

    def _safe(self, event: Persisted | PersistFailed) -> None:
        # What was held behind a refused ticket leaves, too: it answers for something older that is on disk.
        self._flushed(event.ticket)
        self._settled(event)

    def _settled(self, event: Persisted | PersistFailed) -> None:
        self._settled_up_to = event.ticket
        self._arriving.settled(event.ticket)
        self.feed(event)
        if self._early:
            self.as_a_whole(self._perform_early)
        self._forget_old_leases()
        if self._waiting:
            self._wake(event.ticket)

    def _flushed(self, ticket: int) -> None:
        self._flushed_up_to = max(ticket, self._flushed_up_to)
        if self._held:
            self.as_a_whole(self._say_held)

    def _end_round(self) -> None:
        """Write and flush what is due; if work was just started from a promise, perhaps together with its result."""
        if self._started and self._writer.has_promised:
            self._company = self._company or self._loop.call_later(COMPANY_S, self._go_on_alone)
            # While the executor is at work there is time for it.
            self._writer.prepare()
            return
        if self._company is not None:
            self._company.cancel()
            self._company = None
        self._writer.keep()
        self._flush_if_awaited()

    def _go_on_alone(self) -> None:
        self._company = None
        if not self._closed:
            self._started = False
            self.as_a_whole(self._end_round)
            self._set_timer_soon()

    def _flush_if_awaited(self) -> None:
        """Flush if something is held that waits for nothing else; if work was just started, perhaps with its result."""
        if not self._held or self._held[0][0] > self._settled_up_to or self._flush_asked == self._settled_up_to:
            return
        self._flush_asked = self._settled_up_to
        if self._started:
            self._loop.call_later(COMPANY_S, self._writer.flush_beside, self._settled_up_to)
        elif not self._writer.flushes_quickly:
            self._writer.flush_beside(self._settled_up_to)
        elif self._writer.flush_here():
            self._flushed(self._settled_up_to)

    def _lost(self, reason: str) -> None:
        self.close()
        self._give_up(reason, False)

    def _forget_old_leases(self) -> None:
        active = {lease.name for lease in self._node.queue.leases.in_hand()}
        # Some of those have not been started yet, and have no executor.
        if len(self._executor_of) > 2 * len(active) + OLD_LEASES_MAX:
            self._executor_of = {name: known for name, known in self._executor_of.items() if name in active}

    def _set_timer_soon(self) -> None:
        if not self._timer_is_due:
            self._timer_is_due = True
            self._loop.call_soon(self._set_timer)

    def _set_timer(self) -> None:
        self._timer_is_due = False
        if self._closed:
            return
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
        self._hear()
        self.feed(DeadlineReached())
