"""With whom a node compares itself (FAIR 3.2)."""

import pytest

from roost.model.ids import NodeId
from roost.policy.neighbour_group import group_of

RING = [NodeId(name) for name in "abcdefghij"]


def group(node: str, size: int, ring: list[NodeId] = RING) -> str:
    return "".join(group_of(NodeId(node), [other for other in ring if other != node], size))


def test_of_an_odd_size_as_many_precede_a_node_as_follow_it() -> None:
    assert group("e", 5) == "cdfg"
    assert group("e", 3) == "df"


def test_of_an_even_size_one_more_follows_than_precedes() -> None:
    """FAIR 3.2: floor((n-1)/2) precede and ceil((n-1)/2) follow."""
    assert group("e", 2) == "f"
    assert group("e", 4) == "dfg"
    assert group("e", 6) == "cdfgh"


def test_the_last_precedes_the_first() -> None:
    assert group("a", 5) == "bcij"
    assert group("j", 4) == "abi"


@pytest.mark.parametrize("size", [10, 11, 100])
def test_where_there_are_no_more_nodes_all_are_compared(size: int) -> None:
    assert group("c", size) == "abdefghij"
    assert group("a", size, RING[:1]) == ""


@pytest.mark.parametrize("size", range(2, 12))
def test_everybody_is_in_as_many_groups_as_a_group_has_others_and_never_in_its_own(size: int) -> None:
    groups = {node: group(node, size) for node in RING}
    for node in RING:
        assert node not in groups[node]
        assert len(groups[node]) == min(size, len(RING)) - 1
        assert sum(node in others for others in groups.values()) == min(size, len(RING)) - 1
