"""Nodes that repeat what others run, when nothing else is left."""

from roost.model.ids import NodeId, TaskId
from roost.model.ranges import ONE, RangeSet
from roost.policy.choose import Repeat
from roost.policy.fcfs import first_come_first_served
from roost.sim.repeaters import repeater
from tests.policy.plain_view import OAK, PlainCandidate, PlainUnderway, PlainView

A, B = TaskId("5-kedova/a"), TaskId("5-kedova/b")
FOUR = RangeSet.span(0, 4)


def test_what_is_ready_goes_first() -> None:
    view = PlainView([PlainCandidate(A, ONE)], others=(OAK,), elsewhere=(PlainUnderway(B, ONE),))
    assert list(repeater()(view)) == list(first_come_first_served(view))


def test_what_has_the_fewest_attempts_is_repeated_for_as_many_lanes_as_are_free() -> None:
    view = PlainView([], others=(OAK,), elsewhere=(PlainUnderway(A, ONE, attempts=2), PlainUnderway(B, FOUR)))
    assert repeater()(view) == (Repeat(B, ONE, "nothing else is left to do"),)
    wide = PlainView([], others=(OAK,), elsewhere=(PlainUnderway(B, FOUR, free_lanes=3),))
    assert repeater()(wide) == (Repeat(B, RangeSet.span(0, 3), "nothing else is left to do"),)


def test_nothing_is_repeated_too_often_nor_what_must_not_be_nor_without_a_lane() -> None:
    unlike = (PlainUnderway(A, ONE, attempts=3), PlainUnderway(B, ONE, may_repeat=False))
    none = (*unlike, PlainUnderway(B, ONE, free_lanes=0))
    assert repeater()(PlainView([], others=(OAK,), elsewhere=none)) == ()
    assert repeater(4)(PlainView([], others=(OAK,), elsewhere=none)) == (Repeat(A, ONE, "nothing else is left to do"),)


def test_nodes_begin_with_different_ones() -> None:
    elsewhere = [PlainUnderway(TaskId(f"5-kedova/{name}"), ONE) for name in "abcdefgh"]
    chosen = {
        choice.task
        for name in ("ash", "elm", "fir", "yew")
        for choice in repeater()(PlainView([], NodeId(name), others=(OAK,), elsewhere=elsewhere))
        if isinstance(choice, Repeat)
    }
    assert len(chosen) > 1
