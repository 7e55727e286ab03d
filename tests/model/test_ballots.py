"""Ballots: one order that everybody computes alike."""

from roost.model.ballots import Ballot
from roost.model.ids import NodeId

ASH, ELM = NodeId("ash"), NodeId("elm")


def test_ballots_are_ordered_by_number_then_by_node_then_by_its_life() -> None:
    ordered = [Ballot(1, ASH, 1), Ballot(1, ASH, 2), Ballot(1, ELM, 1), Ballot(2, ASH, 1)]
    assert [min(ordered[at:]) for at in range(4)] == ordered
    assert len(set(ordered)) == 4
