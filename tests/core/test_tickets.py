"""What waits for the disk, and what happens when the disk refuses."""

import pytest

from roost.core.events import Submitted
from roost.core.facts import RunFinished
from roost.core.stock import Brought
from roost.core.tickets import (
    RETRY_AFTER_S,
    RETRY_AFTER_S_MAX,
    Cancellation,
    Change,
    Finish,
    Keeping,
    Learnt,
    News,
    Note,
    Offer,
    Outcome,
    Retry,
    Submission,
    Switching,
    Tickets,
)
from roost.model.clock import Stamp
from roost.model.elements import Elements
from roost.model.ids import CauseId, NodeId, RunId, TaskId, Token, task_id
from roost.model.record import RunRecord
from roost.model.states import Done
from roost.wire.messages import Records
from tests.core.harness import ASH, OTHER_RUN, RUN, edge, ranges, run_spec, task

A, B = task_id(RUN, "a"), task_id(OTHER_RUN, "b")
DONE = Elements({Done(Token(1), ASH): ranges("0")})
CAUSE = CauseId("test-1")
OAK = NodeId("oak")
OFFER = Offer(A, DONE, Records(offers=((A, DONE),)))
KEEPING = Keeping(OAK, 1, News(runs=(RUN,)), (B,), ((B, DONE),))
LEARNT = Learnt(News(runs=(OTHER_RUN,), moved=((A, DONE),)))


def outcome(number: int = 0) -> Outcome:
    return Outcome(A, Elements({Done(Token(1), ASH): ranges(str(number))}))


def test_a_written_ticket_settles_all_up_to_it_in_their_order() -> None:
    tickets = Tickets()
    changes = [outcome(at) for at in range(3)]
    numbers = [tickets.persist(change, ()).ticket for change in changes]
    assert numbers == [1, 2, 3]
    assert tickets.persisted(2, 0.0) == changes[:2]
    assert tickets.persisted(3, 0.0) == changes[2:]


def test_a_refused_request_is_off() -> None:
    tickets = Tickets()
    change = Cancellation(CAUSE, ())
    ticket = tickets.persist(change, ()).ticket
    assert tickets.failed(ticket, "full", 10.0) == change
    assert tickets.write_again() == []


@pytest.mark.parametrize(
    "change", [outcome(), Finish(RunFinished(RUN, Stamp(1, 0, ASH), "done", {}, 1)), OFFER, LEARNT, KEEPING]
)
def test_a_refused_outcome_or_word_of_others_is_written_again_under_a_new_ticket(change: Change) -> None:
    tickets = Tickets()
    first = tickets.persist(change, ())
    assert tickets.failed(first.ticket, "full", 10.0) is None
    [again] = tickets.write_again()
    assert again.ticket > first.ticket
    assert tickets.persisted(again.ticket, 0.0) == [change]


def test_there_is_trouble_until_something_is_written() -> None:
    tickets = Tickets()
    first, second = tickets.persist(outcome(0), ()), tickets.persist(outcome(1), ())
    tickets.failed(first.ticket, "full", 10.0)
    assert tickets.trouble == "full"
    tickets.persisted(second.ticket, 0.0)
    assert tickets.trouble is None
    assert tickets.retry_at is not None, "the first outcome still has to be written"


def test_trouble_is_supposed_to_be_over_when_nothing_is_left_to_write() -> None:
    tickets = Tickets()
    tickets.failed(tickets.persist(Cancellation(CAUSE, ()), ()).ticket, "full", 10.0)
    assert tickets.retry_at == 10.0 + RETRY_AFTER_S
    assert tickets.write_again() == []
    assert (tickets.trouble, tickets.retry_at) == (None, None)


def test_the_pauses_grow_to_a_limit_and_begin_anew_after_a_success() -> None:
    tickets = Tickets()
    tickets.failed(tickets.persist(outcome(), ()).ticket, "full", 0.0)
    pauses = [tickets.retry_at]
    for _ in range(7):
        [again] = tickets.write_again()
        tickets.failed(again.ticket, "full", 0.0)
        pauses.append(tickets.retry_at)
    assert pauses == [1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0, 30.0]
    assert RETRY_AFTER_S_MAX == 30.0
    [again] = tickets.write_again()
    tickets.persisted(again.ticket, 0.0)
    tickets.failed(tickets.persist(outcome(), ()).ticket, "full", 0.0)
    assert tickets.retry_at == RETRY_AFTER_S


@pytest.mark.parametrize(
    ("change", "runs", "tasks"),
    [
        (outcome(), [RUN], [A]),
        (Cancellation(CAUSE, ((A, DONE), (B, DONE))), [RUN, OTHER_RUN], [A, B]),
        (Retry(CAUSE, ((B, DONE),)), [OTHER_RUN], [B]),
        (Switching(CAUSE, RunRecord(run_spec()), "sealed"), [RUN], []),
        (Note(), [], []),
        (OFFER, [RUN], [A]),
        (LEARNT, [OTHER_RUN, RUN], [A]),
        (Learnt(News(tasks=(B,), words=((RUN, "sealed"),))), [OTHER_RUN], [B]),
        (KEEPING, [RUN, OTHER_RUN], [B]),
    ],
)
def test_what_a_change_is_about_is_awaited_until_it_has_landed(
    change: Change, runs: list[RunId], tasks: list[TaskId]
) -> None:
    tickets = Tickets()
    ticket = tickets.persist(change, ()).ticket
    assert all(tickets.awaits(name) for name in [*runs, *tasks])
    assert tickets.persisted(ticket, 0.0) == [change]
    assert all(tickets.awaits(name) for name in [*runs, *tasks]), "it is written, but not applied"
    assert tickets.landed(change) == runs
    assert not any(tickets.awaits(name) for name in [RUN, OTHER_RUN, A, B])


def test_a_submission_awaits_the_tasks_that_it_builds_on() -> None:
    event = Submitted(CAUSE, run_spec(), (task("c", 1, edge("b", "all", run=OTHER_RUN)),))
    tickets = Tickets()
    tickets.persist(Submission(event, RunRecord(run_spec()), (), Records()), ())
    assert [tickets.awaits(name) for name in (RUN, OTHER_RUN, B, A)] == [True, True, True, False]


def test_an_outcome_that_is_kept_is_still_awaited() -> None:
    tickets = Tickets()
    tickets.failed(tickets.persist(outcome(), ()).ticket, "full", 0.0)
    assert tickets.awaits(A)
    [again] = tickets.write_again()
    for change in tickets.persisted(again.ticket, 0.0):
        tickets.landed(change)
    assert not tickets.awaits(A)


def test_what_nobody_waits_for_may_wait_for_company() -> None:
    tickets = Tickets()
    assert not tickets.persist(Note(), ()).urgent
    assert not tickets.persist(LEARNT, ()).urgent
    for change in (outcome(), OFFER, KEEPING):
        assert tickets.persist(change, ()).urgent


# The order of changes about the same.


def test_what_is_written_waits_behind_an_earlier_change_about_the_same_that_was_refused() -> None:
    tickets = Tickets()
    first, cancelled = outcome(), Cancellation(CAUSE, ((A, DONE),))
    elsewhere = Outcome(B, DONE)
    tickets.failed(tickets.persist(first, ()).ticket, "full", 0.0)
    tickets.persist(cancelled, ())
    last = tickets.persist(elsewhere, ()).ticket
    assert tickets.persisted(last, 1.0) == [elsewhere]
    again = tickets.write_again()
    assert tickets.persisted(again[-1].ticket, 2.0) == [first, cancelled]


def test_what_waits_behind_a_refused_change_is_written_again_soon_and_even_a_request_is_not_off() -> None:
    tickets = Tickets()
    cancelled = Cancellation(CAUSE, ((A, DONE),))
    tickets.failed(tickets.persist(outcome(), ()).ticket, "full", 0.0)
    [again] = tickets.write_again()
    behind = tickets.persist(cancelled, ())
    tickets.failed(again.ticket, "full", 1.0)
    assert tickets.persisted(behind.ticket, 1.0) == []
    assert tickets.retry_at is not None
    for persist in tickets.write_again():
        assert tickets.failed(persist.ticket, "full", 9.0) is None
    assert tickets.persisted(tickets.write_again()[-1].ticket, 20.0) == [outcome(), cancelled]


def test_what_a_ticket_brings_of_other_nodes_is_known_until_it_is_settled() -> None:
    tickets = Tickets()
    brought = Brought(items=((A, ranges("0-3")),))
    learnt = tickets.persist(Learnt(News(), brought), ())
    kept = tickets.persist(Keeping(OAK, 1, News(), brought=brought), ())
    own = tickets.persist(outcome(), ())
    assert [tickets.brought_by(one.ticket) for one in (learnt, kept, own)] == [brought, brought, Brought()]
    tickets.failed(learnt.ticket, "full", 10.0)
    [again] = tickets.write_again()
    assert tickets.brought_by(again.ticket) == brought
