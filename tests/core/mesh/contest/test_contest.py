"""The contest for ready elements: window, total order, rank, claims of others."""

import math
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.core.mesh.contest.contest import CLAIM_S_MIN, CLAIM_WINDOWS, Contest, ContestOutcome
from roost.model.clock import Stamp
from roost.model.errors import InvariantViolated
from roost.model.ids import NodeId, TaskId
from roost.model.limits import BID_RANGES_MAX
from roost.model.ranges import EMPTY, RangeSet
from roost.model.task import Priority
from roost.wire.messages import Bid
from tests.core.bidders import LOW, TASK, Hall, make_bid, rounds_until_all_have_work

OTHER = TaskId("1-bababa/other")
WINDOW_S = 0.1


class Bidder:
    """A contest of one node, with ranges as text."""

    def __init__(self, name: str = "me") -> None:
        self.contest = Contest(NodeId(name))
        self.name = NodeId(name)

    def bid(
        self,
        ranges: str = "0",
        at: int = 5,
        *,
        now: float = 0.0,
        window_s: float = WINDOW_S,
        score: float = 0.0,
        task: TaskId = TASK,
    ) -> Bid:
        stamp = Stamp(at, 0, self.name)
        return self.contest.bid(task, RangeSet.parse(ranges), LOW, score, stamp, now=now, window_s=window_s)

    def hear(self, *bids: Bid, now: float = 0.0) -> None:
        for bid in bids:
            self.contest.heard(bid, now)

    def covered(self, ranges: str, priority: Priority = LOW, score: float = math.inf) -> str:
        return str(self.contest.better_covering(TASK, RangeSet.parse(ranges), priority, score))


def told(outcomes: list[ContestOutcome]) -> list[tuple[str, str, int]]:
    return [(str(outcome.won), str(outcome.lost), outcome.rank) for outcome in outcomes]


def test_the_only_bidder_wins() -> None:
    """DICE, time window, situation 1."""
    me = Bidder()
    me.bid("0-9")
    assert told(me.contest.tick(WINDOW_S)) == [("0-9", "", 0)]


def test_a_node_that_is_alone_has_won_at_once() -> None:
    me = Bidder()
    me.bid("0-9", now=7.0, window_s=0.0)
    assert me.contest.next_deadline() == 7.0
    assert told(me.contest.tick(7.0)) == [("0-9", "", 0)]


def test_nothing_is_decided_before_the_window_closes() -> None:
    """LAN algorithm 3.2, line 9: wait for a given time-window."""
    me = Bidder()
    me.bid(now=1.0)
    assert me.contest.next_deadline() == 1.0 + WINDOW_S
    assert me.contest.tick(1.05) == []
    assert len(me.contest.tick(1.0 + WINDOW_S)) == 1
    assert me.contest.tick(2.0) == []


@pytest.mark.parametrize(
    ("rival", "won"),
    [
        (make_bid("zoe", at=4), ""),
        (make_bid("zoe", at=6), "0"),
        (make_bid("amy", at=5), ""),
        (make_bid("zoe", at=5), "0"),
        (make_bid("zoe", at=9, score=-1.0), ""),
        (make_bid("amy", at=1, score=1.0), "0"),
        (make_bid("amy", "1", at=1), "0"),
        (make_bid("amy", at=1, task=OTHER), "0"),
    ],
    ids=["older", "newer", "tie lower name", "tie higher name", "better score", "worse score", "others", "other task"],
)
def test_the_better_bid_wins_an_element_that_both_asked_for(rival: Bid, won: str) -> None:
    """LAN algorithm 3.2, lines 13 and 14: conflict checking."""
    me = Bidder()
    me.bid(at=5)
    me.hear(rival)
    [outcome] = me.contest.tick(WINDOW_S)
    assert str(outcome.won) == won


def test_element_by_element_the_best_bid_wins() -> None:
    me = Bidder()
    me.bid("0-9", at=5)
    me.hear(make_bid("amy", "0-2", at=1), make_bid("zoe", "2-4", at=2), make_bid("bea", "8-20", at=7))
    assert told(me.contest.tick(WINDOW_S)) == [("5-9", "0-4", 2)]


def test_the_rank_of_a_loser_is_the_number_of_nodes_that_beat_it() -> None:
    """LAN algorithm 3.2, line 15: account my rank."""
    me = Bidder()
    me.bid("0-9", at=5)
    beaten_by = [make_bid("amy", "0-4", at=1), make_bid("amy", "5-9", at=2), make_bid("zoe", "0-9", at=3)]
    me.hear(*beaten_by, make_bid("bea", "0-9", at=8), make_bid("cat", "10", at=1))
    assert told(me.contest.tick(WINDOW_S)) == [("", "0-9", 2)]


def test_a_bid_that_was_heard_before_ours_counts_while_it_is_alive() -> None:
    me = Bidder()
    me.hear(make_bid("amy", "0-4", at=1), now=0.0)
    me.bid("0-9", now=0.01)
    assert told(me.contest.tick(0.01 + WINDOW_S)) == [("5-9", "0-4", 1)]


def test_a_bid_that_expired_before_ours_does_not_count() -> None:
    me = Bidder()
    me.hear(make_bid("amy", "0-4", at=1), now=0.0)
    me.bid("0-9", now=100.0)
    assert told(me.contest.tick(100.0 + WINDOW_S)) == [("0-9", "", 0)]


def test_a_bid_that_expires_while_our_window_is_open_counts_to_its_end() -> None:
    me = Bidder()
    me.bid("100", at=1, now=0.0, window_s=0.02)
    me.hear(make_bid("amy", "0", at=1), now=0.0)
    me.bid("0", at=5, now=0.07, window_s=60.0)
    me.contest.tick(50.0)
    me.contest.tick(60.0)
    assert told(me.contest.tick(90.0)) == [("", "0", 1)]


def test_several_contests_may_be_open_for_one_task() -> None:
    me = Bidder()
    first, second = me.bid("0-4", at=5), me.bid("5-9", at=6, now=0.05)
    me.hear(make_bid("amy", "4-5", at=1))
    assert str(me.contest.bidding_for(TASK)) == "0-9"
    assert [outcome.bid for outcome in me.contest.tick(WINDOW_S)] == [first]
    assert [outcome.bid for outcome in me.contest.tick(1.0)] == [second]
    assert me.contest.bidding_for(TASK) == EMPTY


@pytest.mark.parametrize(
    ("ranges", "at", "score"),
    [("4-5", 6, 0.0), ("9", 5, 0.0), ("9", 6, math.nan)],
    ids=["its own elements again", "a stamp twice", "no score"],
)
def test_a_node_does_not_bid_against_itself_nor_nonsense(ranges: str, at: int, score: float) -> None:
    me = Bidder()
    me.bid("0-4", at=5)
    with pytest.raises(InvariantViolated, match="cannot bid"):
        me.bid(ranges, at, score=score)
    me.contest.check()


def test_a_bid_is_for_something_and_not_for_too_many_ranges() -> None:
    me = Bidder()
    for ranges in (EMPTY, RangeSet.of(range(0, 4 * BID_RANGES_MAX, 2))):
        with pytest.raises(InvariantViolated, match="cannot bid for"):
            me.contest.bid(TASK, ranges, LOW, 0.0, Stamp(1, 0, me.name), now=0.0, window_s=0.1)
        assert not me.contest.heard(Bid(TASK, ranges, LOW, 0.0, Stamp(1, 0, NodeId("amy"))), 0.0)


def test_our_own_bid_that_comes_back_and_one_without_a_score_say_nothing() -> None:
    me = Bidder()
    bid = me.bid("0")
    assert not me.contest.heard(bid, 0.0)
    assert not me.contest.heard(make_bid("amy", at=1, score=math.nan), 0.0)
    assert told(me.contest.tick(WINDOW_S)) == [("0", "", 0)]


# Claims of others.


def test_what_others_bid_for_is_not_bid_for_again_until_it_expires() -> None:
    me = Bidder()
    me.bid("99", now=0.0)
    me.contest.tick(WINDOW_S)
    me.hear(make_bid("amy", "0-4"), now=1.0)
    assert me.covered("0-9") == "0-4"
    ends = 1.0 + CLAIM_WINDOWS * WINDOW_S
    assert me.contest.next_deadline() == pytest.approx(ends)
    me.contest.tick(ends)
    assert me.covered("0-9") == ""
    assert me.contest.next_deadline() is None


def test_on_a_quick_network_claims_last_as_long_as_a_loaded_machine_may_be_late() -> None:
    me = Bidder()
    me.bid("99", now=0.0, window_s=0.002)
    me.hear(make_bid("amy", "0"), now=0.0)
    me.contest.tick(0.9 * CLAIM_S_MIN)
    assert me.covered("0") == "0"
    me.contest.tick(CLAIM_S_MIN)
    assert me.covered("0") == ""


def test_a_bid_without_a_window_does_not_shorten_the_claims_of_others() -> None:
    me = Bidder()
    me.bid("98", at=1)
    me.bid("99", at=2, window_s=0.0)
    me.hear(make_bid("amy", "0"), now=0.0)
    me.contest.tick(CLAIM_WINDOWS * WINDOW_S - 0.01)
    assert me.covered("0") == "0"


def test_a_worse_bid_does_not_keep_a_better_one_away() -> None:
    me = Bidder()
    me.hear(make_bid("amy", "0-4", score=1.0), make_bid("zoe", "5-9", score=3.0))
    assert me.covered("0-9") == "0-9"
    assert me.covered("0-9", score=2.0) == "0-4"
    assert me.covered("0-9", score=1.0) == "0-4"
    assert me.covered("0-9", priority=Priority.INTERACTIVE, score=9.0) == ""


def test_what_became_a_lease_is_lost_and_nobody_claims_it_any_longer() -> None:
    """LAN 3.6.2: notified that t is running, a server removes it from its ready-queue."""
    me = Bidder()
    me.bid("0-9")
    me.hear(make_bid("amy", "0-4", at=1), make_bid("zoe", "3-6", at=9))
    me.contest.taken(TASK, RangeSet.parse("0-6"))
    assert me.covered("0-9") == ""
    assert told(me.contest.tick(WINDOW_S)) == [("7-9", "0-6", 1)]


def test_a_lease_of_somebody_who_did_not_bid_does_not_count_for_the_rank() -> None:
    me = Bidder()
    me.bid("0-9")
    me.contest.taken(TASK, RangeSet.parse("0-20"))
    assert told(me.contest.tick(WINDOW_S)) == [("", "0-9", 0)]


def test_who_wins_everything_has_the_rank_0_although_a_better_bid_had_the_elements_before() -> None:
    """LAN algorithm 3.2, line 17: who has not lost executes the task."""
    me = Bidder()
    me.hear(make_bid("amy", "0-4", at=1))
    me.contest.taken(TASK, RangeSet.parse("0-4"))
    me.bid("0-9")
    assert told(me.contest.tick(WINDOW_S)) == [("0-9", "", 0)]


def test_what_we_won_the_others_no_longer_claim() -> None:
    me = Bidder()
    me.bid("0-4", at=1)
    me.hear(make_bid("amy", "0-9", at=2))
    me.contest.tick(WINDOW_S)
    assert me.covered("0-9") == "5-9"


def test_a_bid_for_a_task_that_is_not_known_yet_waits_for_it() -> None:
    """DICE, problems with this solution: a device can receive a message about an unknown task."""
    me = Bidder()
    me.hear(make_bid("amy", "0-4", at=1, task=OTHER))
    me.bid("0-9", task=OTHER, now=0.01)
    assert told(me.contest.tick(1.0)) == [("5-9", "0-4", 1)]


def test_a_task_that_is_over_has_neither_bids_nor_contests() -> None:
    me = Bidder()
    me.bid("0")
    me.bid("0", at=6, task=OTHER)
    me.hear(make_bid("amy", "1"))
    me.contest.forget(TASK)
    assert me.covered("0-9") == ""
    assert [outcome.bid.task for outcome in me.contest.tick(WINDOW_S)] == [OTHER]


def test_bids_are_remembered_for_contests_between_holders() -> None:
    """DICE situation 3: a late request is compared with that of the execution host."""
    me = Bidder()
    mine, late = me.bid("0-4"), make_bid("amy", "0-9", at=1)
    me.contest.tick(WINDOW_S)
    me.hear(late, now=0.5)
    me.contest.tick(3.0)
    assert me.contest.bid_of(me.name, TASK, 3) == mine
    assert me.contest.bid_of(NodeId("amy"), TASK, 3) == late
    me.contest.tick(60.0)
    assert me.contest.bid_of(me.name, TASK, 3) is None


# All nodes decide alike.

node_names = st.sampled_from(["ash", "bay", "elm", "oak"])
few = st.sets(st.integers(0, 12), min_size=1).map(RangeSet.of)
wishes = st.lists(st.tuples(node_names, few, st.sampled_from([0.0, 1.0]), st.integers(0, 3)), min_size=1, max_size=8)


def bids_of(wishes: list[tuple[str, RangeSet, float, int]]) -> list[Bid]:
    """Make bids of wishes; a node does not wish for the same element twice."""
    bids, wanted = [], dict.fromkeys(("ash", "bay", "elm", "oak"), EMPTY)
    for count, (node, ranges, score, at) in enumerate(wishes):
        ranges -= wanted[node]
        wanted[node] |= ranges
        if ranges:
            bids.append(Bid(TASK, ranges, LOW, score, Stamp(at, count, NodeId(node))))
    return bids


def outcomes_at(node: NodeId, bids: list[Bid], seed: int) -> dict[Stamp, ContestOutcome]:
    """Let a node make its own bids and hear all others, in an order of its own and some of them twice."""
    random, contest = Random(seed), Contest(node)
    arriving = [*bids, *random.choices(bids, k=len(bids))]
    random.shuffle(arriving)
    opened: set[Stamp] = set()
    for bid in arriving:
        if bid.node != node:
            contest.heard(bid, 0.0)
        elif bid.at not in opened:
            opened.add(bid.at)
            contest.bid(bid.task, bid.ranges, bid.priority, bid.score, bid.at, now=0.0, window_s=WINDOW_S)
        contest.check()
    return {outcome.bid.at: outcome for outcome in contest.tick(WINDOW_S)}


@given(wishes, st.integers(0, 1000))
def test_if_all_heard_all_bids_every_element_is_won_by_exactly_one(
    wishes: list[tuple[str, RangeSet, float, int]], seed: int
) -> None:
    bids = bids_of(wishes)
    won = EMPTY
    for number, node in enumerate(sorted({bid.node for bid in bids})):
        for outcome in outcomes_at(node, bids, seed + number).values():
            assert outcome.won.isdisjoint(won)
            assert outcome.won | outcome.lost == outcome.bid.ranges
            won |= outcome.won
    assert won == RangeSet.of(index for bid in bids for index in bid.ranges)


@given(wishes, st.integers(0, 1000), st.integers(0, 1000))
def test_the_order_in_which_bids_come_and_come_again_does_not_matter(
    wishes: list[tuple[str, RangeSet, float, int]], seed: int, other_seed: int
) -> None:
    bids = bids_of(wishes)
    for node in {bid.node for bid in bids}:
        assert outcomes_at(node, bids, seed) == outcomes_at(node, bids, other_seed)


# Rounds.


@pytest.mark.parametrize(("nodes", "tasks"), [(2, 2), (5, 5), (5, 40), (30, 30), (30, 1000)])
def test_with_ranks_all_nodes_have_work_after_two_rounds_without_after_as_many_as_nodes(nodes: int, tasks: int) -> None:
    """LAN 3.6.2: the rank is "a strategy for avoiding/minimizing the race conditions on the next time"."""
    assert rounds_until_all_have_work(nodes, tasks, with_rank=True) == 2
    assert rounds_until_all_have_work(nodes, tasks, with_rank=False) == nodes


@pytest.mark.parametrize("seed", range(10))
def test_with_delays_ranks_save_bids_and_nobody_gets_the_same_element(seed: int) -> None:
    """LAN 3.6.2 and design.md: k losers spread over the next k ranges."""
    ranked, unranked = Hall(20, 40, seed), Hall(20, 40, seed, with_rank=False)
    for hall in (ranked, unranked):
        hall.run()
        assert sorted(len(won) for won in hall.taken.values()) == [1] * 20
        assert len(RangeSet.of(index for won in hall.taken.values() for index in won)) == 20
    assert ranked.bids * 2 < unranked.bids


@pytest.mark.parametrize("seed", range(10))
def test_lost_bids_and_leases_keep_nobody_from_work(seed: int) -> None:
    hall = Hall(10, 30, seed, loss=0.2)
    hall.run()
    assert sorted(len(won) for won in hall.taken.values()) == [1] * 10
