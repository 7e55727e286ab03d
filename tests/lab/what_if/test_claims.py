"""Who has what while a contest goes on."""

from roost.lab.what_if.board import Board
from roost.lab.what_if.claims import Claims
from roost.lab.what_if.lives import life_of
from roost.lab.what_if.nodes import Node
from roost.model.ranges import RangeSet
from tests.lab.what_if.asking import array, machines


def nodes() -> list[Node]:
    return [Node(at, one, life_of(one, at, "1")) for at, one in enumerate(machines("2 x lanes=2"))]


def test_who_bids_keeps_as_many_lanes_as_it_takes_and_has_them_back_when_it_is_over() -> None:
    ash, _ = nodes()
    entry, other = Board([array("a", 1.0, 1.0, 1.0), array("b", 1.0)]).entries
    claims = Claims()
    assert claims.bid(ash, entry, RangeSet.span(0, 1), 0.0) == []
    assert ash.free.cpus == 1.0
    claims.bid(ash, entry, RangeSet.span(1, 3), 0.0)
    assert ash.free.cpus == 0.0, "three short elements share two lanes"
    claims.bid(ash, other, RangeSet.span(0, 1), 0.0)
    assert [(node.at, one.at, str(ranges)) for node, one, ranges in claims.settle()] == [(0, 0, "0-2"), (0, 1, "0")]
    assert ash.free.cpus == 2.0
    assert entry.claims == other.claims == []


def test_who_is_outbid_has_the_lanes_back_and_keeps_the_rest() -> None:
    ash, elm = nodes()
    (entry,) = Board([array("a", 1.0, 1.0)]).entries
    claims = Claims()
    claims.bid(ash, entry, RangeSet.span(0, 2), -1.0)
    assert claims.bid(elm, entry, RangeSet.span(1, 2), -2.0) == [ash]
    assert (ash.free.cpus, elm.free.cpus) == (1.0, 1.0)
    assert [(node.at, str(ranges)) for node, _, ranges in claims.settle()] == [(0, "0"), (1, "1")]


def test_what_somebody_takes_without_a_contest_nobody_else_gets() -> None:
    ash, _ = nodes()
    (entry,) = Board([array("a", 1.0, 1.0)]).entries
    claims = Claims()
    claims.bid(ash, entry, RangeSet.span(0, 2), -1.0)
    assert claims.give_up(entry, RangeSet.span(0, 2)) == [ash]
    assert list(claims.settle()) == []
    assert ash.free.cpus == 2.0
