"""Messages become events; no element is answered twice."""

import msgspec

from roost.core.events import ElementFailed, ElementsDone, ElementsReturned, Progressed
from roost.executors.leases import OpenLeases
from roost.executors.worker.messages import Done, Failed, Progress, Returned
from roost.model.ids import BlobHash
from roost.model.ranges import RangeSet
from roost.model.segments import pack
from roost.model.task import Agreement, Command, Failure, Function
from roost.wire.values import CommandResult, encode_command_result, what_matters
from tests.executors.lab import Answer, Orders

BAD = Failure("bad")


def make() -> tuple[OpenLeases, list[Answer], int]:
    order = Orders().make(Command(("true",)), 5, lane=3)
    reported: list[Answer] = []
    leases = OpenLeases(reported.append)
    leases.add(order)
    return leases, reported, order.lease


def test_a_lease_is_open_until_all_of_it_is_answered() -> None:
    leases, _, lease = make()
    assert lease in leases
    assert leases.lanes == {3}
    leases.give_back(lease, RangeSet.span(0, 4))
    assert [entry.open for entry in leases] == [RangeSet.span(4, 5)]
    leases.fail(lease, 4, BAD)
    assert not leases
    assert lease not in leases
    assert leases.get(lease) is None


def test_messages_are_reported_as_events() -> None:
    leases, reported, lease = make()
    segments = (pack(0, [b"x"]),)
    leases.pass_on(Progress(lease, 1, 0.5, "half"))
    leases.pass_on(Done(lease, segments, 0.25))
    leases.pass_on(Failed(lease, 1, BAD))
    leases.pass_on(Returned(lease, RangeSet.span(2, 4)))
    assert reported == [
        Progressed(lease, 1, 0.5, "half"),
        ElementsDone(lease, segments, 0.25),
        ElementFailed(lease, 1, BAD),
        ElementsReturned(lease, RangeSet.span(2, 4)),
    ]


def test_of_commands_whose_results_have_to_agree_it_is_said_what_matters_about_them() -> None:
    results = [CommandResult(b"42\n", b"took 3 ms", duration_s=seconds, peak_memory_bytes=9) for seconds in (0.1, 0.2)]
    said = []
    for agreement, work, values in (
        (Agreement(2, 3), Command(("true",)), [encode_command_result(result) for result in results]),
        (None, Command(("true",)), [encode_command_result(results[0])]),
        (Agreement(2, 3), Function(BlobHash("c"), "3.11"), [b"x"]),
        (Agreement(2, 3), Command(("true",)), [b"no result"]),
    ):
        order = Orders().make(work, 2)
        order = msgspec.structs.replace(order, spec=msgspec.structs.replace(order.spec, agreement=agreement))
        reported: list[Answer] = []
        leases = OpenLeases(reported.append)
        leases.add(order)
        leases.pass_on(Done(order.lease, (pack(0, values),), 0.25))
        [done] = reported
        assert isinstance(done, ElementsDone)
        said.append([value for segment in done.compared for value in segment.values()])
    matters = what_matters(encode_command_result(results[0]))
    assert said == [[matters, matters], [], [], []]


def test_what_is_answered_already_is_not_reported_again() -> None:
    leases, reported, lease = make()
    leases.fail(lease, 1, BAD)
    leases.give_back(lease, RangeSet.span(1, 2))
    leases.fail(lease, 1, BAD)
    leases.pass_on(Progress(lease, 1, 0.5, ""))
    leases.give_back(lease, RangeSet.span(0, 3))
    assert reported == [ElementFailed(lease, 1, BAD), ElementsReturned(lease, RangeSet.parse("0,2"))]


def test_all_that_is_open_can_be_given_back_or_failed() -> None:
    leases, reported, lease = make()
    leases.fail(lease, 4, BAD)
    leases.give_back_all()
    assert reported[1:] == [ElementsReturned(lease, RangeSet.span(0, 4))]
    leases, reported, lease = make()
    leases.fail_all(BAD)
    assert reported == [ElementFailed(lease, index, BAD) for index in range(5)]
