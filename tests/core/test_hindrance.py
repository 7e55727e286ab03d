"""While the disk is full nothing starts, nothing fails, and it is tried again after growing pauses."""

from roost.core.explain import explain
from roost.core.hindrance import Hindrance
from roost.core.tickets import RETRY_AFTER_S, RETRY_AFTER_S_MAX
from roost.model.ids import task_id
from tests.core.harness import OTHER_RUN, RUN, Bench, task

WHY = "its files could not be kept: No space left on device"


def test_pauses_double_while_it_lasts_and_begin_anew_after_a_time_without() -> None:
    hindrance, now, pauses = Hindrance(), 100.0, []
    for _ in range(8):
        hindrance.met(WHY, now)
        hindrance.met(WHY, now)
        until = hindrance.next_deadline()
        assert until is not None
        pauses.append(until - now)
        hindrance.tick(until - 0.1)
        assert hindrance.why == WHY
        now = until
        hindrance.tick(now)
        assert (hindrance.why, hindrance.next_deadline()) == (None, None)
    assert pauses == [1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0, 30.0]
    now += RETRY_AFTER_S_MAX + 1
    hindrance.met(WHY, now)
    assert hindrance.next_deadline() == now + RETRY_AFTER_S


def test_what_found_no_room_waits_with_that_reason_and_uses_up_no_attempt() -> None:
    bench = Bench(task("a", 2), task("b"), cpus=1)
    for _ in range(5):
        bench.give_back("a", "0", no_room=WHY)
        assert bench.starts() == []
        assert bench.states("a") == {"ready": "0-1"}
        assert explain(bench.node, task_id(RUN, "a"), 0) == [
            f"element 0: ready: nothing starts while the disk of this node is full ({WHY})"
        ]
        bench.wait(RETRY_AFTER_S_MAX)
        assert bench.starts() == ["a[0]"]
    bench.finish_all()
    assert bench.disk.ends[RUN].counts == {"done": 3}


def test_its_story_says_why_it_came_back() -> None:
    bench = Bench(task("a"))
    bench.give_back("a", "0", no_room=WHY)
    assert f"given back by ash: {WHY}" in [getattr(fact, "what", "") for fact in bench.facts]


def test_what_is_submitted_meanwhile_is_accepted_and_waits() -> None:
    bench = Bench(task("a"), cpus=2)
    bench.give_back("a", "0", no_room=WHY)
    bench.submit(task("b", run=OTHER_RUN))
    assert bench.starts() == []
    bench.wait(RETRY_AFTER_S)
    assert sorted(bench.starts()) == ["a[0]", "b[0]"]
