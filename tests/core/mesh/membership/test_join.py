"""How nodes find each other."""

from itertools import pairwise
from random import Random

import pytest

from roost.core.mesh.membership.join import (
    FIRST_HELLOS,
    HELLO_PAUSE_MAX_S,
    HELLO_PAUSE_MIN_S,
    LOST_PAUSE_S,
    WELCOME_SPREAD_S,
    WELCOMERS,
    Joining,
)
from roost.core.mesh.membership.members import KnownMembers
from roost.model.ids import NodeId
from roost.model.limits import MEMBERS_ANSWER_MAX, WELCOMES_MAX
from roost.wire.messages import News, Standing


class Half:
    """Chance that always falls in the middle, so that pauses are as long as they are on average."""

    def random(self) -> float:
        return 0.5


def greeting_among(count: int, chance: Random | Half | None = None) -> tuple[Joining, KnownMembers]:
    roster = KnownMembers()
    greeting = Joining(roster, chance or Half())
    greeting.begin(0.0)
    for number in range(count):
        roster.learn(News(NodeId(f"n{number:03}"), 1, 0, Standing.ALIVE), 0.0)
        greeting.follow(0.0)
    return greeting, roster


def hellos_to_all(greeting: Joining, until: float) -> list[float]:
    times = []
    deadline = greeting.next_deadline()
    while deadline is not None and deadline <= until:
        if None in greeting.hellos_due(deadline):
            times.append(deadline)
        deadline = greeting.next_deadline()
    return times


def test_alone_a_node_says_hello_with_growing_pauses_and_never_stops() -> None:
    greeting, _ = greeting_among(0)
    times = hellos_to_all(greeting, 200.0)
    pauses = [later - earlier for earlier, later in pairwise(times)]
    assert pauses[:4] == [HELLO_PAUSE_MIN_S, 2.0, 4.0, 8.0]
    assert pauses[-1] == HELLO_PAUSE_MAX_S


def test_in_company_a_node_says_a_few_hellos_and_then_rarely_one() -> None:
    greeting, _ = greeting_among(9)
    times = hellos_to_all(greeting, 10 * HELLO_PAUSE_MAX_S)
    assert len(times) == FIRST_HELLOS
    assert greeting.next_deadline() == times[-1] + 10 * HELLO_PAUSE_MAX_S


def test_whoever_has_lost_all_others_looks_for_them_at_once() -> None:
    greeting, roster = greeting_among(1)
    hellos_to_all(greeting, 10.0)
    roster.learn(News(NodeId("n000"), 1, 0, Standing.DEAD), 20.0)
    greeting.follow(20.0)
    assert greeting.hellos_due(20.0) == [None]


@pytest.mark.parametrize("count", [1, 2, 20, 200])
def test_about_three_answer_a_hello(count: int) -> None:
    answers = 0
    for number in range(400):
        greeting, _ = greeting_among(count, Random(number))
        greeting.may_welcome(NodeId("n000"), 5.0)
        answers += len(greeting.welcomes_due(5.0 + WELCOME_SPREAD_S))
    assert answers / 400 * count == pytest.approx(min(count, WELCOMERS), rel=0.5)


def test_a_welcome_is_given_once_after_a_short_pause() -> None:
    greeting, _ = greeting_among(2)
    greeting.may_welcome(NodeId("n000"), 5.0)
    greeting.may_welcome(NodeId("n000"), 5.01)
    assert greeting.welcomes_due(5.0) == []
    assert greeting.welcomes_due(5.0 + WELCOME_SPREAD_S) == ["n000"]
    assert greeting.welcomes_due(6.0) == []


def test_so_many_newcomers_wait_for_an_answer() -> None:
    greeting, _ = greeting_among(1)
    for number in range(WELCOMES_MAX + 10):
        greeting.may_welcome(NodeId(f"new{number}"), 5.0)
    assert len(greeting.welcomes_due(10.0)) == WELCOMES_MAX


def test_a_newcomer_hears_of_all_but_itself() -> None:
    greeting, _ = greeting_among(5)
    assert [news.node for news in greeting.introductions(NodeId("n002"))] == ["n000", "n001", "n003", "n004"]


def test_in_a_large_mesh_a_newcomer_hears_of_as_many_as_an_answer_holds_different_ones_from_different_nodes() -> None:
    known = set()
    for seed in range(20):
        greeting, _ = greeting_among(300, Random(seed))
        introduced = {news.node for news in greeting.introductions(NodeId("n000"))}
        assert len(introduced) == MEMBERS_ANSWER_MAX - 1
        known |= introduced
    assert len(known) == 299


def test_every_so_often_one_of_the_gone_is_looked_for() -> None:
    greeting, roster = greeting_among(4, Random(1))
    for node in ("n000", "n001", "n002"):
        roster.learn(News(NodeId(node), 1, 0, Standing.DEAD), 0.0)
        greeting.follow(0.0)
    tried: list[NodeId] = []
    now = 0.0
    for _ in range(200):
        now = greeting.next_deadline() or 0.0
        tried += [to for to in greeting.hellos_due(now) if to is not None]
    assert set(tried) == {"n000", "n001", "n002"}
    assert now == pytest.approx(len(tried) * LOST_PAUSE_S, rel=0.2)


def test_nobody_is_looked_for_when_nobody_is_gone() -> None:
    greeting, roster = greeting_among(2)
    roster.learn(News(NodeId("n000"), 1, 0, Standing.DEAD), 0.0)
    greeting.follow(0.0)
    roster.learn(News(NodeId("n000"), 1, 1, Standing.ALIVE), 1.0)
    greeting.follow(1.0)
    assert all(to is None for at in range(100) for to in greeting.hellos_due(float(at)))
