"""EC, BFC and FR: what a node bids for, and with which score."""

from typing import Any

import pytest

from roost.model.ids import NodeId, TaskId
from roost.model.online import OnlineLog, Stretch
from roost.model.ranges import ONE, RangeSet
from roost.policy.bids import SECTION_MIN
from roost.policy.choose import BidFor, Policy, TakeAhead, TakeReady
from roost.policy.competition import BFC, EC, FR
from tests.policy.plain_view import PlainCandidate, PlainView

ELM = NodeId("elm")
#: One failure an hour.
HOURLY = OnlineLog(tuple(Stretch(at * 10_000.0, at * 10_000.0 + 3600.0) for at in range(4)))


def candidate(name: str, count: int = 1, **changes: Any) -> PlainCandidate:
    return PlainCandidate(TaskId(f"5-kedova/{name}"), RangeSet.span(0, count), **{"length_s": 1800.0, **changes})


def bids(policy: Policy, *queue: PlainCandidate, **changes: Any) -> list[tuple[str, str, float]]:
    """Return what is bid for: the task, the elements, and the score with four digits."""
    given = {"others": (ELM,), "online": HOURLY, "now": 50_000.0, "online_since": 50_000.0, **changes}
    choices = policy(PlainView(queue, **given))
    assert all(isinstance(choice, BidFor) and choice.past is None for choice in choices), choices
    found = [choice for choice in choices if isinstance(choice, BidFor)]
    return [(bid.task.partition("/")[2], str(bid.ranges), round(bid.score, 4)) for bid in found]


def test_each_competes_for_the_head_of_the_queue_with_its_own_score() -> None:
    queue = (candidate("a"), candidate("b", length_s=3600.0))
    assert bids(EC, *queue) == [("a", "0", -0.6065)]
    assert bids(BFC, *queue) == [("a", "0", -1.2131)]
    assert bids(FR, *queue, finished=3, aborted=1) == [("a", "0", 2250.0)]


def test_what_others_bid_better_for_is_left_to_them_and_what_they_bid_worse_for_is_not() -> None:
    claimed = candidate("a", bids=[(-0.7, ONE)])
    assert bids(EC, claimed, candidate("b")) == [("b", "0", -0.6065)]
    assert bids(EC, candidate("a", bids=[(-0.5, ONE)]), candidate("b")) == [("a", "0", -0.6065)]
    array = candidate("a", 4, bids=[(-0.7, RangeSet.span(0, 3))], size=2)
    assert bids(EC, array, candidate("b", size=2)) == [("a", "3", -0.6065), ("b", "0", -0.6065)]


def test_a_bid_is_for_as_much_as_fills_the_node() -> None:
    assert bids(BFC, candidate("a", 10, size=4)) == [("a", "0-3", -1.2131)]
    assert bids(EC, *(candidate(name, size=2) for name in "abc")) == [("a", "0", -0.6065), ("b", "0", -0.6065)]


def test_what_this_node_has_no_lane_for_or_nobody_has_the_data_of_is_passed_by() -> None:
    assert bids(EC, candidate("a", hungry_lanes=0), candidate("b", is_hopeless=True), candidate("c")) == [
        ("c", "0", -0.6065)
    ]
    assert bids(EC, candidate("a", hungry_lanes=0)) == []
    assert bids(EC, candidate("a"), may_bid=False) == []
    assert bids(EC) == []


def test_losers_that_score_alike_spread_over_the_places_behind() -> None:
    queue = [candidate(name) for name in "abc"]
    assert [bids(EC, *queue, rank=rank)[0][0] for rank in (0, 1, 2, 3)] == ["a", "a", "b", "c"]


def test_nobody_takes_a_section_or_hesitates_because_the_best_must_be_among_those_that_bid() -> None:
    large = candidate("a", 2 * SECTION_MIN, elements=RangeSet.span(0, 2 * SECTION_MIN), size=3)
    assert bids(BFC, large) == [("a", "0-2", -1.2131)]
    many = tuple(NodeId(f"n{at:04}") for at in range(2000))
    assert bids(BFC, large, others=many) == [("a", "0-2", -1.2131)]


@pytest.mark.parametrize("policy", [EC, BFC, FR])
def test_alone_whatever_is_ready_is_taken_in_the_order_of_the_queue(policy: Policy) -> None:
    choices = policy(PlainView([candidate("a")], alone=True))
    assert [type(choice) for choice in choices] == [TakeReady, TakeAhead]


def test_a_bid_says_why() -> None:
    (bid,) = EC(PlainView([candidate("a")], others=(ELM,), online=HOURLY, now=50_000.0, online_since=50_000.0))
    assert isinstance(bid, BidFor)
    assert "this node stays an hour with 37%" in bid.why
