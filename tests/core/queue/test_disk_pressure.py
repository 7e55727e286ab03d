"""What finds no room waits and is tried again after growing pauses; nothing fails, and other work goes on."""

import pytest

from roost.core.queue.disk_pressure import REST_S, TRIED_AFTER_ONE, DiskPressure
from roost.core.tickets import RETRY_AFTER_S, RETRY_AFTER_S_MAX
from roost.model.happenings import GivenBackBy
from roost.model.ids import TaskId, name_of, task_id
from roost.model.ranges import ONE, RangeSet
from roost.model.task import Priority
from tests.core.company import Company
from tests.core.harness import OTHER_RUN, RUN, Bench, ranges, task

WHY = "its files could not be kept: No space left on device"
A, B, C, D = (task_id(RUN, name) for name in "abcd")


def has_work(_: TaskId) -> bool:
    return True


def released(pressure: DiskPressure) -> tuple[float, list[TaskId]]:
    """Wait for what is tried next; return when that is, and what."""
    at = pressure.next_deadline()
    assert at is not None
    assert pressure.tick(at - 0.1, has_work) == []
    return at, pressure.tick(at, has_work)


def test_pauses_double_while_it_lasts_and_begin_anew_when_there_was_room() -> None:
    pressure, now, pauses = DiskPressure(), 100.0, []
    for _ in range(8):
        pressure.met(A, ONE, WHY, now)
        pressure.met(A, ONE, WHY, now)
        assert pressure.allowed(A, ONE) == RangeSet()
        until, tried = released(pressure)
        assert tried == [A]
        assert pressure.allowed(A, ONE) == ONE
        assert (pressure.why, pressure.next_deadline()) == (None, None)
        pauses.append(until - now)
        now = until
    assert pauses == [1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0, 30.0]
    pressure.found_room(A, ONE, now, has_work)
    pressure.met(A, ONE, WHY, now)
    assert pressure.next_deadline() == now + RETRY_AFTER_S


def test_only_what_finds_no_room_for_the_first_time_stops_others() -> None:
    pressure = DiskPressure()
    pressure.met(A, ONE, WHY, 100.0)
    assert pressure.why == WHY
    now, _ = released(pressure)
    assert (now, pressure.why) == (100.0 + REST_S, None)
    pressure.met(A, ONE, WHY, now)
    assert pressure.why is None
    assert pressure.allowed(B, ONE) == ONE


def test_however_many_are_held_they_are_tried_one_after_the_other() -> None:
    pressure, now = DiskPressure(), 100.0
    for name in (A, B, C):
        pressure.met(name, ONE, WHY, now)
    order = []
    for _ in range(6):
        now, tried = released(pressure)
        order += tried
        for name in tried:
            pressure.met(name, ONE, WHY, now)
    assert order == [A, B, C, A, B, C]


def test_what_came_back_once_is_tried_before_what_did_so_often() -> None:
    pressure = DiskPressure()
    pressure.met(A, ONE, WHY, 100.0)
    for _ in range(6):
        now, _ = released(pressure)
        pressure.met(A, ONE, WHY, now)
    pressure.met(B, ONE, WHY, now)
    assert released(pressure) == (now + RETRY_AFTER_S, [B])


def test_what_comes_back_again_does_not_delay_what_did_so_once() -> None:
    pressure = DiskPressure()
    for name in (A, B, C):
        pressure.met(name, ONE, WHY, 100.0)
    times = []
    for _ in range(3):
        now, (name,) = released(pressure)
        pressure.met(name, ONE, WHY, now)
        times.append(now)
    assert times == [100.0 + RETRY_AFTER_S * number for number in (1, 2, 3)]


def test_one_that_finds_room_lets_others_be_tried() -> None:
    pressure = DiskPressure()
    for name in (A, B, C, D):
        pressure.met(name, ONE, WHY, 100.0)
    now, tried = released(pressure)
    assert tried == [A]
    assert pressure.found_room(A, ONE, now, has_work) == [B, C][:TRIED_AFTER_ONE]
    assert pressure.found_room(A, ONE, now, has_work) == []


def test_what_has_nothing_to_start_any_more_is_passed_over() -> None:
    pressure = DiskPressure()
    for name in (A, B):
        pressure.met(name, ONE, WHY, 100.0)
    assert pressure.tick(101.0, lambda name: name == B) == [B]
    assert pressure.next_deadline() is None


def test_what_is_forgotten_is_held_no_longer() -> None:
    pressure = DiskPressure()
    pressure.met(A, ONE, WHY, 100.0)
    pressure.forget(A)
    pressure.tick(100.0 + REST_S, has_work)
    assert (pressure.allowed(A, ONE), pressure.next_deadline()) == (ONE, None)


def test_each_element_of_a_task_has_its_turn() -> None:
    pressure, now, ready = DiskPressure(), 100.0, ranges("0-2")
    turns = []
    for _ in range(6):
        first = pressure.allowed(A, ready).take(1)
        turns.append(first.first)
        pressure.met(A, first, WHY, now)
        now, _ = released(pressure)
    assert turns == [0, 1, 2, 0, 1, 2]


def test_a_task_of_which_some_find_room_does_not_wait_longer_for_one_more_that_finds_none() -> None:
    pressure = DiskPressure()
    pressure.met(B, ONE, WHY, 100.0)
    pressure.met(A, ranges("0"), WHY, 100.0)
    for element in ("2", "4", "6"):
        now = 100.0
        while pressure.allowed(A, ranges(element)) == RangeSet():
            now, tried = released(pressure)
            if B in tried:
                pressure.met(B, ONE, WHY, now)
        pressure.found_room(A, ranges("1"), now, has_work)
        pressure.met(A, ranges(element), WHY, now)
        assert released(pressure) == (now + RETRY_AFTER_S, [A])


def test_what_found_no_room_waits_with_that_reason_and_uses_up_no_attempt() -> None:
    bench = Bench(task("a"), cpus=1)
    for pause_s in ("1.0 s", "2.0 s", "4.0 s", "8.0 s", "16.0 s", "30.0 s", "30.0 s"):
        bench.give_back("a", "0", no_room=WHY)
        assert bench.starts() == []
        assert bench.states("a") == {"ready": "0"}
        assert bench.node.explanations.explain(A, 0) == [
            f"element 0: ready: it found no room on the disk of this node ({WHY}), and is tried again within {pause_s}"
        ]
        bench.wait(RETRY_AFTER_S_MAX)
        assert bench.starts() == ["a[0]"]
    bench.finish_all()
    assert bench.disk.ends[RUN].counts == {"done": 1}
    assert bench.node.next_deadline() is None


def test_other_work_is_told_why_it_waits_for_a_moment() -> None:
    bench = Bench(task("a"), task("b"), cpus=1)
    bench.give_back("a", "0", no_room=WHY)
    assert bench.node.explanations.explain(B, 0) == [
        f"element 0: ready: nothing starts while the disk of this node is full ({WHY})"
    ]


def test_what_waits_for_others_that_are_held_says_so() -> None:
    bench = Bench(task("a"), task("b"), cpus=2)
    bench.give_back("a", "0", no_room=WHY)
    bench.give_back("b", "0", no_room=WHY)
    (line,) = bench.node.explanations.explain(B, 0)
    assert line.endswith(
        "and is tried again after 1 other task that found none either, the first of which is tried within 1.0 s"
    )


def test_its_story_says_why_it_came_back() -> None:
    bench = Bench(task("a"))
    bench.give_back("a", "0", no_room=WHY)
    assert GivenBackBy(bench.node.name, WHY) in [getattr(fact, "what", None) for fact in bench.facts]


def test_what_is_submitted_meanwhile_is_accepted_and_waits() -> None:
    bench = Bench(task("a"), cpus=2)
    bench.give_back("a", "0", no_room=WHY)
    bench.submit(task("b", run=OTHER_RUN))
    assert bench.starts() == []
    bench.wait(RETRY_AFTER_S)
    assert sorted(bench.starts()) == ["a[0]", "b[0]"]


def play(bench: Bench, too_large: dict[str, str], seconds: float, *, each_s: float = 0.1) -> None:
    """Let time pass; all that runs is done, or comes back if it is too large."""
    end = bench.now + seconds
    while bench.now < end:
        bench.wait(each_s)
        for lease in list(bench.node.queue.leases.active.values()):
            name = name_of(lease.spec.id)
            part = lease.outstanding & ranges(too_large.get(name, ""))
            if lease.outstanding - part:
                bench.done(name, str(lease.outstanding - part), run=lease.spec.run)
            if part:
                bench.give_back(name, str(part), no_room=WHY)


@pytest.mark.parametrize("cpus", [1, 2])
@pytest.mark.parametrize("priority", Priority)
@pytest.mark.parametrize("large", [1, 2, 40])
def test_small_work_goes_on_beside_what_needs_too_much(cpus: int, priority: Priority, large: int) -> None:
    """The large ones are first in the queue."""
    names = [f"large{number}" for number in range(large)]
    large_tasks = [task(name, priority=priority) for name in names]
    bench = Bench(*large_tasks, task("s", 25, at=1), task("t", 25, at=2), cpus=cpus)
    play(bench, dict.fromkeys(names, "0"), 2 * large + 30)
    assert bench.states("s") == bench.states("t") == {"done": "0-24"}
    play(bench, {}, 2 * RETRY_AFTER_S_MAX)
    assert bench.disk.ends[RUN].counts == {"done": 50 + large}


@pytest.mark.parametrize("too_large", ["0-1", "0-9", "0-190:10"])
def test_small_elements_of_the_same_array_go_on(too_large: str) -> None:
    bench = Bench(task("a", 200), task("later", 50, at=1), cpus=2)
    play(bench, {"a": too_large}, 30)
    assert bench.states("later") == {"done": "0-49"}
    play(bench, {"a": too_large}, 8 * RETRY_AFTER_S_MAX)
    assert bench.states("a")["done"] == str(ranges("0-199") - ranges(too_large))
    play(bench, {}, 2 * RETRY_AFTER_S_MAX)
    assert bench.disk.ends[RUN].counts == {"done": 250}


def test_what_is_cancelled_meanwhile_leaves_nothing_to_wait_for() -> None:
    bench = Bench(task("a"), task("b"), cpus=2)
    bench.give_back("a", "0", no_room=WHY)
    bench.cancel(a="0")
    play(bench, {}, 2 * REST_S)
    assert bench.disk.ends[RUN].counts == {"cancelled": 1, "done": 1}
    assert bench.node.next_deadline() is None


def test_another_node_takes_what_found_no_room_here() -> None:
    company = Company("ash", "elm")
    ash, elm = company["ash"], company["elm"]
    ash.submit(task("a", priority=Priority.INTERACTIVE))
    company.wait(0.2)
    assert ash.starts() == ["a[0]"]
    ash.give_back("a", "0", no_room=WHY)
    company.wait(RETRY_AFTER_S / 2)
    assert elm.starts() == ["a[0]"]
