"""Messages become events; no element is answered twice."""

from roost.core.events import ElementFailed, ElementsDone, ElementsReturned, Progressed
from roost.executors.element_reports import Answers
from roost.executors.leases import Ledger, OpenLease
from roost.executors.worker.messages import Done, Failed, Progress, Returned
from roost.model.ranges import RangeSet
from roost.model.segments import pack
from roost.model.task import Command, Failure
from tests.executors.lab import Answer, Orders

BAD = Failure("bad")


def make() -> tuple[Answers, list[Answer], int]:
    order = Orders().make(Command(("true",)), 5)
    ledger = Ledger()
    ledger.add(OpenLease(order))
    reported: list[Answer] = []
    return Answers(ledger, reported.append), reported, order.lease


def test_messages_are_reported_as_events() -> None:
    answers, reported, lease = make()
    segments = (pack(0, [b"x"]),)
    answers.pass_on(Progress(lease, 1, 0.5, "half"))
    answers.pass_on(Done(lease, segments, 0.25))
    answers.pass_on(Failed(lease, 1, BAD))
    answers.pass_on(Returned(lease, (2, 4)))
    assert reported == [
        Progressed(lease, 1, 0.5, "half"),
        ElementsDone(lease, segments, 0.25),
        ElementFailed(lease, 1, BAD),
        ElementsReturned(lease, RangeSet.span(2, 4)),
    ]


def test_what_is_answered_already_is_not_reported_again() -> None:
    answers, reported, lease = make()
    answers.fail(lease, 1, BAD)
    answers.give_back(lease, RangeSet.span(1, 2))
    answers.fail(lease, 1, BAD)
    answers.pass_on(Progress(lease, 1, 0.5, ""))
    answers.give_back(lease, RangeSet.span(0, 3))
    assert reported == [ElementFailed(lease, 1, BAD), ElementsReturned(lease, RangeSet.parse("0,2"))]


def test_all_that_is_open_can_be_given_back_or_failed() -> None:
    answers, reported, lease = make()
    answers.fail(lease, 4, BAD)
    answers.give_back_all()
    assert reported[1:] == [ElementsReturned(lease, RangeSet.span(0, 4))]
    answers, reported, lease = make()
    answers.fail_all(BAD)
    assert reported == [ElementFailed(lease, index, BAD) for index in range(5)]
