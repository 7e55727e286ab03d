"""One life: what it says waits for the disk, and what it looks up comes next."""

from itertools import pairwise
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from roost.core.actions import Action, Deliver, LookUp, Notify, Persist, RunChanged, Send
from roost.core.events import ElementsDone, ElementsReturned, Event, Heard, Persisted, PersistFailed, Recalled, Started
from roost.core.facts import BlobStored, LivesHeard
from roost.core.node import Node
from roost.core.queue.replica import Replica
from roost.model.clock import Stamp
from roost.model.ids import BlobHash, LeaseId
from roost.model.segments import pack
from roost.sim.checkers.mesh_observer import MeshChecker
from roost.sim.journal import SimDisk
from roost.sim.liars import Lie
from roost.sim.life import UNHURRIED_S, Crashed, Faults, Flushed, Life, WriteDue
from roost.sim.trace import Trace
from roost.wire.messages import Delivery, Fetch, Hello, News, Purpose, Standing
from tests.core.harness import ASH, RUN, ranges
from tests.sim.test_journal import A, chain

CODE = BlobHash("c0de")
HELLO = Hello(News(ASH, 1, 0, Standing.ALIVE))
HEARD = Heard(ASH, Stamp(1, 0, ASH), HELLO)


UNPROMISED = Faults()


class Stage:
    """Plays node and world: it acts as it is told, and notes what is asked of it."""

    def __init__(self, *actions: Action, faults: Faults = UNPROMISED, checker: MeshChecker | None = None) -> None:
        self.actions = list(actions)
        self.now = 5.0
        self.events: list[Event] = []
        self.coming: list[tuple[float, Any]] = []
        self.sent: list[Send] = []
        self.checks = 0
        node: Any = SimpleNamespace(
            name=ASH, handle=self._handle, check=self._check, queue=SimpleNamespace(replica=Replica())
        )
        self.life = Life(
            node,
            chain(),
            faults,
            Random(1),
            checker or MeshChecker(),
            Trace(),
            now=5.0,
            later=self.later,
            clock=self.clock,
            send=self.send,
            check_every=2,
        )

    def _handle(self, event: Event, now: float) -> list[Action]:
        assert now == self.now + 100.0, "a node goes by its own clock"
        self.events.append(event)
        actions, self.actions = self.actions, []
        return actions

    def _check(self) -> None:
        self.checks += 1

    def later(self, delay: float, event: object) -> None:
        self.coming.append((delay, event))

    def clock(self, now: float) -> float:
        return now + 100.0

    def send(self, send: Send) -> None:
        self.sent.append(send)


def test_what_promises_leaves_when_all_before_it_is_flushed() -> None:
    early, late = Send(None, HELLO, promises=False), Send(ASH, HELLO)
    stage = Stage(Persist(1, ()), early, late)
    stage.life.feed(Started())
    assert stage.sent == [early]
    stage.life.arrive(Persisted(1))
    assert stage.sent == [early]
    stage.life.arrive(Flushed(1))
    assert stage.sent == [early, late]


def test_news_does_not_overtake_news_that_waits_for_the_disk_but_messages_do() -> None:
    # World 250248: that an element had failed waited behind other news, and that it was done did not.
    class Listener(MeshChecker):
        def on_action(self, action: Action, node: Node, disk: SimDisk) -> None:
            if isinstance(action, Notify):
                told.append(action)

    told: list[Notify] = []
    stage = Stage(Persist(1, ()), Notify(RunChanged(RUN, "added")), checker=Listener())
    stage.life.feed(Started())
    stage.actions = [Notify(RunChanged(RUN, "done")), Send(ASH, HELLO)]
    stage.life.feed(HEARD)
    assert told == []
    assert stage.sent == [Send(ASH, HELLO)]
    stage.life.arrive(Persisted(1))
    stage.life.arrive(Flushed(1))
    assert told == [Notify(RunChanged(RUN, "added")), Notify(RunChanged(RUN, "done"))]


def test_what_nobody_waits_for_is_handed_to_the_disk_with_what_somebody_does() -> None:
    stage = Stage(Persist(1, (), urgent=False), Persist(2, (), urgent=False), Persist(3, ()))
    stage.life.feed(Started())
    assert [event for _, event in stage.coming] == [WriteDue(), Persisted(3)]


def test_what_nobody_waits_for_is_handed_to_the_disk_after_a_while() -> None:
    stage = Stage(Persist(1, (), urgent=False))
    stage.life.feed(Started())
    assert stage.coming == [(UNHURRIED_S, WriteDue())]
    stage.life.arrive(WriteDue())
    assert stage.coming[-1][1] == Persisted(1)
    stage.life.arrive(WriteDue())
    assert len(stage.coming) == 2, "there is nothing left"


def test_what_promises_has_handed_in_what_it_rests_on() -> None:
    said = Send(ASH, HELLO)
    stage = Stage(Persist(1, (), urgent=False), said)
    stage.life.feed(Started())
    assert stage.coming[-1][1] == Persisted(1)
    stage.life.arrive(Persisted(1))
    stage.life.arrive(Flushed(1))
    assert stage.sent == [said]


def test_of_what_is_handed_in_together_the_last_may_be_refused_and_the_others_are_written() -> None:
    stage = Stage(Persist(1, (LivesHeard(8),), urgent=False), Persist(2, ()), faults=Faults(disk_full=1.0))
    stage.life.feed(Started())
    stage.life.arrive(Persisted(2))
    assert stage.events == [Started(), Persisted(1), PersistFailed(2, "no space left on device")]
    assert stage.life.disk.life == 8


def test_no_promise_overtakes_the_refusal_of_an_earlier_ticket() -> None:
    # Worlds 220003 and 220071: what the node wrote between the two answers was promised, and answered before them.
    faults = Faults(disk_full=1.0, promised=1.0)
    stage = Stage(Persist(1, (), urgent=False), Persist(2, (LivesHeard(8),), flushed=True), faults=faults)
    stage.life.feed(Started())
    stage.actions = [Persist(3, ())]
    stage.life.arrive(Persisted(2))
    assert stage.events == [Started(), Persisted(1), PersistFailed(2, "no space left on device")]


def test_what_is_to_be_flushed_first_is_answered_when_it_is() -> None:
    stage = Stage(Persist(1, (LivesHeard(8),), flushed=True), faults=Faults(promised=1.0))
    stage.life.feed(Started())
    assert stage.events == [Started()], "a promise is not enough"
    stage.life.arrive(Persisted(1))
    assert stage.events == [Started(), Persisted(1)]
    assert stage.life.disk.flushed.life == 8


def test_what_is_delivered_is_what_the_disk_holds() -> None:
    stage = Stage(Deliver(ASH, Fetch(Purpose.INPUTS, 7, blobs=(CODE,))))
    stage.life.disk.blobs[CODE] = b"function"
    stage.life.feed(HEARD)
    [send] = stage.sent
    assert isinstance(send.message, Delivery)
    assert (send.to, send.message.number, send.message.blobs) == (ASH, 7, ((CODE, b"function"),))


def test_what_is_looked_up_is_fed_next() -> None:
    stage = Stage(LookUp((RUN,), (A,), HEARD), Notify(RunChanged(RUN, "added")))
    stage.life.feed(HEARD)
    [_, recalled] = stage.events
    assert isinstance(recalled, Recalled)
    assert [record.spec.id for record in recalled.tasks] == [A]
    assert recalled.about == HEARD


def test_tickets_are_written_in_their_order_whatever_each_takes() -> None:
    stage = Stage(*(Persist(ticket, ()) for ticket in range(1, 30)))
    stage.life.feed(Started())
    delays = [delay for delay, _ in stage.coming]
    assert delays == sorted(delays)
    assert [event.ticket for _, event in stage.coming] == list(range(1, 30))


def test_no_rounding_of_times_lets_a_ticket_overtake_another() -> None:
    """Tickets that were due together came in any order, because each was told the time left from its own now."""
    stage, arrivals = Stage(faults=Faults(write_s=10.0)), []
    for ticket in range(1, 300):
        stage.life.now = stage.now = 5.0 + ticket / 3
        stage.actions = [Persist(ticket, ())]
        stage.life.feed(Started())
        arrivals.append(stage.life.now + stage.coming[-1][0])
    assert all(before < after for before, after in pairwise(arrivals))


def test_a_lie_reaches_the_node_although_nothing_runs() -> None:
    stage, said = Stage(), ElementsReturned(LeaseId(1), ranges("0"))
    stage.life.arrive(said)
    stage.life.arrive(Lie(said))
    stage.life.arrive(ElementsDone(LeaseId(1), (pack(0, [b""]),), 0.1))
    stage.life.arrive(Lie(ElementsDone(LeaseId(1), (), 0.1)))
    assert stage.events == [said, said, ElementsDone(LeaseId(1), (), 0.1)]


def promising(*actions: Action) -> tuple[Stage, list[bool]]:
    """A life whose tickets are all promised, and whether CODE was on its disk whenever the node was asked."""
    stage = Stage(*actions, faults=Faults(promised=1.0))
    seen: list[bool] = []
    handle = stage.life.node.handle

    def look(event: Event, now: float) -> list[Action]:
        seen.append(CODE in stage.life.disk.blobs)
        return handle(event, now)

    stage.life.node.handle = look  # type: ignore[method-assign]
    return stage, seen


def test_a_promised_ticket_is_gone_on_from_before_it_is_written() -> None:
    stage, seen = promising(Persist(1, (BlobStored(CODE, b"function"),)), Send(ASH, HELLO))
    stage.life.feed(Started())
    assert stage.events == [Started(), Persisted(1)]
    assert seen == [False, False]
    [(_, due), *_] = stage.coming
    stage.life.arrive(due)
    assert CODE in stage.life.disk.blobs
    assert stage.sent == []
    [_, (_, flushed)] = stage.coming
    stage.life.arrive(flushed)
    assert len(stage.sent) == 1


def test_a_promise_is_broken_by_a_power_cut_and_nobody_was_told() -> None:
    stage, _ = promising(Persist(1, (BlobStored(CODE, b"function"),)), Send(ASH, HELLO), Send(None, HELLO))

    def cut() -> None:
        if len(stage.events) == 2:
            raise Crashed

    stage.life.before_action = cut
    answer = stage._handle

    def act_again(event: Event, now: float) -> list[Action]:
        stage.actions = stage.actions or [Send(None, HELLO, promises=False)]
        return answer(event, now)

    stage.life.node.handle = act_again  # type: ignore[method-assign]
    with pytest.raises(Crashed):
        stage.life.feed(Started())
    assert CODE not in stage.life.disk.blobs
    assert stage.sent == []


def test_a_life_may_end_between_two_actions() -> None:
    stage = Stage(Send(None, HELLO, promises=False), Send(ASH, HELLO, promises=False))
    left = [1]

    def burn() -> None:
        if not left:
            raise Crashed
        left.pop()

    stage.life.before_action = burn
    with pytest.raises(Crashed):
        stage.life.feed(Started())
    assert len(stage.sent) == 1


def test_a_node_recomputes_what_it_keeps_twice_every_few_events() -> None:
    stage = Stage()
    for _ in range(6):
        stage.life.feed(Started())
    assert stage.checks == 3
