"""Which bid is better, how much to bid for, and where."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.model.clock import Stamp
from roost.model.ids import NodeId, TaskId
from roost.model.limits import BID_RANGES_MAX, LEASE_ELEMENTS_MAX
from roost.model.ranges import RangeSet
from roost.model.task import Priority
from roost.policy.batch import GROWTH_MAX
from roost.policy.bids import (
    BID_LAST_S,
    BID_TARGET_S,
    BID_WINDOWS,
    BIDDERS,
    LAST_SCORE,
    QUEUE_MIN,
    SECTION_MIN,
    Offer,
    bid_key,
    bid_size,
    choose_in_sections,
    choose_places,
    has_sections,
    hesitates,
    is_long,
    place_of,
    places_looked_at,
    speaks_better,
    why_lost,
)
from roost.wire.messages import Bid
from tests.strategies import range_sets, stamps

INTERACTIVE, LOW = Priority.INTERACTIVE, Priority.LOW
T = TaskId("1-bababa/t")
TX, TY, TZ = (TaskId(f"1-bababa/t{name}") for name in "xyz")
ONE = RangeSet.span(0, 1)


def bid(node: str, at: int = 0, count: int = 0, score: float = 0.0, priority: Priority = LOW) -> Bid:
    return Bid(T, ONE, priority, score, Stamp(at, count, NodeId(node)))


bids = st.builds(Bid, st.just(T), range_sets, st.sampled_from(Priority), st.sampled_from([0.0, 0.5, 2.0]), stamps)


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        (bid("b", at=9, score=9, priority=INTERACTIVE), bid("a", at=1, score=1, priority=LOW)),
        (bid("b", at=9, score=1), bid("a", at=1, score=2)),
        (bid("b", at=1), bid("a", at=2)),
        (bid("b", at=1, count=0), bid("a", at=1, count=1)),
        (bid("a", at=1), bid("b", at=1)),
    ],
    ids=["priority before score", "score before stamp", "older stamp", "older by its count", "lower name"],
)
def test_priority_then_score_then_stamp_then_name(better: Bid, worse: Bid) -> None:
    """design.md, the life of an element: (ranges, priority class, score, hybrid timestamp, node id)."""
    assert bid_key(better) < bid_key(worse)


@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from("abc")), min_size=2, max_size=2, unique=True))
def test_with_equal_scores_the_order_is_that_of_timestamp_and_host_name(two: list[tuple[int, str]]) -> None:
    """LAN 3.6.2: the proposal's timestamp is older, or in case of a tie its hostname is alphabetically lower."""
    (at, host), (other_at, other_host) = two
    assert (bid_key(bid(host, at)) < bid_key(bid(other_host, other_at))) == ((at, host) < (other_at, other_host))


@given(st.lists(bids, min_size=2, max_size=6, unique_by=lambda bid: bid.at))
def test_of_different_bids_one_is_always_the_best(different: list[Bid]) -> None:
    keys = [bid_key(bid) for bid in different]
    assert [all(key <= other for other in keys) for key in keys].count(True) == 1


def test_what_stands_beats_a_new_bid_of_the_same_class_and_score() -> None:
    standing = bid("b", score=1.0)
    assert speaks_better(standing, LOW, 1.0)
    assert speaks_better(standing, LOW, 2.0)
    assert not speaks_better(standing, LOW, 0.5)
    assert not speaks_better(standing, INTERACTIVE, 9.0)


# How much.


def test_while_the_length_of_an_element_is_not_known_every_lane_gets_one() -> None:
    assert bid_size(None, ready=1000, lanes=4, nodes=5, previous=0) == 4


def test_a_bid_fills_a_short_time_on_all_free_lanes() -> None:
    """design.md: "for as many elements as fill a short time, so that tiny tasks do not pay a contest each"."""
    assert bid_size(BID_TARGET_S / 50, ready=10**6, lanes=4, nodes=5, previous=1000) == 200


def test_long_elements_go_one_to_a_lane() -> None:
    assert bid_size(60.0, ready=1000, lanes=4, nodes=5, previous=4) == 4


def test_on_a_slow_network_a_bid_lasts_several_windows() -> None:
    assert bid_size(0.1, ready=10**6, lanes=1, nodes=2, previous=100, window_s=1.0) == BID_WINDOWS * 10


def test_bids_grow_step_by_step_because_the_first_elements_may_not_be_typical() -> None:
    assert bid_size(1e-6, ready=10**6, lanes=2, nodes=2, previous=0) == 2 * GROWTH_MAX
    assert bid_size(1e-6, ready=10**6, lanes=2, nodes=2, previous=16) == 16 * GROWTH_MAX


@pytest.mark.parametrize(
    ("mean_s", "first", "last"), [(1.4 * BID_LAST_S, 6, 2), (BID_LAST_S, 8, 2), (BID_LAST_S / 3, 10, 6)]
)
def test_the_last_part_of_an_array_is_shared_out_in_shrinking_pieces_among_all_nodes(
    mean_s: float, first: int, last: int
) -> None:
    """They do not shrink below the work that is worth a contest, and the first hold no more than a bid should."""
    left, sizes = 100, []
    while left > 0:
        sizes.append(bid_size(mean_s, ready=left, lanes=2, nodes=5, previous=1000))
        left -= sizes[-1]
    assert sizes == sorted(sizes, reverse=True)
    assert (sizes[0], sizes[-1]) == (first, last)


def test_no_piece_is_done_sooner_than_a_window_if_there_is_enough() -> None:
    assert bid_size(BID_LAST_S, ready=10, lanes=1, nodes=5, previous=1000, window_s=3 * BID_LAST_S) == 3


def test_no_lane_stays_empty_for_the_sake_of_other_nodes() -> None:
    assert bid_size(BID_TARGET_S, ready=3, lanes=8, nodes=5, previous=1000) == 8


def test_no_bid_asks_for_more_than_its_lanes_can_hold_as_leases() -> None:
    assert bid_size(0.0, ready=10**9, lanes=2, nodes=1, previous=10**9) == 2 * LEASE_ELEMENTS_MAX


# Where.


@pytest.mark.parametrize(
    ("rank", "piece"),
    [(0, "0-9"), (1, "0-9"), (2, "10-19"), (3, "20-24"), (4, "0-9"), (5, "10-19"), (3000, "20-24")],
)
def test_who_was_beaten_by_two_takes_the_second_piece_and_so_on_around(rank: int, piece: str) -> None:
    """LAN 3.6.2: "it will try to dequeue the task that is in second position of the queue because its rank was 2"."""
    assert choose_places([Offer(T, RangeSet.span(0, 25), 10)], rank) == [(T, RangeSet.parse(piece))]


def test_pieces_are_counted_in_elements_not_in_indices() -> None:
    assert choose_places([Offer(T, RangeSet.parse("1,5,9-12,100"), 2)], 2) == [(T, RangeSet.parse("9-10"))]


def test_where_nothing_is_ready_nothing_is_chosen() -> None:
    assert choose_places([], 3) == []


@given(range_sets, st.integers(1, 7), st.integers(1, 12))
def test_as_many_losers_as_there_are_pieces_choose_apart_from_each_other(
    ready: RangeSet, size: int, first: int
) -> None:
    """LAN algorithm 3.2 and DICE situation 2: k losers spread over the next k pieces."""
    pieces = -(-len(ready) // size)
    places = [choose_places([Offer(T, ready, size)], rank) for rank in range(first, first + pieces)]
    chosen = [ranges for place in places for _, ranges in place]
    for one, other in itertools.combinations(chosen, 2):
        assert one.isdisjoint(other)
    assert sum(map(len, chosen)) == len(ready)


def test_a_bid_in_many_crumbs_is_cut_to_its_limit() -> None:
    crumbs = RangeSet.of(range(0, 4 * BID_RANGES_MAX, 2))
    assert choose_places([Offer(T, crumbs, 10**6)], 0) == [(T, crumbs.take(BID_RANGES_MAX))]


def test_the_losers_of_three_nodes_try_the_second_and_the_third_task() -> None:
    """LAN figure 3.11: who lost once tries Ty, who lost twice tries Tz; Tx is the winner's."""
    left = [Offer(task, ONE, 1) for task in (TY, TZ)]
    assert choose_places(left, 1) == [(TY, ONE)]
    assert choose_places(left, 2) == [(TZ, ONE)]
    assert choose_places([Offer(TX, ONE, 1), *left], 0) == [(TX, ONE)]


def test_a_place_of_a_node_with_several_lanes_is_several_small_tasks() -> None:
    queue = [Offer(TaskId(f"1-bababa/t{number}"), ONE, 3) for number in range(7)]
    names = [[task[-1] for task, _ in choose_places(queue, rank)] for rank in (1, 2, 3, 4)]
    assert names == [["0", "1", "2"], ["3", "4", "5"], ["6"], ["0", "1", "2"]]


def test_a_place_may_begin_with_the_end_of_one_array_and_go_on_in_the_next() -> None:
    queue = [Offer(TX, RangeSet.span(0, 6), 4), Offer(TY, RangeSet.span(0, 100), 20)]
    assert choose_places(queue, 1) == [(TX, RangeSet.parse("0-3"))]
    assert choose_places(queue, 2) == [(TX, RangeSet.parse("4-5")), (TY, RangeSet.parse("0-9"))]
    assert choose_places(queue, 3) == [(TY, RangeSet.parse("10-29"))]


@given(st.lists(st.tuples(range_sets, st.integers(1, 9)), max_size=5), st.integers(1, 5))
def test_the_places_of_a_queue_are_disjoint_and_cover_it(tasks: list[tuple[RangeSet, int]], first: int) -> None:
    queue = [Offer(TaskId(f"1-bababa/t{number}"), ready, size) for number, (ready, size) in enumerate(tasks)]
    total = sum(len(offer.ready) for offer in queue)
    seen: set[tuple[TaskId, int]] = set()
    for rank in range(first, first + total):
        elements = {(task, index) for task, ranges in choose_places(queue, rank) for index in ranges}
        if elements & seen:
            break
        seen |= elements
    assert len(seen) == total


# Sections of large arrays.

THOUSAND = RangeSet.span(0, 1000)


def section_bids(ready: RangeSet, size: int, nodes: int, rank: int = 0) -> list[RangeSet]:
    """Return what each of so many nodes bids for of a thousand elements."""
    return [choose_in_sections(THOUSAND, ready, size, rank, position, nodes) for position in range(nodes)]


def test_a_queue_is_long_if_there_are_several_tasks_for_each_node() -> None:
    assert is_long(5 * QUEUE_MIN, 5)
    assert not is_long(5 * QUEUE_MIN - 1, 5)
    assert not is_long(1000, 1)


def test_each_node_has_its_share_of_a_long_queue() -> None:
    tasks = [TaskId(f"1-bababa/t{at}") for at in range(1000)]
    shares = [sum(place_of(task, 5) == position for task in tasks) for position in range(5)]
    assert sum(shares) == 1000
    assert min(shares) > 150


def test_a_bidder_looks_at_the_places_before_its_own_and_at_those_that_decide_whether_it_hesitates() -> None:
    assert [places_looked_at(rank, 5) for rank in (0, 1, 4)] == [1, 1, 4]
    assert places_looked_at(0, 3 * BIDDERS) == 3


def test_a_large_array_has_sections_and_a_small_one_or_that_of_a_lone_node_has_not() -> None:
    assert has_sections(RangeSet.span(0, 5 * SECTION_MIN), 5)
    assert not has_sections(RangeSet.span(0, 5 * SECTION_MIN - 1), 5)
    assert not has_sections(THOUSAND, 1)


def test_every_node_begins_with_its_own_section() -> None:
    assert list(map(str, section_bids(THOUSAND, 10, 4))) == ["0-9", "250-259", "500-509", "750-759"]
    assert list(map(str, section_bids(RangeSet.parse("5-99,700-999"), 20, 2))) == ["5-24", "700-719"]


def test_who_has_nothing_left_of_its_own_helps_from_the_end_each_at_another_place() -> None:
    left = RangeSet.parse("100-199")
    assert list(map(str, section_bids(left, 10, 4))) == ["100-109", "180-189", "170-179", "160-169"]
    assert str(choose_in_sections(THOUSAND, left, 10, 2, 1, 4)) == "170-179", "who was beaten goes on to the next"


@given(range_sets, st.integers(1, 9), st.integers(2, 7), st.integers(0, 5))
def test_whatever_is_left_every_node_finds_some_of_it(ready: RangeSet, size: int, nodes: int, rank: int) -> None:
    elements = ready | RangeSet.span(0, SECTION_MIN * nodes)
    for position in range(nodes):
        piece = choose_in_sections(elements, ready, size, rank, position, nodes)
        assert piece.issubset(ready)
        assert bool(piece) == bool(ready)
        assert len(piece) <= size


def test_pieces_of_a_section_in_many_crumbs_are_cut_to_the_limit() -> None:
    crumbs = RangeSet.of(range(0, 8 * BID_RANGES_MAX, 2))
    for position in range(2):
        assert choose_in_sections(crumbs, crumbs, 10**6, 0, position, 2).range_count == BID_RANGES_MAX


def eager(nodes: int, queue: list[Offer], windows: int = 0) -> list[str]:
    """Those of so many nodes who bid after so many windows."""
    names = [NodeId(f"n{number}") for number in range(nodes)]
    return [name for name in names if not hesitates(queue, name, nodes, windows)]


@pytest.mark.parametrize("nodes", [1, 5, BIDDERS])
def test_in_a_small_mesh_nobody_hesitates(nodes: int) -> None:
    assert len(eager(nodes, [Offer(TX, ONE, 1)])) == nodes


def test_in_a_large_mesh_a_few_bid_at_once_for_each_place_and_more_after_every_window() -> None:
    one, many = [Offer(TX, ONE, 1)], [Offer(TX, RangeSet.span(0, 10), 1)]
    numbers = [len(eager(1000, one, windows)) for windows in range(4)]
    assert BIDDERS / 2 < numbers[0] < BIDDERS * 2
    assert 2 * numbers[0] < numbers[1] < 8 * numbers[0]
    assert numbers[2] < numbers[3] == 1000
    assert 5 * BIDDERS < len(eager(1000, many)) < 20 * BIDDERS
    assert len(eager(1000, [Offer(TX, RangeSet.span(0, 1000), 1)])) == 1000


def test_who_waited_longer_is_not_more_hesitant_and_other_work_is_for_others() -> None:
    first, later = (eager(1000, [Offer(TX, ONE, 1)], windows) for windows in (0, 1))
    assert set(first) < set(later)
    assert set(eager(1000, [Offer(TY, ONE, 1)])) != set(first)


def test_who_has_nothing_to_bid_for_does_not_hesitate() -> None:
    assert not hesitates([], NodeId("n1"), 1000, 0)


def test_who_lost_a_contest_is_told_who_bid_what() -> None:
    def bid(node: str, score: float) -> Bid:
        return Bid(TaskId("5-kedova/a"), RangeSet.of([0]), Priority.LOW, score, Stamp(1, 0, NodeId(node)))

    better = "the last contest went to oak: it bid 0.97, and this node 0.911, which is not as good (ec)"
    assert why_lost("ec", bid("ash", -0.9112), bid("oak", -0.97)) == better
    sooner = "the last contest went to oak: it bid 600, and this node 1.2e+03, which is not as good (fr)"
    assert why_lost("fr", bid("ash", 1200.0), bid("oak", 600.0)) == sooner
    first = "the last contest went to oak, which bid as much, 1, and first (bfc)"
    assert why_lost("bfc", bid("ash", -1.0), bid("oak", -1.0)) == first
    assert why_lost("fcfs", bid("ash", 0.0), bid("oak", 0.0)) == "the last contest went to oak, which bid first (fcfs)"
    last = "the last contest went to oak; this node is unstable, and gets what nobody else wants"
    assert why_lost("ec", bid("ash", LAST_SCORE), bid("oak", -0.97)) == last
    both = last.replace("oak", "oak, which is unstable, too, and bid first")
    assert why_lost("ec", bid("ash", LAST_SCORE), bid("oak", LAST_SCORE)) == both
