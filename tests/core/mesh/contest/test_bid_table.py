"""Bids enter once, claim for a while, are remembered a little longer, and never fill the memory."""

import pytest

from roost.core.mesh.contest.bid_table import REMEMBERED_S, BidTable
from roost.model.errors import InvariantViolated
from roost.model.ids import NodeId, TaskId
from roost.model.limits import BIDS_MAX, BIDS_OF_A_NODE_MAX
from roost.model.ranges import EMPTY, RangeSet
from roost.wire.messages import Bid
from tests.core.bidders import TASK, make_bid

OTHER = TaskId("1-bababa/other")


def add(table: BidTable, bid: Bid, until: float = 1.0) -> bool:
    return table.add(bid, bid.ranges, until)


def claims(table: BidTable, since: float = 0.0, task: TaskId = TASK) -> list[tuple[str, str]]:
    return [(known.bid.node, str(known.claims)) for known in table.alive(task, since)]


def test_a_bid_enters_once() -> None:
    """DICE, problems: messages may come several times."""
    table = BidTable()
    assert add(table, make_bid("ash"))
    assert not add(table, make_bid("ash"), until=9.0)
    assert claims(table, since=1.0) == []


def test_a_claim_ends_at_its_time() -> None:
    table = BidTable()
    add(table, make_bid("ash", "0-3"), until=1.0)
    assert claims(table, since=0.9) == [("ash", "0-3")]
    assert claims(table, since=1.0) == []


def test_what_is_leased_or_lost_is_no_longer_claimed() -> None:
    table = BidTable()
    add(table, make_bid("ash", "0-3"))
    add(table, make_bid("oak", "2-5"))
    add(table, make_bid("oak", "0-3", at=1, task=OTHER))
    table.give_up(TASK, RangeSet.parse("0-2"))
    assert claims(table) == [("ash", "3"), ("oak", "3-5")]
    assert claims(table, task=OTHER) == [("oak", "0-3")]


def test_only_bids_that_claim_something_now_are_looked_through() -> None:
    table = BidTable()
    for node, ranges, until in (("ash", "0", 1.0), ("oak", "1", 2.0), ("elm", "2", 3.0)):
        add(table, make_bid(node, ranges), until)
    table.give_up(TASK, RangeSet.parse("1"))
    assert [known.bid.node for known in table.claims_on(TASK, 0.5)] == ["ash", "elm"]
    assert [known.bid.node for known in table.claims_on(TASK, 1.0)] == ["elm"]
    assert len(table) == 3
    table.check()


def test_the_next_end_is_that_of_a_claim_that_still_covers_something() -> None:
    table = BidTable()
    add(table, make_bid("ash", "0"), until=1.0)
    add(table, make_bid("oak", "1"), until=2.0)
    table.add(make_bid("elm", "2"), EMPTY, 0.5)
    assert table.next_end(0.0) == 1.0
    table.give_up(TASK, RangeSet.parse("0"))
    assert table.next_end(0.0) == 2.0
    assert table.next_end(2.0) is None


def test_a_bid_is_remembered_after_its_claim_and_the_newest_for_an_element_is_found() -> None:
    table = BidTable()
    old, new = make_bid("ash", "0-3"), make_bid("ash", "3-5", at=1)
    add(table, new)
    add(table, old)
    table.give_up(TASK, RangeSet.parse("0-5"))
    table.forget_before(1.0 + REMEMBERED_S / 2)
    assert table.of_node(NodeId("ash"), TASK, 0) == old
    assert table.of_node(NodeId("ash"), TASK, 3) == new
    assert table.of_node(NodeId("ash"), TASK, 6) is None
    assert table.of_node(NodeId("oak"), TASK, 0) is None


def test_a_bid_that_comes_again_after_it_was_forgotten_is_too_old() -> None:
    table = BidTable()
    add(table, make_bid("ash", at=5))
    table.forget_before(1.0 + REMEMBERED_S)
    assert len(table) == 0
    assert not add(table, make_bid("ash", at=5))
    assert not add(table, make_bid("ash", at=4))
    assert add(table, make_bid("ash", at=6))
    assert add(table, make_bid("oak", at=4))


def test_bids_of_one_node_may_overtake_each_other() -> None:
    table = BidTable()
    assert add(table, make_bid("ash", "1", at=6))
    assert add(table, make_bid("ash", "0", at=5))


def test_a_task_that_is_forgotten_takes_its_bids_along() -> None:
    table = BidTable()
    add(table, make_bid("ash"))
    add(table, make_bid("ash", at=1, task=OTHER))
    table.forget_task(TASK)
    assert (claims(table), len(table)) == ([], 1)
    table.check()


def test_a_node_that_bids_without_end_pushes_out_only_its_own_bids() -> None:
    table = BidTable()
    add(table, make_bid("oak"))
    for at in range(2 * BIDS_OF_A_NODE_MAX):
        add(table, make_bid("ash", str(at), at=at))
    assert len(table) == BIDS_OF_A_NODE_MAX + 1
    assert table.of_node(NodeId("oak"), TASK, 0) is not None
    assert table.of_node(NodeId("ash"), TASK, 0) is None
    table.check()


def test_all_nodes_together_do_not_fill_the_memory() -> None:
    table = BidTable()
    for number in range(BIDS_MAX + 100):
        add(table, make_bid(f"node{number % 1000}", at=number))
    assert len(table) == BIDS_MAX
    table.check()


def test_ends_of_claims_that_are_gone_do_not_pile_up() -> None:
    table = BidTable()
    for at in range(5000):
        add(table, make_bid("ash", at=at), until=100.0 + at)
        table.forget_task(TASK)
    assert len(table._ends) < 200


def test_the_check_notices_a_bid_that_claims_what_it_did_not_ask_for() -> None:
    table = BidTable()
    add(table, make_bid("ash", "0-3"))
    next(table.alive(TASK, 0.0)).claims = RangeSet.parse("0-4")
    with pytest.raises(InvariantViolated, match="it was for 0-3"):
        table.check()
