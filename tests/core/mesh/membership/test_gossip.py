"""What heartbeats pass on."""

import math

import pytest

from roost.core.mesh.membership.gossip import LISTENERS, OLD_WORDS, Gossip
from roost.core.mesh.membership.members import KnownMembers
from roost.model.ids import NodeId
from roost.model.limits import HEARTBEAT_NEWS_MAX
from roost.wire.messages import News, Standing


def roster_of(count: int) -> KnownMembers:
    roster = KnownMembers()
    for number in range(count):
        roster.learn(News(NodeId(f"n{number:03}"), 1, 0, Standing.ALIVE), 0.0)
    return roster


@pytest.mark.parametrize(
    ("members", "neighbours", "beats"), [(1, 1, 5), (4, 4, 2), (8, 8, 2), (100, 8, 3), (500, 8, 4)]
)
def test_a_word_is_told_to_a_bounded_number_of_listeners(members: int, neighbours: int, beats: int) -> None:
    roster = roster_of(members)
    rumours = Gossip(roster)
    rumours.add(NodeId("n000"), neighbours)
    told = 0
    for _ in range(20):
        # The old words come at the end; the new one, while it is new, comes first.
        told += rumours.take(0.5)[:1] == ["n000"]
    by_turn = math.ceil(20 * OLD_WORDS / members)
    assert beats <= told <= beats + by_turn
    assert beats * neighbours >= LISTENERS * math.log2(members + 1)


def test_the_least_told_comes_first() -> None:
    rumours = Gossip(roster_of(40))
    for number in range(30):
        rumours.add(NodeId(f"n{number:03}"), 8)
    first, second, third = (rumours.take(0.0)[: HEARTBEAT_NEWS_MAX - OLD_WORDS] for _ in range(3))
    assert not set(first) & set(second)
    assert {"n028", "n029"} <= set(third)


def test_a_heartbeat_carries_a_bounded_number_of_words_each_once() -> None:
    rumours = Gossip(roster_of(100))
    for number in range(100):
        rumours.add(NodeId(f"n{number:03}"), 8)
    for _ in range(50):
        told = rumours.take(0.3)
        assert len(told) == len(set(told)) <= HEARTBEAT_NEWS_MAX


@pytest.mark.parametrize("chance", [0.0, 0.4, 0.999])
def test_everybody_has_a_turn_in_every_round(chance: float) -> None:
    rumours = Gossip(roster_of(11))
    told = [node for _ in range(math.ceil(11 / OLD_WORDS)) for node in rumours.take(chance)]
    assert sorted(told) == [f"n{number:03}" for number in range(11)]


def test_nothing_is_told_of_the_forgotten() -> None:
    roster = roster_of(3)
    rumours = Gossip(roster)
    rumours.add(NodeId("n001"), 2)
    rumours.take(0.0)
    roster.learn(News(NodeId("n001"), 1, 0, Standing.DEAD), 0.0)
    roster.forget(1e9)
    assert all("n001" not in rumours.take(0.0) for _ in range(10))
