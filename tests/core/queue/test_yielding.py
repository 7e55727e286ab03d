"""An owner comes and goes: what runs gives way as he wants it, and nothing new begins beyond what is offered."""

import pytest

from roost.core.events import CapacityChanged, GiveWay
from roost.model.ids import task_id
from roost.model.resources import Capacity
from roost.model.task import Needs
from roost.wire.messages import Heartbeat
from tests.core.company import WINDOW_S, Company
from tests.core.harness import GIB, OTHER_RUN, RUN, Bench, task


def offer(cpus: float, how: GiveWay = GiveWay.FINISH, memory_bytes: int = 8 * GIB) -> CapacityChanged:
    return CapacityChanged(Capacity.of(cpus, memory_bytes, "3.11"), how)


def busy_bench() -> Bench:
    """Return a bench with two lanes, the second younger, and elements waiting behind those at hand in both."""
    bench = Bench(task("a", 1), cpus=2)
    bench.now += 1.0
    bench.submit(task("b", 1, run=OTHER_RUN))
    bench.seen()
    return bench


def test_the_youngest_work_gives_way_first_and_only_as_much_as_must() -> None:
    bench = busy_bench()
    bench.feed(offer(1.0, GiveWay.GIVE_BACK))
    assert bench.seen() == ["stop b[0] kill"]
    bench.feed(offer(0.0, GiveWay.GIVE_BACK))
    assert bench.seen() == ["stop b[0] kill", "stop a[0] kill"]


def test_what_is_given_back_is_ready_and_starts_again_when_the_owner_has_gone() -> None:
    bench = Bench(task("a", 1), cpus=1)
    bench.feed(offer(0.0, GiveWay.GIVE_BACK))
    bench.give_back("a", "0")
    assert bench.states("a") == {"ready": "0"}
    assert bench.starts() == []
    bench.feed(offer(1.0))
    assert bench.starts() == ["a[0]"]


def test_what_is_frozen_takes_nothing_and_goes_on_when_the_owner_has_gone() -> None:
    bench = busy_bench()
    bench.feed(offer(0.0, GiveWay.FREEZE))
    assert bench.seen() == ["pause b", "pause a"]
    assert bench.node.queue.lanes.free.cpus == 0.0
    bench.feed(offer(1.0))
    assert bench.seen() == ["continue a"]
    bench.feed(offer(2.0))
    assert bench.seen() == ["continue b"]


def test_what_is_frozen_says_why() -> None:
    bench = Bench(task("a", 1), cpus=1)
    bench.feed(offer(0.0, GiveWay.FREEZE))
    sentence = "element 0: frozen on ash, which offers 0 CPUs now; it goes on when there is room"
    assert bench.node.explanations.explain(task_id(RUN, "a"), 0) == [sentence]


def test_a_frozen_run_that_was_suspended_meanwhile_waits_for_both() -> None:
    bench = Bench(task("a", 1), cpus=1)
    bench.feed(offer(0.0, GiveWay.FREEZE))
    bench.suspend()
    bench.feed(offer(1.0))
    assert "continue a" not in bench.seen()
    bench.resume()
    assert "continue a" in bench.seen()


@pytest.mark.parametrize("how", [GiveWay.FINISH, GiveWay.FREEZE])
def test_the_element_at_hand_stays_and_what_waits_behind_it_goes_back(how: GiveWay) -> None:
    bench = Bench(task("long", 40), cpus=1)
    bench.done("long", "0", each_s=0.001)
    held = [lease.outstanding for lease in bench.node.queue.leases.active.values()]
    assert sum(map(len, held)) > 1
    bench.seen()
    bench.feed(offer(0.0, how))
    stopped = [line for line in bench.seen() if line.startswith("stop ")]
    assert stopped
    assert all(line.endswith(" unstarted") for line in stopped)
    stopping = sum(len(lease.stopping) for lease in bench.node.queue.leases.active.values())
    assert stopping == sum(map(len, held)) - 1


def test_while_more_runs_than_is_offered_no_lane_gets_more_to_do() -> None:
    bench = Bench(task("f", 40), cpus=3)
    bench.feed(offer(1.0))
    bench.seen()
    bench.done("f", "0", each_s=0.001)
    assert bench.starts() == []
    bench.done("f", "1", each_s=0.001)
    assert bench.starts() != []
    assert len(bench.node.queue.lanes.open_lanes) == 1


def test_less_memory_lets_work_give_way_too() -> None:
    bench = Bench(task("a", 1, needs=Needs.of(memory_bytes=2 * GIB)), cpus=2)
    bench.feed(offer(2.0, GiveWay.GIVE_BACK, memory_bytes=GIB))
    assert bench.seen() == ["stop a[0] kill"]


def test_others_run_what_is_given_back_and_hear_that_nothing_is_free() -> None:
    company = Company("ash", "elm", no_room=["elm"])
    company["elm"].submit(task("a", 1))
    company.wait(WINDOW_S)
    assert company["ash"].runs() == ["a[0]"]
    company["ash"].feed(offer(0.0, GiveWay.GIVE_BACK))
    company["elm"].feed(offer(1.0))
    company["ash"].give_back("a", "0")
    company.wait(1.0)
    assert company["elm"].runs() == ["a[0]"]
    beat = company.said_by("ash", Heartbeat)[-1]
    assert (beat.offers.cpus, beat.free_cpus) == (0.0, 0.0)


def test_a_beat_of_a_node_whose_owner_came_says_that_nothing_is_free() -> None:
    company = Company("ash", "elm", no_room=["elm"])
    company["elm"].submit(task("a", 1))
    company.wait(WINDOW_S)
    company["ash"].feed(offer(0.0))
    company.wait(1.0)
    assert company.said_by("ash", Heartbeat)[-1].free_cpus == 0.0
