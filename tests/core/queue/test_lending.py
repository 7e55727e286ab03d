"""Elements that wait for other work: what they lend, what they give back, and how they go on."""

from collections.abc import Callable
from functools import partial

import pytest

from roost.core.events import DrainAsked, WaitBegan, WaitEnded
from roost.core.queue import lending
from roost.model.ids import LeaseId, RunId, task_id
from roost.model.task import Needs
from tests.core.harness import GIB, OTHER_RUN, RUN, Bench, task


def lease_of(bench: Bench, name: str) -> LeaseId:
    return next(lease.name for lease in bench.node.queue.leases.active.values() if lease.spec.id.endswith(f"/{name}"))


def wait(bench: Bench, name: str, index: int | None = 0) -> LeaseId:
    lease = lease_of(bench, name)
    bench.feed(WaitBegan(lease, index))
    return lease


def test_what_an_element_waits_for_runs_on_the_processor_that_it_lends() -> None:
    bench = Bench(task("outer"), cpus=1)
    bench.submit(task("inner", run=OTHER_RUN))
    assert bench.starts() == []
    wait(bench, "outer")
    assert bench.starts() == ["inner[0]"]


def test_four_levels_on_two_processors_come_to_their_end() -> None:
    bench = Bench(task("level0", 2), cpus=2)
    for level in range(1, 4):
        for lease in [
            one for one in bench.node.queue.leases.active.values() if not bench.node.queue.lending.waits(one)
        ]:
            bench.feed(WaitBegan(lease.name, lease.outstanding.first))
        bench.submit(task(f"level{level}", 2, run=RunId(f"{level + 1}-bababa"), nesting=level))
        assert len(bench.starts()) == 2
    for level in range(3, -1, -1):
        for lease in [one for one in bench.node.queue.leases.active.values() if one.spec.id.endswith(str(level))]:
            bench.feed(WaitEnded(lease.name, lease.outstanding.first))
        bench.done(f"level{level}", "0-1", run=RunId(f"{level + 1}-bababa"))
    assert not bench.node.queue.leases.active
    assert bench.node.queue.lanes.free.cpus == 2.0


def test_memory_is_not_lent() -> None:
    bench = Bench(task("outer", needs=Needs.of(1.0, 6 * GIB)), cpus=1)
    bench.submit(task("large", run=OTHER_RUN, needs=Needs.of(1.0, 3 * GIB)), task("small", run=OTHER_RUN))
    wait(bench, "outer")
    assert bench.starts() == ["small[0]"]
    assert bench.node.queue.lanes.free.memory_bytes == 2 * GIB


def test_what_is_behind_an_element_that_waits_goes_back_for_it_may_wait_for_just_that() -> None:
    bench = Bench(task("long", 40), cpus=1)
    bench.done("long", "0", each_s=0.001)
    held = {lease.name: lease.outstanding for lease in bench.node.queue.leases.active.values()}
    assert sum(map(len, held.values())) > 1
    bench.seen()
    [lane] = bench.node.queue.lanes.open_lanes.values()
    lease = lane.front
    bench.feed(WaitBegan(lease.name, lease.outstanding.first))
    stopped = bench.seen()
    assert stopped
    assert all(word.startswith("stop long") and word.endswith("unstarted") for word in stopped)
    kept = {name: lease.outstanding - lease.stopping for name, lease in bench.node.queue.leases.active.items()}
    assert sum(map(len, kept.values())) == 1
    assert bench.states("long")["running"] == "1"


def test_an_element_goes_on_at_once_and_nothing_starts_before_there_is_room_again() -> None:
    bench = Bench(task("outer"), cpus=1)
    bench.submit(task("inner", 2, run=OTHER_RUN))
    lease = wait(bench, "outer")
    assert bench.starts() == ["inner[0]"]
    bench.feed(WaitEnded(lease, 0))
    assert bench.node.queue.lanes.over
    bench.done("outer", "0")
    assert bench.starts() == []
    bench.done("inner", "0", run=OTHER_RUN)
    assert bench.starts() == ["inner[1]"]


@pytest.mark.parametrize("end", [Bench.done, Bench.fail, partial(Bench.give_back, elements="0")])
def test_a_loan_ends_with_its_element_however_that_ends(end: Callable[[Bench, str], None]) -> None:
    bench = Bench(task("outer", retries=3), cpus=2)
    wait(bench, "outer")
    end(bench, "outer")
    bench.seen()
    taken = len(bench.node.queue.leases.active)
    assert bench.node.queue.lanes.free.cpus == 2.0 - taken
    assert not any(lane.lent for lane in bench.node.queue.lanes.open_lanes.values())


def test_several_parts_of_an_element_may_wait_and_the_last_takes_the_processor_back() -> None:
    bench = Bench(task("outer"), cpus=1)
    lease = wait(bench, "outer")
    wait(bench, "outer", None)
    bench.feed(WaitEnded(lease, 0))
    assert bench.node.queue.lanes.free.cpus == 1.0
    bench.feed(WaitEnded(lease, None))
    assert bench.node.queue.lanes.free.cpus == 0.0
    bench.feed(WaitEnded(lease, None))
    assert bench.node.queue.lanes.free.cpus == 0.0


def test_who_waits_for_no_lease_or_no_element_of_it_lends_nothing() -> None:
    bench = Bench(task("outer"), cpus=1)
    bench.feed(WaitBegan(LeaseId(99), 0))
    bench.feed(WaitBegan(lease_of(bench, "outer"), 7))
    assert bench.node.queue.lanes.free.cpus == 0.0


def test_a_lent_lane_can_be_frozen_and_goes_on() -> None:
    bench = Bench(task("outer"), cpus=1)
    lease = wait(bench, "outer")
    bench.suspend()
    bench.feed(WaitEnded(lease, 0))
    assert bench.node.queue.lanes.free.cpus == 1.0
    bench.resume()
    assert bench.node.queue.lanes.free.cpus == 0.0
    bench.done("outer", "0")
    assert bench.node.queue.lanes.free.cpus == 1.0


def test_so_many_lanes_are_lent_and_those_that_wait_later_keep_theirs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lending, "LENT_LANES_MAX", 1)
    bench = Bench(task("a"), task("b"), cpus=2)
    first = wait(bench, "a")
    wait(bench, "b")
    bench.submit(task("large", run=OTHER_RUN, needs=Needs.of(2.0)))
    assert bench.node.queue.lanes.free.cpus == 1.0
    reasons = bench.node.explanations.why_not_started(task_id(OTHER_RUN, "large")) or []
    assert any("1 of them only wait for other work" in reason for reason in reasons)
    bench.feed(WaitEnded(first, 0))
    bench.done("a", "0")
    assert "large[0]" in bench.starts()


def test_people_are_told_that_an_element_waits_for_other_work() -> None:
    bench = Bench(task("outer"), cpus=1)
    wait(bench, "outer")
    [sentence] = bench.node.explanations.explain(task_id(RUN, "outer"), 0)
    assert sentence.endswith("it waits for other work, which may have the processors meanwhile")


def test_a_draining_node_starts_nothing_on_what_is_lent() -> None:
    bench = Bench(task("outer"), cpus=1)
    bench.submit(task("inner", run=OTHER_RUN))
    bench.feed(DrainAsked(on=True))
    wait(bench, "outer")
    assert bench.starts() == []
