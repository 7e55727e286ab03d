"""What counts of what executors say: one answer for each element that is owed, and no nonsense."""

from math import inf, nan

import pytest

from roost.core.events import ElementFailed, ElementsDone, ElementsReturned, Progressed
from roost.core.executor_reports import further, is_duration, what_counts
from roost.core.queue.leases import Lease
from roost.model.ids import LeaseId, task_id
from roost.model.segments import Segment, pack
from roost.model.task import Failure
from tests.core.harness import OTHER_RUN, RUN, Bench, ranges, task
from tests.stored_results import stored_results
from tests.tokens import attempt

L1 = LeaseId(1)
NO = Failure("exit code 1")


def lease(owes: str) -> Lease:
    return Lease(L1, task("a", 20), 1, ranges(owes), attempt(1), 0.0)


def done(*segments: Segment, busy_s: float = 1.0) -> ElementsDone:
    return ElementsDone(L1, segments, busy_s)


def values(start: int, count: int) -> Segment:
    return pack(start, [b"%d" % index for index in range(start, start + count)])


def test_an_answer_for_what_is_owed_counts_as_it_is() -> None:
    for answer in (done(values(0, 3), values(5, 1)), ElementFailed(L1, 2, NO), ElementsReturned(L1, ranges("0,5"))):
        assert what_counts(lease("0-5"), answer) == answer


@pytest.mark.parametrize(
    "answer", [done(values(3, 1)), done(), ElementFailed(L1, 3, NO), ElementsReturned(L1, ranges("3-4"))]
)
def test_an_answer_for_what_is_not_owed_counts_for_nothing(answer: ElementsDone) -> None:
    assert what_counts(lease("0-2,5"), answer) is None


def test_of_an_answer_that_is_half_true_half_counts() -> None:
    assert what_counts(lease("1-2,5"), done(values(0, 4))) == done(values(1, 2), busy_s=0.5)
    assert what_counts(lease("1-2"), ElementsReturned(L1, ranges("0-9"))) == ElementsReturned(L1, ranges("1-2"))


def test_an_element_that_one_answer_names_twice_counts_once() -> None:
    assert what_counts(lease("0-1"), done(values(0, 1), pack(0, [b"other"]))) == done(values(0, 1), busy_s=0.5)


def test_a_segment_that_cannot_be_cut_does_not_count() -> None:
    torn = Segment(0, 3, b"nonsense")
    assert what_counts(lease("1-2,5"), done(torn, values(5, 1))) == done(values(5, 1), busy_s=0.25)


def test_durations_are_times() -> None:
    assert [is_duration(seconds) for seconds in (0.0, 3.0, -1.0, nan, inf)] == [True, True, False, False, False]


@pytest.mark.parametrize(
    ("before", "said", "now"),
    [(0.0, 0.5, 0.5), (0.5, 0.2, 0.5), (0.5, 7.0, 1.0), (0.5, -3.0, 0.5), (0.5, nan, 0.5), (0.0, -inf, 0.0)],
)
def test_progress_is_between_nothing_and_all_and_never_falls(before: float, said: float, now: float) -> None:
    assert further(before, said) == now


# The same, as a node does it.


def test_a_second_result_changes_nothing() -> None:
    bench = Bench(task("a", 2), cpus=2)
    bench.feed(done(pack(0, [b"first"])))
    bench.feed(done(pack(0, [b"second"])))
    assert bench.states("a") == {"running": "1", "done": "0"}
    assert [value for _, value in stored_results(bench.disk, task_id(RUN, "a"), 0)] == [b"first"]


def test_a_result_after_a_lease_was_stopped_and_given_back_changes_nothing() -> None:
    bench = Bench(task("a", 1), task("stay", 1), cpus=2)
    bench.cancel(a="0")
    bench.give_back("a", "0")
    bench.feed(done(pack(0, [b"late"])))
    assert bench.states("a") == {"cancelled": "0"}
    assert stored_results(bench.disk, task_id(RUN, "a"), 0) == []


def test_a_result_under_a_lease_that_was_superseded_changes_nothing() -> None:
    bench = Bench(task("a", 1), cpus=1)
    bench.give_back("a", "0")
    assert bench.starts() == ["a[0]"]
    bench.feed(done(pack(0, [b"old"])))
    assert bench.states("a") == {"running": "0"}
    bench.feed(ElementsDone(LeaseId(2), (pack(0, [b"new"]),), 0.1))
    assert len(stored_results(bench.disk, task_id(RUN, "a"), 0)) == 1


def test_a_result_of_an_element_of_another_lease_changes_nothing() -> None:
    bench = Bench(task("a", 2), cpus=2)
    bench.feed(done(pack(1, [b"not mine"])))
    bench.feed(done(pack(99, [b"nobody's"])))
    assert bench.states("a") == {"running": "0-1"}


def test_a_failure_of_what_is_done_changes_nothing() -> None:
    bench = Bench(task("a", 2), cpus=1)
    bench.done("a", "0")
    for event in (ElementFailed(L1, 0, NO), ElementsReturned(L1, ranges("0-1"))):
        bench.feed(event)
    assert bench.states("a")["done"] == "0"


def test_a_duration_that_is_none_teaches_nothing() -> None:
    bench = Bench(task("a", 1), task("stay", 1), cpus=2)
    bench.feed(done(pack(0, [b"x"]), busy_s=nan))
    assert bench.states("a") == {"done": "0"}
    assert bench.node.queue.scheduler.mean_s(task("a")) is None
    bench.submit(task("b", 3, run=OTHER_RUN))
    assert bench.starts() == ["b[0]"]


def test_people_are_told_progress_that_can_be() -> None:
    bench = Bench(task("a", 1), cpus=1)
    for fraction in (0.5, nan, -1.0, 0.2, 9.0):
        bench.feed(Progressed(L1, 0, fraction))
    assert bench.seen() == [f"tell a[0] at {shown}" for shown in ("0.5", "0.5", "0.5", "0.5", "1")]
