"""What lanes take and leave free."""

import pytest

from roost.core.queue.lanes import Lanes
from roost.core.queue.leases import Lease
from roost.model.attributes import JAVASCRIPT
from roost.model.errors import InvariantViolated
from roost.model.ids import LeaseId, NodeId
from roost.model.resources import Capacity
from roost.model.task import Needs
from tests.core.harness import GIB, function, ranges, task
from tests.tokens import attempt

OFFER = Capacity.of(2.0, 4 * GIB, "3.11")


def lease_on(lanes: Lanes, lane, name: int = 1, elements: str = "0-3") -> Lease:
    lease = Lease(LeaseId(name), task("a", 10), lane.name, ranges(elements), attempt(1), 0.0)
    lane.leases[lease.name] = lease
    return lease


def test_a_lane_takes_the_needs_of_the_task_that_it_was_opened_for() -> None:
    lanes = Lanes(OFFER)
    lanes.open_for(task("a", needs=Needs.of(cpus=1.5, memory_bytes=GIB)))
    assert lanes.free == Capacity.of(0.5, 3 * GIB, "3.11")
    assert lanes.fits(Needs.of(cpus=0.5, memory_bytes=3 * GIB))
    assert not lanes.fits(Needs.of(cpus=1.0))
    assert not lanes.fits(Needs.of(cpus=0.5, memory_bytes=3 * GIB + 1))


def test_ten_tenths_are_a_whole() -> None:
    lanes = Lanes(Capacity.of(1.0, GIB, "3.11"))
    for _ in range(10):
        assert lanes.fits(Needs.of(cpus=0.1))
        lanes.open_for(task("a", cpus=0.1))
    assert not lanes.fits(Needs.of(cpus=0.1))
    assert lanes.could_hold(Needs.of(cpus=0.1)) == 10


def test_a_node_could_always_hold_one_lane() -> None:
    assert Lanes(OFFER).could_hold(Needs.of(cpus=3.0)) == 1


def test_a_lane_closes_with_its_last_lease() -> None:
    lanes = Lanes(OFFER)
    lane = lanes.open_for(task("a"))
    first, second = lease_on(lanes, lane, 1), lease_on(lanes, lane, 2)
    lanes.lease_over(first)
    assert lane.front is second
    assert lanes.free.cpus == 1.0
    lanes.lease_over(second)
    assert (lanes.open_lanes, lanes.free) == ({}, OFFER)


def test_rows_of_the_timeline_are_the_smallest_that_no_open_lane_has() -> None:
    lanes = Lanes(Capacity.of(3.0, GIB, "3.11"))
    first, second, third = (lanes.open_for(task("a")) for _ in range(3))
    assert [lane.row for lane in (first, second, third)] == [0, 1, 2]
    for name, lane in ((1, second), (2, first)):
        lanes.lease_over(lease_on(lanes, lane, name))
    assert [lanes.open_for(task("a")).row for _ in range(2)] == [0, 1]


def test_what_a_lane_has_done_begins_after_its_lease_was_granted() -> None:
    lanes = Lanes(OFFER)
    lease = lease_on(lanes, lanes.open_for(task("a")))
    lease.granted_at = 5.0
    span = lanes.span(lease, NodeId("ash"), ranges("1-2"), 100.0, 8.0)
    assert (span.node, span.lane, span.start, span.end, span.busy_s) == ("ash", 0, 5.0, 8.0, 3.0)
    assert (span.elements, span.first, span.last, span.failed) == (2, 1, 2, 0)


def test_a_frozen_lane_gives_its_needs_back_and_takes_them_again() -> None:
    lanes = Lanes(OFFER)
    lane = lanes.open_for(task("a"))
    lanes.pause(lane)
    assert lanes.free == OFFER
    lanes.resume(lane)
    assert lanes.free.cpus == 1.0


def test_a_frozen_lane_that_closes_gives_nothing_back_twice() -> None:
    lanes = Lanes(OFFER)
    lane = lanes.open_for(task("a"))
    lease = lease_on(lanes, lane)
    lanes.pause(lane)
    lanes.lease_over(lease)
    assert lanes.free == OFFER


def test_only_the_first_lease_of_a_lane_has_begun() -> None:
    lanes = Lanes(OFFER)
    lane = lanes.open_for(task("a"))
    first, second = lease_on(lanes, lane, 1), lease_on(lanes, lane, 2)
    assert (lane.unbegun(first), lane.unbegun(second)) == (3, 4)


def test_a_lane_takes_more_of_the_same_kind_and_needs_only() -> None:
    lane = Lanes(OFFER).open_for(task("a"))
    assert lane.takes(task("b"))
    assert not lane.takes(task("b", cpus=0.5))
    assert not lane.takes(function("b"))


def test_a_smaller_offer_leaves_what_runs_alone() -> None:
    lanes = Lanes(OFFER)
    lanes.open_for(task("a"))
    lanes.open_for(task("a"))
    lanes.set_capacity(Capacity.of(1.0, 4 * GIB, "3.11", javascript=True))
    assert (lanes.free.cpus, lanes.free.attributes[JAVASCRIPT]) == (-1.0, True)
    assert not lanes.fits(Needs.of(cpus=0.1))


def test_the_check_notices_books_that_do_not_balance() -> None:
    lanes = Lanes(OFFER)
    lane = lanes.open_for(task("a"))
    lease = lease_on(lanes, lane)
    lanes.check([lease])
    with pytest.raises(InvariantViolated, match="lanes hold the leases"):
        lanes.check([])
    lanes.free = OFFER
    with pytest.raises(InvariantViolated, match="CPUs are noted as free"):
        lanes.check([lease])
