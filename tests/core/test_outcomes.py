"""What becomes of elements that an executor has answered for."""

import pytest

from roost.core.events import ElementsDone
from roost.core.facts import KeysNoted, ResultsStored, StoryTold, Worked
from roost.core.tickets import Outcome, Proposed, ResultOffer
from roost.model.happenings import DoneOn, ReusedFrom, TakenOver
from roost.model.ids import TaskId
from roost.model.ranges import RangeSet
from roost.model.segments import pack
from tests.core.company import WINDOW_S, Company
from tests.core.harness import OTHER_RUN, Bench, ranges, task

EARLIER = ReusedFrom(TaskId("1-bababa/b"), RangeSet.span(0, 1))


def changes(bench: Bench) -> list[type]:
    """Return what waits for the disk."""
    return [type(entry.change) for entry in bench.node.tickets._waiting.values()]


def test_alone_a_result_is_accepted_by_this_disk() -> None:
    bench = Bench(task("a"))
    bench.slow_disk = True
    bench.done("a")
    assert changes(bench) == [Outcome]
    bench.write_all()
    assert "tell a[0] done" in bench.seen()


def test_in_company_it_is_offered_to_another_node() -> None:
    company = Company("ash", "elm", no_room=["elm"])
    company["ash"].submit(task("a"))
    company.wait(WINDOW_S)
    company["ash"].slow_disk = True
    company["ash"].done("a")
    assert changes(company["ash"]) == [ResultOffer]


def test_results_are_written_with_their_keys_and_the_story_says_from_where_they_were_taken() -> None:
    bench = Bench(task("a", 2), cpus=2)
    bench.slow_disk = True
    (one, other), result, key = list(bench.node.queue.leases.active), pack(0, [b"r"]), pack(0, [b"k"])
    bench.feed(ElementsDone(one, (result,), 0.0, keys=(key,)))
    bench.feed(ElementsDone(other, (pack(1, [b"s"]),), 0.0, reused_from=EARLIER))
    facts = [fact for entry in bench.node.tickets._waiting.values() for fact in entry.facts]
    assert [fact.segment for fact in facts if isinstance(fact, ResultsStored | KeysNoted)][:2] == [result, key]
    told = [fact.what for fact in facts if isinstance(fact, StoryTold)]
    assert told == [DoneOn(bench.node.name), TakenOver(bench.node.name, EARLIER)]
    assert len([fact for fact in facts if isinstance(fact, Worked)]) == 1


def test_a_result_of_what_its_lease_has_left_to_another_node_is_not_kept() -> None:
    """The lease goes on under a token that it has never had for that element."""
    bench = Bench(task("a"))
    (lease,) = bench.node.queue.leases.active.values()
    lease.left = ranges("0")
    bench.slow_disk = True
    bench.feed(ElementsDone(lease.name, (pack(0, [b"late"]),), 0.0))
    facts = [fact for entry in bench.node.tickets._waiting.values() for fact in entry.facts]
    assert not [fact for fact in facts if isinstance(fact, ResultsStored)]
    assert bench.node.queue.leases.active.keys() != {lease.name}, "it is ready again, and leased anew"


def test_of_results_that_come_together_those_that_are_not_too_late_are_kept() -> None:
    bench = Bench(task("a"), cpus=1)
    bench.done("a", each_s=0.0001)
    bench.submit(task("b", 100, run=OTHER_RUN))
    bench.done("b", "0", each_s=0.0001, run=OTHER_RUN)
    lease = next(iter(bench.node.queue.leases.active.values()))
    first = lease.outstanding.first
    lease.left = lease.outstanding.take(1)
    bench.slow_disk = True
    bench.feed(ElementsDone(lease.name, (pack(first, [b"late", b"good"]),), 0.0))
    facts = [fact for entry in bench.node.tickets._waiting.values() for fact in entry.facts]
    assert [fact.segment for fact in facts if isinstance(fact, ResultsStored)] == [pack(first + 1, [b"good"])]


def test_with_a_quorum_it_is_proposed_alone_or_not() -> None:
    bench = Bench()
    bench.submit(task("a"), quorum=True)
    bench.slow_disk = True
    bench.done("a")
    assert changes(bench) == [Proposed]


def test_results_of_two_editions_are_proposed_apart() -> None:
    bench = Bench(cpus=1)
    bench.submit(task("a", 2), quorum=True, stays_open=True)
    bench.finish_all()
    bench.send_back(a="1")
    bench.finish_all()
    assert bench.states("a") == {"done": "0-1"}


def test_a_failure_is_noted_and_told_and_what_is_given_back_is_ready_again() -> None:
    bench = Bench(task("a", 2), cpus=2)
    bench.fail("a", 0)
    assert "tell a[0] failed" in bench.seen()
    bench.give_back("a", "1")
    assert "start a[1]" in bench.seen()


def test_what_was_taken_over_teaches_nothing_of_lengths() -> None:
    bench = Bench(task("a", 3, stated_s=100.0), cpus=2)
    first, second = bench.node.queue.leases.active
    bench.feed(ElementsDone(first, (pack(0, [b"r"]),), 0.5, reused_from=EARLIER))
    new = task("b", stated_s=100.0)
    assert bench.node.queue.scheduler.length_s(new) == 100.0
    bench.feed(ElementsDone(second, (pack(1, [b"r"]),), 0.5))
    assert bench.node.queue.scheduler.length_s(new) == pytest.approx(100 * 0.005 ** (1 / 5))
