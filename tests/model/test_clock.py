"""The laws of the hybrid logical clock."""

from hypothesis import given
from hypothesis import strategies as st

from roost.model.clock import Stamp, after, observe, soonest, tick, zero
from roost.model.ids import NodeId
from tests.strategies import stamps

walls = st.floats(0, 0.01)


@given(stamps, walls)
def test_a_tick_is_later_than_all_before_and_keeps_the_name(last: Stamp, wall_s: float) -> None:
    stamp = tick(last, wall_s)
    assert stamp > last
    assert stamp.node == last.node
    assert stamp.wall_ms >= int(wall_s * 1000)


@given(stamps, stamps, walls)
def test_a_tick_is_later_than_what_was_seen(last: Stamp, seen: Stamp, wall_s: float) -> None:
    known = observe(last, seen)
    assert known.node == last.node
    assert known >= last
    assert tick(known, wall_s) > seen
    assert observe(known, seen) == known


@given(stamps, stamps)
def test_what_was_seen_in_any_order_leads_to_the_same_clock(one: Stamp, two: Stamp) -> None:
    start = zero(NodeId("elm"))
    assert observe(observe(start, one), two) == observe(observe(start, two), one)


def test_a_clock_that_stepped_back_counts_on() -> None:
    late = tick(zero(NodeId("ash")), 100.0)
    assert tick(late, 50.0) == Stamp(100_000, 1, NodeId("ash"))
    assert tick(tick(late, 50.0), 101.0) == Stamp(101_000, 0, NodeId("ash"))


def test_the_name_breaks_ties() -> None:
    assert Stamp(1, 0, NodeId("ash")) < Stamp(1, 0, NodeId("oak")) < Stamp(1, 1, NodeId("ash"))
    assert str(Stamp(1, 2, NodeId("oak"))) == "1.2@oak"


def test_the_soonest_deadline_is_the_first_of_those_that_come_at_all() -> None:
    assert soonest(2.0, None, 1.0, 3.0) == 1.0
    assert soonest(None, None) is None
    assert soonest() is None


@given(stamps, stamps, walls)
def test_what_leads_too_far_is_not_followed(last: Stamp, seen: Stamp, wall_s: float) -> None:
    latest_s = seen.wall_ms / 1000 - 0.001
    assert observe(last, seen, latest_s) == last
    assert tick(Stamp(seen.wall_ms, 0, last.node), wall_s, -1.0) == Stamp(int(wall_s * 1000), 0, last.node)


@given(stamps, stamps)
def test_the_next_stamp_after_a_known_one_is_larger_whatever_the_clock_says(stamp: Stamp, known: Stamp) -> None:
    assert after(stamp, known) > known
    assert after(stamp, known) >= stamp
    assert after(stamp, known).node == stamp.node
