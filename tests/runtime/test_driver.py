import asyncio
import errno
import os
from pathlib import Path

import pytest

from roost.core.actions import (
    Accepted,
    Action,
    Notify,
    Persist,
    ProgressChanged,
    Refused,
    RunChanged,
    Send,
    TaskChanged,
)
from roost.core.events import (
    CancelAsked,
    DeadlineReached,
    ElementFailed,
    Event,
    Heard,
    Persisted,
    Progressed,
    SuspendAsked,
)
from roost.core.facts import LivesHeard
from roost.core.mesh.mesh import Surroundings
from roost.executors.order import Order
from roost.model.clock import Stamp
from roost.model.elements import Elements
from roost.model.errors import InvariantViolated
from roost.model.ids import BlobHash, CauseId, NodeId
from roost.model.ranges import EMPTY, RangeSet
from roost.model.record import RunRecord
from roost.model.segments import pack
from roost.model.states import Leased
from roost.model.task import Failure, Function
from roost.runtime.journal.flush import LogFile
from roost.runtime.journal.writer import Writer
from roost.wire.messages import Facts, Hello, Keep, Kept, Message, News, Standing
from tests.runtime.driving import RUN, TASK, Life, spec, submitted, until
from tests.tokens import attempt

#: Too large for the pages that a full disk has left.
BALLAST = (BlobHash("b"), b"x" * 200_000)


def test_a_reply_leaves_when_what_it_promises_is_on_disk(tmp_path: Path) -> None:
    async def scenario() -> None:
        life = Life(tmp_path)
        assert await life.ask(submitted(spec())) == Accepted(elements=3)
        assert life.run_was_on_disk == [True]
        life.end()

    asyncio.run(scenario())


def test_news_does_not_overtake_news_that_waits_for_the_disk_but_messages_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a listener could hear that an element is done, and then that it has failed, which was true before."""

    async def scenario() -> None:
        life = Life(tmp_path)
        elm, hello = NodeId("elm"), Hello(News(NodeId("elm"), 1, 0, Standing.ALIVE))
        turns: list[list[Action]] = [
            [Persist(1, (LivesHeard(8),)), Notify(RunChanged(RUN, "added"))],
            [Notify(RunChanged(RUN, "done")), Send(elm, hello)],
        ]
        monkeypatch.setattr(life.node, "handle", lambda *_: turns.pop(0) if turns else [])
        life.driver.feed(DeadlineReached())
        life.driver.feed(DeadlineReached())
        assert (life.changes, life.sent) == ([], [hello])
        await until(lambda: len(life.changes) == 2)
        assert life.changes == [RunChanged(RUN, "added"), RunChanged(RUN, "done")]
        life.end()

    asyncio.run(scenario())


def test_a_refused_write_is_answered_and_changes_nothing(tmp_path: Path) -> None:
    async def scenario() -> None:
        life = Life(tmp_path)
        life.fill_the_disk()
        answer = await life.ask(submitted(spec(), blobs=(BALLAST,)))
        assert isinstance(answer, Refused)
        assert answer.temporary
        assert "nothing was changed" in answer.message
        assert life.command.orders == []
        life.make_room()
        assert await life.ask(submitted(spec(), blobs=(BALLAST,), cause="submit-2")) == Accepted(elements=3)
        life.end()

    asyncio.run(scenario())


def test_a_result_that_does_not_fit_is_kept_and_written_at_the_deadline(tmp_path: Path) -> None:
    async def scenario() -> None:
        life = Life(tmp_path)
        await life.ask(submitted(spec(count=1)))
        await until(lambda: life.command.orders)
        life.fill_the_disk()
        failure = Failure("no", detail="x" * 200_000)
        (order,) = life.command.orders
        life.driver.feed(ElementFailed(order.lease, 0, failure))
        await until(lambda: life.node.tickets.trouble)
        assert dict(life.journal.failures(TASK, RangeSet.span(0, 1))) == {}
        life.make_room()
        await until(lambda: [state for _, state in ended(life)] == ["failed"])
        assert dict(life.journal.failures(TASK, RangeSet.span(0, 1))) == {0: failure}
        life.end()

    asyncio.run(scenario())


class SlowFlush:
    """Counts the flushes that are asked for, and lets none end before the test says so."""

    def __init__(self, life: Life, monkeypatch: pytest.MonkeyPatch) -> None:
        self.life = life
        self.asked: list[int] = []
        monkeypatch.setattr(Writer, "flush_beside", lambda _, ticket: self.asked.append(ticket))
        monkeypatch.setattr(Writer, "flushes_quickly", False)
        # As if nothing else were going on, so that tickets are written without their flush.
        monkeypatch.setattr(Writer, "_calm", lambda writer: True)


def test_what_is_written_and_not_flushed_is_gone_on_from_and_not_spoken_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario() -> None:
        life = Life(tmp_path)
        slow = SlowFlush(life, monkeypatch)
        life.driver.feed(submitted(spec()))
        assert len(life.command.orders) == 1, "the work has begun"
        await until(lambda: slow.asked)
        assert life.journal.has_run(RUN)
        assert (life.replies, life.changes) == ({}, [])
        life.driver.on_flushed(slow.asked[-1])
        await until(lambda: life.replies)
        assert life.changes
        life.end()

    asyncio.run(scenario())


def test_a_ticket_that_is_to_be_flushed_first_is_answered_when_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario() -> None:
        life = Life(tmp_path)
        SlowFlush(life, monkeypatch)
        answers: list[Event] = []
        monkeypatch.setattr(life.node, "handle", lambda event, now: answers.append(event) or [])
        flushes: list[None] = []
        flush = LogFile.flush
        monkeypatch.setattr(LogFile, "flush", lambda log: (flushes.append(None), flush(log)))
        life.driver._perform_all([Persist(1, (LivesHeard(8),), flushed=True)])
        assert answers == []
        await until(lambda: answers)
        assert (answers, len(flushes)) == ([Persisted(1)], 1)
        life.end()

    asyncio.run(scenario())


def test_progress_is_told_at_once_and_never_after_what_came_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario() -> None:
        life = Life(tmp_path)
        SlowFlush(life, monkeypatch)
        life.driver.feed(submitted(spec()))
        [order] = life.command.orders
        for fraction in (0.1, 0.9):
            life.driver.feed(Progressed(order.lease, next(iter(order.ranges)), fraction))
        assert [change.fraction for change in life.changes if isinstance(change, ProgressChanged)] == [0.1, 0.9]
        life.end()

    asyncio.run(scenario())


def test_whoever_looks_waits_for_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> None:
        life = Life(tmp_path)
        SlowFlush(life, monkeypatch)
        life.driver.feed(submitted(spec()))
        assert life.replies == {}
        life.driver.settle()
        assert list(life.replies.values()) == [Accepted(elements=3)]
        life.end()

    asyncio.run(scenario())


def test_a_disk_that_fails_ends_the_node_and_keeps_its_promises_unspoken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario() -> None:
        life = Life(tmp_path)
        SlowFlush(life, monkeypatch)
        life.driver.feed(submitted(spec()))
        monkeypatch.setattr(os, "fdatasync", broken)
        life.driver.settle()
        await until(lambda: life.given_up)
        assert life.given_up == ["the disk of the journal failed: Input/output error"]
        life.driver.feed(submitted(spec(), cause="submit-2"))
        assert life.replies == {}
        life.end()

    asyncio.run(scenario())


CODE = BlobHash("code")
CALL = spec("call", 1, Function(CODE, "3.11"))


async def calm_life(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Life:
    """A life that knows the function of CALL, and in which nothing else is going on."""
    life = Life(folder, cpus=2)
    first = spec("first", 1, Function(CODE, "3.11"))
    await life.ask(submitted(first, blobs=((CODE, b"code"),), cause="submit-0", open=True))
    monkeypatch.setattr(Writer, "_calm", lambda writer: True)
    return life


def test_a_call_is_started_before_it_is_written_and_written_before_anybody_looks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario() -> None:
        life = await calm_life(tmp_path, monkeypatch)
        written: list[bool] = []
        start = life.function.start

        def look_and_start(order: Order) -> None:
            written.append(life.is_written(CALL.id))
            start(order)

        life.function.start = look_and_start  # type: ignore[method-assign]
        life.driver.feed(submitted(CALL, open=True))
        assert written == [False]
        assert not life.is_written(CALL.id), "its result may come in a moment"
        assert CALL.id in life.journal.task_ids(RUN), "whoever looks finds it"
        assert life.is_written(CALL.id)
        life.end()

    asyncio.run(scenario())


def test_a_call_without_a_quick_result_is_written_and_answered_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario() -> None:
        life = await calm_life(tmp_path, monkeypatch)
        assert await life.ask(submitted(CALL, open=True)) == Accepted(elements=1)
        assert life.is_written(CALL.id)
        life.end()

    asyncio.run(scenario())


def test_a_promise_that_the_disk_breaks_ends_the_node_and_nothing_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario() -> None:
        life = await calm_life(tmp_path, monkeypatch)
        with monkeypatch.context() as patch:
            patch.setattr(Writer, "_commit", lambda writer, entries: "the journal cannot be written: it is gone")
            life.driver.feed(submitted(CALL, open=True))
            await until(lambda: life.given_up)
        assert life.given_up == ["the journal cannot be written: it is gone"]
        assert CauseId("submit-1") not in life.replies
        life.end()

    asyncio.run(scenario())


def broken(descriptor: int) -> None:
    raise OSError(errno.EIO, os.strerror(errno.EIO))


def ended(life: Life) -> list[tuple[str, str]]:
    changes = [change for change in life.changes if isinstance(change, RunChanged)]
    return [(change.run, change.state) for change in changes if change.state in ("done", "failed", "cancelled")]


def test_every_kind_of_work_goes_to_its_executor(tmp_path: Path) -> None:
    async def scenario() -> None:
        life = Life(tmp_path, at_once=True, cpus=2)
        code = BlobHash("code")
        function = spec("call", work=Function(code, "3.11"))
        await life.ask(submitted(spec(), function, blobs=((code, b"code"),)))
        await until(lambda: ended(life) == [(RUN, "done")])
        assert {order.spec.id for order in life.command.orders} == {TASK}
        assert {order.spec.id for order in life.function.orders} == {function.id}
        assert life.results() == [b"result 0", b"result 1", b"result 2"]
        life.end()

    asyncio.run(scenario())


def test_an_executor_may_answer_inside_start_however_many_elements_there_are(tmp_path: Path) -> None:
    """Each answer leads to the next lease: fed one inside the other they would exhaust the stack."""

    async def scenario() -> None:
        life = Life(tmp_path, at_once=True)
        await life.ask(submitted(spec(count=3000)))
        await until(lambda: ended(life))
        assert len(life.results()) == 3000
        life.end()

    asyncio.run(scenario())


def test_old_leases_are_forgotten_while_a_new_one_is_about_to_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A result is written at once, and before the lease that it makes room for is started."""
    monkeypatch.setattr("roost.runtime.driver.OLD_LEASES_MAX", -100)

    async def scenario() -> None:
        life = await calm_life(tmp_path, monkeypatch)
        calls = [spec(f"call-{at}", 1, CALL.work) for at in range(4)]
        await life.ask(submitted(*calls, open=True))
        for at in range(4):
            await until(lambda at=at: len(life.function.orders) > at)
            life.function.finish(life.function.orders[at])
        assert [order.spec.id for order in life.function.orders][1:] == [call.id for call in calls]
        life.end()

    asyncio.run(scenario())


def test_freezing_going_on_and_stopping_reach_the_executor_of_the_lease(tmp_path: Path) -> None:
    async def scenario() -> None:
        life = Life(tmp_path)
        await life.ask(submitted(spec(count=1)))
        await until(lambda: life.command.orders)
        lease = life.command.orders[0].lease
        for cause, on in (("s-1", True), ("s-2", False)):
            await life.ask(SuspendAsked(CauseId(cause), RUN, on))
        await life.ask(CancelAsked(CauseId("c-1"), ((TASK, RangeSet.span(0, 1)),)))
        told = [word for word, name in life.command.told if name == lease]
        assert told == ["stop unstarted", "pause", "resume", "stop kill"]
        assert life.function.told == []
        life.end()

    asyncio.run(scenario())


def test_a_lease_whose_inputs_cannot_be_read_fails_and_the_node_goes_on(tmp_path: Path) -> None:
    async def scenario() -> None:
        life = Life(tmp_path)
        await life.ask(submitted(spec("call", work=Function(BlobHash("missing"), "3.11"))))
        await until(lambda: ended(life) == [(RUN, "failed")])
        failures = dict(life.journal.failures(spec("call").id, RangeSet.span(0, 3)))
        assert len(failures) == 3
        assert all(failure.reason.startswith("its inputs cannot be read: ") for failure in failures.values())
        assert life.function.orders == []
        life.end()

    asyncio.run(scenario())


def test_a_closed_driver_writes_what_it_was_given_and_takes_nothing_more(tmp_path: Path) -> None:
    async def first_life() -> None:
        life = Life(tmp_path)
        await life.ask(submitted(spec(count=1)))
        await until(lambda: life.command.orders)
        life.command.finish(life.command.orders[0])
        life.driver.close()
        life.driver.feed(CancelAsked(CauseId("c-1"), ((TASK, RangeSet.span(0, 1)),)))
        life.driver.feed(DeadlineReached())
        life.journal.close()
        assert CauseId("c-1") not in life.replies

    async def second_life() -> None:
        life = Life(tmp_path)
        assert life.results() == [b"result 0"]
        life.end()

    asyncio.run(first_life())
    asyncio.run(second_life())


def test_a_restarted_node_runs_what_was_leased_once_more(tmp_path: Path) -> None:
    async def first_life() -> None:
        life = Life(tmp_path)
        await life.ask(submitted(spec(count=1)))
        await until(lambda: life.command.orders)
        life.end()

    async def second_life() -> None:
        life = Life(tmp_path, at_once=True)
        await until(lambda: ended(life) == [(RUN, "done")])
        assert life.results() == [b"result 0"]
        life.end()

    asyncio.run(first_life())
    asyncio.run(second_life())


@pytest.mark.parametrize("beside", [False, True])
def test_a_lease_whose_inputs_another_node_has_just_sent_is_started_when_they_are_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, beside: bool
) -> None:
    """``beside``: the writer's thread is slow enough for the lease to be early."""
    if beside:
        append = Writer.append
        monkeypatch.setattr(Writer, "append", lambda self, tickets, *, here: append(self, tickets, here=False))

    async def scenario() -> None:
        life = Life(tmp_path, medium=Surroundings())
        work = spec(count=2, work=Function(BlobHash("code"), "3.11"), has_items=True)
        run = RunRecord(submitted(work).run)
        items = pack(0, [b"one", b"two" * 200_000])
        records = Facts(runs=(run,), tasks=(work,), items=((TASK, items),), blobs=((BlobHash("code"), b"def"),))
        elm = NodeId("elm")
        life.driver.feed(Heard(elm, Stamp(1, 0, elm), records))
        await until(lambda: life.function.orders)
        (order,) = life.function.orders
        assert [value for segment in order.items for value in segment.values()] == list(items.values())[:1]
        assert order.blobs == ((BlobHash("code"), b"def"),)
        life.end()

    asyncio.run(scenario())


def test_a_result_in_a_mesh_costs_its_maker_one_commit_and_one_flush(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its keeper has the other. That it counts is told at once, and written with whatever is written next."""

    async def scenario() -> None:
        life = Life(tmp_path, medium=Surroundings())
        elm = NodeId("elm")

        def hear(message: Message) -> None:
            life.driver.feed(Heard(elm, Stamp(1, 0, elm), message))

        hear(Hello(News(elm, 1, 0, Standing.ALIVE)))
        hear(Facts(runs=(RunRecord(submitted(spec()).run),), tasks=(spec(count=2),)))
        await until(lambda: life.command.orders)
        await life.driver.written()
        life.driver.settle()
        commits: list[int] = []
        flushes: list[None] = []
        commit, flush = Writer.append, LogFile.flush
        monkeypatch.setattr(Writer, "append", lambda *args, **how: (commits.append(1), commit(*args, **how))[1])
        monkeypatch.setattr(Writer, "promise", lambda *_: False)
        monkeypatch.setattr(LogFile, "flush", lambda log: (flushes.append(None), flush(log)))
        life.command.finish(life.command.orders[0])
        await until(lambda: [one for one in life.sent if isinstance(one, Keep)])
        assert (len(commits), len(flushes)) == (1, 1)
        [offer] = [one for one in life.sent if isinstance(one, Keep)]
        hear(Kept(offer.number))
        assert [change.state for change in life.changes if isinstance(change, TaskChanged)][-1] == "done"
        assert (len(commits), len(flushes)) == (1, 1)
        await until(life.results)
        life.end()

    asyncio.run(scenario())


def test_what_others_have_said_is_heard_before_a_deadline_is_kept(tmp_path: Path) -> None:
    """A contest whose window closes while the node was busy: the lease of another waits in the socket."""

    async def scenario() -> None:
        life = Life(tmp_path, medium=Surroundings())
        elm = NodeId("elm")
        life.driver.feed(Heard(elm, Stamp(1, 0, elm), Hello(News(elm, 1, 0, Standing.ALIVE))))
        life.driver.feed(submitted(spec(count=2)))
        await until(lambda: life.node.medium.bidding._contest.bidding_for(TASK))
        wanted = life.node.medium.bidding._contest.bidding_for(TASK)
        leased = Facts(states=((TASK, Elements({Leased(0, attempt(1), elm, 0): wanted})),))
        life.unheard.append(Heard(elm, Stamp(2, 0, elm), leased))
        await until(lambda: life.command.orders)
        assert [order.ranges & wanted for order in life.command.orders] == [EMPTY]
        life.end()

    asyncio.run(scenario())


def test_whoever_waits_goes_on_when_all_that_was_handed_in_is_written_or_refused(tmp_path: Path) -> None:
    async def scenario() -> None:
        life = Life(tmp_path)
        await life.driver.written()
        life.fill_the_disk()
        life.driver.feed(submitted(spec(), blobs=(BALLAST,)))
        await life.driver.written()
        assert isinstance(life.replies[CauseId("submit-1")], Refused)
        life.make_room()
        life.driver.feed(submitted(spec(), cause="submit-2"))
        await life.driver.written()
        assert life.journal.has_run(RUN)
        life.end()
        await life.driver.written()

    asyncio.run(scenario())


def test_nobody_waits_for_a_driver_that_has_ended(tmp_path: Path) -> None:
    async def scenario() -> None:
        life = Life(tmp_path)
        life.driver.feed(submitted(spec()))
        waiting = [asyncio.create_task(life.driver.written()) for _ in range(3)]
        await asyncio.sleep(0)
        life.end()
        await asyncio.wait_for(asyncio.gather(*waiting), 10)

    asyncio.run(scenario())


def test_an_error_in_the_middle_of_an_event_ends_the_node_with_one_sentence(tmp_path: Path) -> None:
    async def scenario() -> None:
        life = Life(tmp_path, cpus=2)

        def start(order: Order) -> None:
            raise KeyError("lane")

        life.command.start = start  # type: ignore[method-assign]
        life.driver.feed(submitted(spec("a", 1), spec("b", 1)))
        await until(lambda: life.given_up)
        assert life.given_up == ["an error that nobody expected (KeyError: 'lane')"]
        assert life.was_ours == [True]
        life.driver.feed(submitted(spec(), cause="submit-2"))
        life.end()
        assert CauseId("submit-2") not in life.replies
        again = Life(tmp_path, cpus=2)
        assert [order.spec.id for order in again.command.orders] == [spec("a").id, spec("b").id]
        again.end()

    asyncio.run(scenario())


def test_an_error_of_the_core_ends_the_node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> None:
        life = Life(tmp_path)

        def handle(event: object, now: float) -> list[object]:
            raise InvariantViolated("two and two are five")

        monkeypatch.setattr(life.node, "handle", handle)
        life.driver.feed(submitted(spec()))
        assert life.given_up == ["an error that nobody expected (InvariantViolated: two and two are five)"]
        life.end()

    asyncio.run(scenario())


def test_an_error_of_somebody_who_is_told_something_ends_the_node(tmp_path: Path) -> None:
    async def scenario() -> None:
        life = Life(tmp_path)

        def speak(said: object) -> None:
            raise AttributeError("ear")

        life.driver._speak = speak
        life.driver.feed(submitted(spec()))
        await until(lambda: life.given_up)
        assert life.given_up == ["an error that nobody expected (AttributeError: ear)"]
        life.end()

    asyncio.run(scenario())


def test_who_listens_to_company_hears_who_is_there_when_somebody_came_or_went(tmp_path: Path) -> None:
    async def scenario() -> None:
        life = Life(tmp_path, medium=Surroundings(NodeId("ash")))
        heard: list[tuple[NodeId, ...]] = []
        life.driver.listen_to_company(heard.append)
        elm = NodeId("elm")
        for number, standing in enumerate((Standing.ALIVE, Standing.ALIVE, Standing.LEFT)):
            word = Hello(News(elm, 1, number // 2, standing, elm))
            life.driver.feed(Heard(elm, Stamp(1, number, elm), word))
        assert heard == [(elm,), ()]
        life.end()

    asyncio.run(scenario())
