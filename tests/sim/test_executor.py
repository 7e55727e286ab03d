"""The simulated executor keeps the promises of the port."""

from random import Random

import pytest

from roost.core.actions import Start, StopMode
from roost.core.events import ElementFailed, ElementsDone, ElementsReturned, Event
from roost.model.ids import LeaseId, NodeId
from roost.model.task import Agreement, Command, TaskSpec
from roost.sim.executor import SLOWNESS, TIME_LIMIT_S, Mishaps, SimExecutor, length_s
from roost.sim.liars import result_of, wrong_result
from tests.core.harness import ranges, task
from tests.tokens import attempt

A = task("a", 100)


class Clockwork:
    """An executor whose events come when the test lets time pass."""

    def __init__(self, **mishaps: float) -> None:
        self.executor = SimExecutor(Random(1), Mishaps(**mishaps), self._later)
        self.now = 0.0
        self.waiting: list[tuple[float, int, Event]] = []

    def _later(self, delay: float, event: Event) -> None:
        self.waiting.append((self.now + delay, len(self.waiting), event))

    def start(self, lease: int, elements: str, lane: int = 1) -> None:
        self.executor.start(Start(LeaseId(lease), lane, A, ranges(elements), attempt(1)))

    def answers(self) -> list[str]:
        """Let everything happen that is due; return the answers in short words."""
        told = []
        while self.waiting:
            self.waiting.sort()
            self.now, _, event = self.waiting.pop(0)
            if self.executor.intercept(event):
                told.append(in_words(event))
        return told


def in_words(event: Event) -> str:
    match event:
        case ElementsDone(lease=lease, segments=(segment,)):
            return f"{lease} done {segment.start}"
        case ElementFailed(lease=lease, index=index):
            return f"{lease} failed {index}"
        case ElementsReturned(lease=lease, ranges=members):
            return f"{lease} returned {members}"
    raise AssertionError(event)


def test_a_lease_runs_element_by_element_in_the_order_of_the_indices() -> None:
    clockwork = Clockwork()
    clockwork.start(1, "3,5-6")
    assert clockwork.answers() == ["1 done 3", "1 done 5", "1 done 6"]


def test_leases_of_one_lane_run_one_after_the_other() -> None:
    clockwork = Clockwork()
    clockwork.start(1, "0-1")
    clockwork.start(2, "2-3")
    assert clockwork.answers() == ["1 done 0", "1 done 1", "2 done 2", "2 done 3"]


def test_a_result_is_a_function_of_the_element() -> None:
    clockwork = Clockwork()
    clockwork.start(1, "7")
    [(_, _, event)] = clockwork.waiting
    assert event.segments[0].values() == [result_of(A.id, 7)] == [b"1-bababa/a[7]"]


def test_a_lease_gives_back_what_has_not_begun_and_goes_on_with_what_has() -> None:
    clockwork = Clockwork()
    clockwork.start(1, "0-3")
    clockwork.executor.stop(LeaseId(1), ranges("0-3"), StopMode.UNSTARTED)
    assert sorted(clockwork.answers()) == ["1 done 0", "1 returned 1-3"]


def test_a_killed_element_comes_back_and_is_never_done() -> None:
    clockwork = Clockwork()
    clockwork.start(1, "0-3")
    clockwork.executor.stop(LeaseId(1), ranges("0-1"), StopMode.KILL)
    assert clockwork.answers() == ["1 returned 0-1", "1 done 2", "1 done 3"]


def test_the_next_lease_begins_when_the_one_before_it_was_killed_whole() -> None:
    clockwork = Clockwork()
    clockwork.start(1, "0")
    clockwork.start(2, "1")
    clockwork.executor.stop(LeaseId(1), ranges("0"), StopMode.KILL)
    assert clockwork.answers() == ["1 returned 0", "2 done 1"]


def test_a_lease_that_only_waited_and_was_given_back_whole_is_skipped() -> None:
    clockwork = Clockwork()
    for lease in (1, 2, 3):
        clockwork.start(lease, str(lease))
    clockwork.executor.stop(LeaseId(2), ranges("2"), StopMode.UNSTARTED)
    assert sorted(clockwork.answers()) == ["1 done 1", "2 returned 2", "3 done 3"]


def test_a_lease_that_is_over_has_nothing_to_stop() -> None:
    clockwork = Clockwork()
    clockwork.executor.stop(LeaseId(9), ranges("0"), StopMode.KILL)
    clockwork.executor.pause(LeaseId(9))
    assert clockwork.answers() == []


def test_a_frozen_element_is_done_when_it_may_go_on() -> None:
    clockwork = Clockwork()
    clockwork.start(1, "0")
    clockwork.executor.pause(LeaseId(1))
    assert clockwork.answers() == []
    clockwork.executor.resume(LeaseId(1))
    assert clockwork.answers() == ["1 done 0"]


def test_a_failing_element_costs_itself_only() -> None:
    clockwork = Clockwork(fail=1.0)
    clockwork.start(1, "0-1")
    assert clockwork.answers() == ["1 failed 0", "1 failed 1"]


def test_a_crash_fails_its_element_and_gives_the_others_back() -> None:
    clockwork = Clockwork(crash=1.0)
    clockwork.start(1, "0-3")
    assert sorted(clockwork.answers()) == ["1 failed 0", "1 returned 1-3"]


def test_an_element_that_hangs_fails_at_its_time_limit() -> None:
    clockwork = Clockwork(hang=1.0)
    clockwork.start(1, "0")
    assert clockwork.answers() == ["1 failed 0"]
    assert clockwork.now == TIME_LIMIT_S
    clockwork.executor.may_hang = False
    clockwork.start(2, "1")
    assert clockwork.answers() == ["2 done 1"]


def test_a_slow_element_takes_longer_and_is_done() -> None:
    quick, slow = Clockwork(), Clockwork(slow=1.0)
    for clockwork in (quick, slow):
        clockwork.start(1, "0-4")
        assert len(clockwork.answers()) == 5
    assert slow.now == pytest.approx(SLOWNESS * quick.now)


@pytest.mark.parametrize("seed", range(20))
def test_every_element_is_answered_exactly_once_whatever_is_asked(seed: int) -> None:
    rng, clockwork = Random(seed), Clockwork(fail=0.2, crash=0.2)
    told: list[str] = []
    for lease in range(1, 6):
        clockwork.start(lease, f"{lease * 10}-{lease * 10 + 4}", lane=lease % 2)
        asked = LeaseId(rng.randint(1, lease))
        mode = rng.choice(list(StopMode))
        clockwork.executor.stop(asked, ranges(f"{asked * 10 + 1}-{asked * 10 + 3}"), mode)
        clockwork.executor.pause(asked)
        clockwork.executor.resume(asked)
        if rng.random() < 0.5:
            told += clockwork.answers()
    told += clockwork.answers()
    elements = [index for line in told for index in ranges(line.split()[2])]
    assert sorted(elements) == [lease * 10 + at for lease in range(1, 6) for at in range(5)]


def test_results_may_be_made_of_what_arrives_when_a_lease_starts() -> None:
    told: list[Event] = []
    mapper = task("a", 3, is_mapped=True)
    executor = SimExecutor(
        Random(1), Mishaps(), lambda _, event: told.append(event), lambda start: {1: (b"%d" % start.token.attempt, 4)}
    )
    executor.start(Start(LeaseId(1), 1, mapper, ranges("1"), attempt(7)))
    (event,) = told
    assert isinstance(event, ElementsDone)
    assert (event.segments[0].values(), event.lengths) == ([b"7"], ((1, 4),))


def results(spec: TaskSpec, node: str, **mishaps: float) -> list[ElementsDone]:
    """Return what a machine gives for a task's elements."""
    told: list[Event] = []
    executor = SimExecutor(Random(1), Mishaps(**mishaps), lambda _, event: told.append(event), node=NodeId(node))
    for index in spec.elements:
        one = ranges(str(index))
        executor.start(Start(LeaseId(index), index, spec, one, attempt(1)))
    return [event for event in told if isinstance(event, ElementsDone)]


def made(spec: TaskSpec, node: str, **mishaps: float) -> list[bytes]:
    return [value for done in results(spec, node, **mishaps) for segment in done.segments for value in segment.values()]


def test_some_machines_give_wrong_results_each_in_its_own_way() -> None:
    right = [result_of(A.id, index) for index in A.elements]
    assert made(A, "ash") == right
    assert made(A, "ash", wrong=1.0) == [wrong_result(value, NodeId("ash")) for value in right]
    assert set(made(A, "ash", wrong=1.0)).isdisjoint(made(A, "elm", wrong=1.0))
    assert 0 < sum(value in right for value in made(A, "ash", wrong=0.5)) < len(right)


def compared(spec: TaskSpec, **mishaps: float) -> set[bytes]:
    """Return what executors say matters about results, of all that do."""
    said = [segment for done in results(spec, "ash", **mishaps) for segment in done.compared]
    return {value for segment in said for value in segment.values()}


def test_where_attempts_differ_executors_say_what_matters_about_a_result() -> None:
    agreement = Agreement(2, 3)
    specs = [task(name, 2, agreement=agreement) for name in ("a", "b", "c", "d", "e", "f")]
    for spec in specs:
        assert compared(spec, fickle=True) == {result_of(spec.id, 0), result_of(spec.id, 1)}
        assert compared(spec, fickle=True, wrong=1.0).isdisjoint(compared(spec, fickle=True))
    assert {bool(compared(spec)) for spec in specs} == {True, False}, "elsewhere some do"
    assert compared(task("a", 2), fickle=True) == set(), "nobody compares what need not agree"


def sleeping(seconds: str) -> TaskSpec:
    return task("a", 1000, work=Command(("sleep", seconds)))


def test_a_command_that_sleeps_takes_its_time() -> None:
    clockwork = Clockwork()
    clockwork.executor.start(Start(LeaseId(1), 1, sleeping("120"), ranges("0-1"), attempt(1)))
    assert clockwork.answers() == ["1 done 0", "1 done 1"]
    assert clockwork.now == 240.0
    assert clockwork.executor.begun == 2
    assert length_s(sleeping("0.5")) == 0.5
    assert length_s(A) is None


def test_short_elements_are_told_of_together() -> None:
    """As by executors/worker/outbox.py."""
    clockwork = Clockwork()
    clockwork.executor.start(Start(LeaseId(1), 1, sleeping("0.01"), ranges("0-9"), attempt(1)))
    told = [event for _, _, event in clockwork.waiting]
    assert [event.segments[0].ranges for event in told if isinstance(event, ElementsDone)] == [ranges("0-3")]
    assert clockwork.answers() == ["1 done 0", "1 done 4", "1 done 8"]
    assert clockwork.now == pytest.approx(0.1)
    assert clockwork.executor.begun == 10


def test_of_elements_that_are_told_of_together_those_go_on_that_were_not_stopped() -> None:
    clockwork = Clockwork()
    clockwork.executor.start(Start(LeaseId(1), 1, sleeping("0.01"), ranges("0-3"), attempt(1)))
    clockwork.now = 0.02
    clockwork.executor.stop(LeaseId(1), ranges("3"), StopMode.KILL)
    # What was on its way names the one that was stopped, and is void.
    assert clockwork.answers() == ["1 returned 3", "1 done 0"]
    assert clockwork.now == pytest.approx(0.05)
