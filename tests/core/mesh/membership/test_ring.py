"""Who watches whom."""

import pytest

from roost.core.mesh.membership.ring import WATCHERS, neighbours, place
from roost.model.ids import NodeId


def ring(count: int) -> list[NodeId]:
    return sorted((NodeId(f"desk-{number}") for number in range(count)), key=place)


def test_alone_a_node_watches_nobody() -> None:
    assert neighbours(ring(1), 0) == ()


@pytest.mark.parametrize("count", [2, 3, WATCHERS, WATCHERS + 1])
def test_in_a_small_mesh_everybody_watches_everybody(count: int) -> None:
    nodes = ring(count)
    for at, node in enumerate(nodes):
        assert sorted((node, *neighbours(nodes, at))) == sorted(nodes)


@pytest.mark.parametrize("count", [WATCHERS + 2, 20, 101])
def test_in_a_large_mesh_each_has_so_many_watchers_and_is_not_among_them(count: int) -> None:
    nodes = ring(count)
    for at, node in enumerate(nodes):
        watched = neighbours(nodes, at)
        assert len(set(watched)) == WATCHERS
        assert node not in watched


@pytest.mark.parametrize("count", [2, WATCHERS + 1, WATCHERS + 2, 50])
def test_watching_is_mutual(count: int) -> None:
    nodes = ring(count)
    watched = {node: neighbours(nodes, at) for at, node in enumerate(nodes)}
    for node, others in watched.items():
        for other in others:
            assert node in watched[other]


def test_two_that_watch_a_third_mostly_watch_each_other_and_so_can_vouch_for_it() -> None:
    nodes = ring(50)
    watched = {node: set(neighbours(nodes, at)) for at, node in enumerate(nodes)}
    for node in nodes:
        for watcher in watched[node]:
            assert len(watched[node] & watched[watcher]) >= WATCHERS // 2 - 1


def test_a_newcomer_changes_the_neighbours_of_few() -> None:
    before, newcomer = ring(50), NodeId("newcomer")
    after = sorted([*before, newcomer], key=place)
    moved = [
        node
        for node in before
        if set(neighbours(before, before.index(node))) != set(neighbours(after, after.index(node)))
    ]
    assert len(moved) == WATCHERS


def test_names_given_in_order_do_not_stand_in_order() -> None:
    assert ring(20) != sorted(ring(20))
