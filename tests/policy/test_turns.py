"""Whose turn it is to attempt what runs elsewhere."""

from roost.model.ids import NodeId, TaskId
from roost.model.ranges import ONE
from roost.policy.turns import SHIFT_S, is_turn, shift_ends_at
from tests.policy.plain_view import PlainUnderway, PlainView

NODES = tuple(NodeId(name) for name in ("ash", "elm", "fir", "oak", "yew"))
HOLDER = NODES[3]


def first(now: float, count: int) -> set[NodeId]:
    one = PlainUnderway(TaskId("5-kedova/a"), ONE, HOLDER)
    views = [
        PlainView((), node=node, others=[other for other in NODES if other != node], now=now)
        for node in NODES
        if node != HOLDER
    ]
    return {view.node for view in views if is_turn(view, one, 0, count)}


def test_as_many_as_are_wanted_come_first_and_never_the_holder() -> None:
    for count in range(5):
        assert len(first(50.0, count)) == count


def test_others_come_first_in_another_shift_and_all_do_some_day() -> None:
    assert set().union(*(first(shift * SHIFT_S, 1) for shift in range(60))) == set(NODES) - {HOLDER}
    assert first(10 * SHIFT_S, 1) == first(10.9 * SHIFT_S, 1)


def test_turns_may_be_those_of_some_nodes_only() -> None:
    some = NODES[:2]
    one = PlainUnderway(TaskId("5-kedova/a"), ONE, HOLDER)
    turns = set()
    for node, other in (some, some[::-1]):
        views = [PlainView((), node=node, others=NODES, now=shift * SHIFT_S) for shift in range(20)]
        turns |= {node for view in views if is_turn(view, one, 0, 1, (other,))}
    assert turns == set(some)


def test_a_shift_ends_after_now() -> None:
    assert [shift_ends_at(now) for now in (0.0, SHIFT_S / 2, SHIFT_S)] == [SHIFT_S, SHIFT_S, 2 * SHIFT_S]
