"""What waits for the disk, and what happens when the disk refuses."""

from random import Random

import pytest

from roost.core.actions import Persist
from roost.core.events import Submitted
from roost.core.facts import RunFinished
from roost.core.holdings import Brought
from roost.core.tickets import (
    RETRY_AFTER_S,
    RETRY_AFTER_S_MAX,
    Cancellation,
    Change,
    Finish,
    Keeping,
    Learnt,
    LivesNoted,
    News,
    Note,
    Outcome,
    ResultOffer,
    Retry,
    Submission,
    Switching,
    Tickets,
)
from roost.model.clock import Stamp
from roost.model.elements import Elements
from roost.model.ids import CauseId, NodeId, RunId, TaskId, task_id
from roost.model.record import RunRecord
from roost.model.states import Done
from roost.wire.messages import Facts
from tests.core.harness import ASH, OTHER_RUN, RUN, edge, ranges, run_spec, task
from tests.tokens import attempt

A, B = task_id(RUN, "a"), task_id(OTHER_RUN, "b")
DONE = Elements({Done(attempt(1), ASH): ranges("0")})
CAUSE = CauseId("test-1")
OAK = NodeId("oak")
OFFER = ResultOffer(A, DONE)
KEEPING = Keeping(OAK, 1, News(runs=(RUN,)), (B,), ((B, DONE),))
LEARNT = Learnt(News(runs=(OTHER_RUN,), moved=((A, DONE),)))


def outcome(number: int = 0) -> Outcome:
    return Outcome(A, Elements({Done(attempt(1), ASH): ranges(str(number))}))


def test_a_written_ticket_settles_all_up_to_it_in_their_order() -> None:
    tickets = Tickets()
    changes = [outcome(at) for at in range(3)]
    numbers = [tickets.persist(change, ()).ticket for change in changes]
    assert numbers == [1, 2, 3]
    assert tickets.persisted(2) == changes[:2]
    assert tickets.persisted(3) == changes[2:]


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
    assert tickets.persisted(again.ticket) == [change]


def test_there_is_trouble_until_something_is_written() -> None:
    tickets = Tickets()
    first, second = tickets.persist(outcome(0), ()), tickets.persist(outcome(1), ())
    tickets.failed(first.ticket, "full", 10.0)
    assert tickets.trouble == "full"
    tickets.persisted(second.ticket)
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
    tickets.persisted(again.ticket)
    tickets.failed(tickets.persist(outcome(), ()).ticket, "full", 0.0)
    assert tickets.retry_at == RETRY_AFTER_S


@pytest.mark.parametrize(
    ("change", "runs", "tasks"),
    [
        (outcome(), [RUN], [A]),
        (Cancellation(CAUSE, ((A, DONE), (B, DONE))), [RUN, OTHER_RUN], [A, B]),
        (Retry(CAUSE, ((B, DONE),)), [OTHER_RUN], [B]),
        (Cancellation(CAUSE, ((A, DONE),), (A, B)), [RUN, OTHER_RUN], [A, B]),
        (Retry(CAUSE, (), (B,)), [OTHER_RUN], [B]),
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
    assert tickets.persisted(ticket) == [change]
    assert all(tickets.awaits(name) for name in [*runs, *tasks]), "it is written, but not applied"
    assert tickets.landed(change) == runs
    assert not any(tickets.awaits(name) for name in [RUN, OTHER_RUN, A, B])


def test_a_submission_awaits_the_tasks_that_it_builds_on() -> None:
    event = Submitted(CAUSE, run_spec(), (task("c", 1, edge("b", "all", run=OTHER_RUN)),))
    tickets = Tickets()
    tickets.persist(Submission(event, RunRecord(run_spec()), (), Facts(), earlier=(B,)), ())
    assert [tickets.awaits(name) for name in (RUN, OTHER_RUN, B, A)] == [True, True, True, False]


def test_an_outcome_that_is_kept_is_still_awaited() -> None:
    tickets = Tickets()
    tickets.failed(tickets.persist(outcome(), ()).ticket, "full", 0.0)
    assert tickets.awaits(A)
    [again] = tickets.write_again()
    for change in tickets.persisted(again.ticket):
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
    assert tickets.persisted(last) == [elsewhere]
    again = tickets.write_again()
    assert tickets.persisted(again[-1].ticket) == [first, cancelled]


def test_what_is_written_and_waits_is_not_written_again() -> None:
    tickets = Tickets()
    cancelled = Cancellation(CAUSE, ((A, DONE),))
    tickets.failed(tickets.persist(outcome(), ()).ticket, "full", 0.0)
    [again] = tickets.write_again()
    behind = tickets.persist(cancelled, ())
    tickets.failed(again.ticket, "full", 1.0)
    assert tickets.persisted(behind.ticket) == []
    assert tickets.unwritten == 2
    [again] = tickets.write_again()
    assert tickets.persisted(again.ticket) == [outcome(), cancelled]
    assert tickets.unwritten == 0


def test_a_cancellation_that_has_nothing_to_change_waits_for_what_it_rests_on() -> None:
    """Others had said that the element was done; a full disk had refused that, and the cancellation was confirmed."""
    tickets, cancelled = Tickets(), Cancellation(CAUSE, (), (A,))
    tickets.failed(tickets.persist(LEARNT, ()).ticket, "full", 0.0)
    assert tickets.persisted(tickets.persist(cancelled, ()).ticket) == []
    [again] = tickets.write_again()
    assert tickets.persisted(again.ticket) == [LEARNT, cancelled]


def test_what_waits_behind_two_waits_for_the_last_of_them() -> None:
    tickets = Tickets()
    both = Cancellation(CAUSE, ((A, DONE), (B, DONE)))
    refused = [tickets.persist(change, ()).ticket for change in (outcome(), Outcome(B, DONE))]
    for ticket in refused:
        tickets.failed(ticket, "full", 0.0)
    behind, last = tickets.persist(both, ()), tickets.persist(outcome(1), ())
    assert tickets.persisted(last.ticket) == []
    of_a, of_b = tickets.write_again()
    assert tickets.persisted(of_a.ticket) == [outcome()]
    tickets.failed(of_b.ticket, "full", 1.0)
    assert behind.ticket < of_b.ticket
    [of_b] = tickets.write_again()
    assert tickets.persisted(of_b.ticket) == [Outcome(B, DONE), both, outcome(1)]


def test_a_refused_change_that_is_written_again_waits_behind_an_earlier_one_only() -> None:
    tickets = Tickets()
    for number in range(3):
        tickets.failed(tickets.persist(outcome(number), ()).ticket, "full", 0.0)
    first, second, third = tickets.write_again()
    tickets.failed(first.ticket, "full", 1.0)
    assert tickets.persisted(second.ticket) == []
    tickets.failed(third.ticket, "full", 1.0)
    again, last = tickets.write_again()
    assert tickets.persisted(again.ticket) == [outcome(0), outcome(1)]
    assert tickets.persisted(last.ticket) == [outcome(2)]


def test_a_refusal_costs_one_write_more_however_much_waits_behind_it() -> None:
    """A disk that refuses every twentieth ticket once led to backlogs that were written again and again, whole."""
    tickets, luck = Tickets(), Random(1)
    handed_in, applied = [tickets.persist(outcome(number), ()) for number in range(1000)], list[Change]()
    writes = 0
    while handed_in:
        for persist in handed_in:
            writes += 1
            if luck.random() < 0.05:
                tickets.failed(persist.ticket, "full", 0.0)
            else:
                applied += tickets.persisted(persist.ticket)
        handed_in = tickets.write_again()
    assert applied == [outcome(number) for number in range(1000)]
    assert writes < 1100


@pytest.mark.parametrize("seed", range(20))
def test_changes_about_the_same_are_applied_in_the_order_in_which_they_came(seed: int) -> None:
    tickets, luck = Tickets(), Random(seed)
    tasks = [task_id(RUN, "a"), task_id(OTHER_RUN, "b"), task_id(RunId("7-mumumu"), "c")]
    queue: list[Persist] = []
    applied, changes = list[Change](), list[Note]()
    while len(changes) < 200 or queue:
        if len(changes) < 200 and luck.random() < 0.5:
            changes.append(Note(tuple(luck.sample(tasks, luck.randint(1, 2)))))
            queue.append(tickets.persist(changes[-1], (RunFinished(RUN, Stamp(len(changes), 0, ASH), "", {}, 0),)))
        elif queue and luck.random() < 0.3:
            tickets.failed(queue.pop(0).ticket, "full", 0.0)
        elif queue:
            applied += tickets.persisted(queue.pop(0).ticket)
        if not queue or luck.random() < 0.1:
            queue += tickets.write_again()
    for name in tasks:
        came = [id(change) for change in changes if name in change.tasks]
        assert [id(change) for change in applied if isinstance(change, Note) and name in change.tasks] == came
    assert len(applied) == len(changes)


def test_the_number_of_lives_counts_when_it_is_flushed_and_is_written_until_it_is() -> None:
    tickets = Tickets()
    assert not tickets.persist(outcome(), ()).flushed
    noted = tickets.persist(LivesNoted(8), ())
    assert noted.flushed
    tickets.persisted(noted.ticket - 1)
    assert tickets.failed(noted.ticket, "full", 10.0) is None
    [again] = tickets.write_again()
    assert again.flushed
    assert tickets.persisted(again.ticket) == [LivesNoted(8)]


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
