"""Super-peers also run what unstable nodes have in hand."""

from collections.abc import Sequence
from typing import Any

import pytest

from roost.model.ids import NodeId, TaskId
from roost.model.ranges import RangeSet
from roost.model.vitals import Condition, NodeState, Sign
from roost.policy.backing_up import SHARE, backing_up_the_unstable
from roost.policy.choose import Abstain, Choice, Repeat, Take
from roost.policy.fcfs import first_come_first_served
from roost.policy.turns import SHIFT_S
from tests.policy.plain_view import PlainCandidate, PlainUnderway, PlainView

ASH, ELM, OAK = NodeId("ash"), NodeId("elm"), NodeId("oak")
A, B = TaskId("5-kedova/a"), TaskId("5-kedova/b")
STABLE = Condition(NodeState.STABLE, Sign.UTILISATION, 20)


def held(*indices: int, **changes: Any) -> PlainUnderway:
    """Return what oak has in hand, which is unstable."""
    state = {"holder_state": NodeState.UNSTABLE, "lanes": 4, "free_lanes": 4, "is_pure": True}
    return PlainUnderway(A, RangeSet.of(indices), OAK, **{**state, **changes})


def chosen(*elsewhere: PlainUnderway, **changes: Any) -> Sequence[Choice]:
    """Return what ash chooses, which has nobody beside it but oak."""
    usual: dict[str, Any] = {"queue": (), "others": (OAK,), "states": {OAK: NodeState.UNSTABLE}}
    view = PlainView(**{**usual, "elsewhere": elsewhere, **changes})
    return backing_up_the_unstable(first_come_first_served)(view)


def repeated(choices: Sequence[Choice]) -> list[int]:
    return [index for choice in choices if isinstance(choice, Repeat) for index in choice.ranges]


def test_what_an_unstable_node_has_in_hand_is_repeated_before_new_work() -> None:
    waits = PlainCandidate(B, RangeSet.span(0, 100), elements=RangeSet.span(0, 100), size=4)
    first, new = chosen(held(3), queue=(waits,))
    assert first == Repeat(A, RangeSet.span(3, 4), "oak, which has it in hand, is unstable", goes_first=True)
    assert isinstance(new, Take)


def test_so_is_what_goes_on_where_a_node_has_become_too_unstable() -> None:
    assert repeated(chosen(held(3, holder_state=NodeState.TOO_UNSTABLE))) == [3]


@pytest.mark.parametrize(
    "changes",
    [
        {"holder_state": NodeState.STABLE},
        {"is_pure": False},
        {"attempts": 2},
        {"free_lanes": 0},
    ],
)
def test_it_leaves_alone_what_a_stable_node_has_what_is_not_pure_and_what_is_attempted(
    changes: dict[str, Any],
) -> None:
    assert chosen(held(3, **changes)) == ()


@pytest.mark.parametrize(
    "changes", [{"condition": STABLE}, {"states": {OAK: NodeState.STABLE}}, {"alone": True, "others": ()}]
)
def test_only_super_peers_do_it_and_only_if_somebody_is_unstable(changes: dict[str, Any]) -> None:
    assert repeated(chosen(held(3), **changes)) == []


def test_a_part_of_the_lanes_is_for_it_and_one_at_least() -> None:
    many = range(40)
    assert SHARE == 0.25
    assert repeated(chosen(held(*many, lanes=16, free_lanes=16))) == [0, 1, 2, 3]
    assert repeated(chosen(held(*many, lanes=16, free_lanes=2))) == [0, 1]
    assert repeated(chosen(held(*many, lanes=16, free_lanes=16), attempting=3)) == [0]
    assert repeated(chosen(held(*many, lanes=16, free_lanes=16), attempting=4)) == []
    assert repeated(chosen(held(*many, lanes=1, free_lanes=1))) == [0]
    assert repeated(chosen(held(*many, lanes=1, free_lanes=1), attempting=1)) == []


def test_what_runs_goes_before_what_waits_there() -> None:
    assert repeated(chosen(held(1, lanes=1), held(2, lanes=1, running_s=5.0))) == [2]


def test_super_peers_take_turns_and_each_element_is_one_s_turn() -> None:
    def of(node: NodeId, now: float) -> set[int]:
        supers = tuple(other for other in (ASH, ELM) if other != node)
        view = {"node": node, "others": (*supers, OAK), "supers": supers, "now": now}
        return set(repeated(chosen(held(*range(20), lanes=100, free_lanes=100), **view)))

    by_ash, by_elm = of(ASH, 0.0), of(ELM, 0.0)
    assert by_ash | by_elm == set(range(20))
    assert by_ash.isdisjoint(by_elm)
    assert by_ash
    assert by_elm
    assert of(ASH, SHIFT_S) != by_ash, "whoever is busy does not keep it from being repeated"


def test_a_worker_that_is_no_super_peer_has_no_turn() -> None:
    now = {index: repeated(chosen(held(index), others=(ELM, OAK), supers=())) for index in range(20)}
    assert now == {index: [index] for index in range(20)}


def test_who_has_nothing_else_to_do_looks_again_when_the_turns_change() -> None:
    waits = [
        chosen(held(index), others=(ELM, OAK), supers=(ELM,), now=1.0)
        for index in range(20)
        if not repeated(chosen(held(index), others=(ELM, OAK), supers=(ELM,), now=1.0))
    ]
    assert waits
    why = "other machines come first to repeat what unstable ones have in hand"
    assert all(choices == (Abstain(why, SHIFT_S),) for choices in waits)
