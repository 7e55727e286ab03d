"""Gossip in rounds, and how many messages it takes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.lab.mobile.gossip import EXPIRES_ROUNDS, Gossip, asked_and_answered, told_of_changes
from roost.model.ids import NodeId

NAMES = [NodeId(f"worker{at:02}") for at in range(1, 21)]
FIVE = NAMES[:5]


def test_each_hears_of_its_group_and_of_nobody_else() -> None:
    gossip = Gossip(NAMES, 4, 30.0)
    gossip.tell_all(0.0, {name: at for at, name in enumerate(NAMES)})
    assert [one.node for one in gossip.neighbours(NAMES[5], 0.0)] == [NAMES[4], NAMES[6], NAMES[7]]
    assert [one.performance for one in gossip.neighbours(NAMES[5], 0.0)] == [4, 6, 7]


def test_what_brings_nothing_new_is_left_out_and_still_counts() -> None:
    gossip = Gossip(FIVE, 5, 30.0)
    for at in range(10):
        gossip.tell_all(30.0 * at, dict.fromkeys(FIVE, 7))
    assert gossip.messages == 5 * 4
    assert len(gossip.neighbours(FIVE[0], 270.0)) == 4


def test_who_is_away_is_forgotten_after_some_rounds() -> None:
    gossip = Gossip(FIVE, 5, 30.0)
    gossip.tell_all(0.0, dict.fromkeys(FIVE, 7))
    for at in range(1, EXPIRES_ROUNDS + 1):
        gossip.tell_all(30.0 * at, dict.fromkeys(FIVE[1:], 7))
        knows = [one.node for one in gossip.neighbours(FIVE[1], 30.0 * at)]
        assert (FIVE[0] in knows) == (at < EXPIRES_ROUNDS)


@given(st.integers(2, 20), st.integers(1, 5))
def test_while_everything_changes_each_tells_all_others_of_a_group_in_each_round(group: int, rounds: int) -> None:
    gossip = Gossip(NAMES, group, 30.0)
    for at in range(rounds):
        gossip.tell_all(30.0 * at, dict.fromkeys(NAMES, at))
    assert gossip.messages == len(NAMES) * (group - 1) * rounds


@pytest.mark.parametrize(("group", "pairs"), [(2, 20), (3, 20), (10, 100), (20, 190)])
def test_roost_takes_two_messages_for_each_pair(group: int, pairs: int) -> None:
    groups = Gossip(NAMES, group, 30.0).groups
    assert asked_and_answered(groups, 300.0, 30.0) == 2 * pairs * 10


def test_roost_tells_a_change_to_all_who_have_asked() -> None:
    groups = Gossip(NAMES, 10, 30.0).groups
    assert told_of_changes(groups, [2, *[0] * 19]) == 2 * 9
