"""The default: which work suits which node, when nobody asks, and that nobody waits for ever."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.model.ids import NodeId, TaskId
from roost.model.online import OnlineLog, Stretch
from roost.model.ranges import EMPTY, ONE, RangeSet
from roost.model.task import Priority
from roost.policy.choose import BidFor, Choice, TakeReady
from roost.policy.company import Ability
from roost.policy.fcfs import first_come_first_served
from roost.policy.reliability import Exponential
from roost.policy.roost import GROUP, PIECE_S, SHORT_S, SKIPS_MAX, roost
from tests.policy.plain_view import PlainCandidate, PlainView

ELM, OAK = NodeId("elm"), NodeId("oak")
HOUR_S = 3600.0
#: One failure an hour, and none worth mentioning.
HOURLY = OnlineLog(tuple(Stretch(at * 10_000.0, at * 10_000.0 + HOUR_S) for at in range(4)))
STAYS, LEAVES = Ability(Exponential(1e-9)), Ability(Exponential(1 / HOUR_S))
QUITS = Ability(Exponential(1 / 120))
UNSTABLE: dict[str, Any] = {"online": HOURLY, "abilities": {ELM: STAYS}}
STABLE: dict[str, Any] = {"online": OnlineLog(), "abilities": {ELM: LEAVES}}


def candidate(name: str, length_s: float | None, count: int = 1, **changes: Any) -> PlainCandidate:
    return PlainCandidate(TaskId(f"5-kedova/{name}"), RangeSet.span(0, count), length_s=length_s, **changes)


def chosen(*queue: PlainCandidate, **changes: Any) -> Sequence[Choice]:
    return roost(PlainView(queue, **{"others": (ELM,), "now": 50_000.0, "online_since": 50_000.0, **changes}))


def bids(choices: Sequence[Choice]) -> list[BidFor]:
    assert all(isinstance(choice, BidFor) for choice in choices), choices
    return [choice for choice in choices if isinstance(choice, BidFor)]


def names(choices: Sequence[Choice]) -> list[str]:
    return [bid.task.partition("/")[2] for bid in bids(choices)]


QUEUE = (candidate("middle", 1800.0), candidate("long", 7200.0), candidate("short", 300.0))


def test_nodes_that_stay_take_what_is_long_and_those_that_leave_what_is_short() -> None:
    assert names(chosen(*QUEUE, **STABLE)) == ["long"]
    assert names(chosen(*QUEUE, **UNSTABLE)) == ["short"]


def test_the_score_is_the_expected_time_until_it_is_done_here_and_people_read_why() -> None:
    # An hour on a node that dies every hour: 3600 s * (e - 1); the stable one bids the hour itself.
    one = candidate("a", HOUR_S)
    (unstable,), (stable,) = bids(chosen(one, **UNSTABLE)), bids(chosen(one, **STABLE))
    assert unstable.score == pytest.approx(6185.8, abs=0.1)
    assert stable.score == pytest.approx(3600.0, abs=0.1)
    # The typical one of the two dies every two hours: 7200 s * (e^0.5 - 1) = 4670.8 s.
    assert unstable.why == (
        "this node stays an hour with 37%, 1 h 00 min on average; an element takes about 1 h 00 min, 1 h 43 min with "
        "what may be lost, and on a typical node 0.755 times that"
    )


def test_like_nodes_keep_the_order_of_the_queue() -> None:
    alike: dict[str, Any] = {"online": HOURLY, "abilities": {ELM: LEAVES}}
    assert names(chosen(*QUEUE, **alike)) == ["middle"]
    assert bids(chosen(*QUEUE, **alike))[0].past is None


def test_it_says_whom_it_passes_over_and_after_a_while_it_does_so_no_more() -> None:
    (bid,) = bids(chosen(*QUEUE, **STABLE))
    assert bid.past == TaskId("5-kedova/middle")
    waited = (replace(QUEUE[0], overtaken=SKIPS_MAX), *QUEUE[1:])
    assert names(chosen(*waited, **STABLE)) == ["middle"]
    assert names(chosen(*waited, **UNSTABLE)) == ["middle"], "whatever it is: of those that stay, one takes it sooner"


def test_what_somebody_has_sooner_is_left_to_him() -> None:
    taken = (replace(QUEUE[0]), replace(QUEUE[1], bids=[(7000.0, ONE)]), QUEUE[2])
    assert names(chosen(*taken, **STABLE)) == ["middle"]
    slower = (replace(QUEUE[0]), replace(QUEUE[1], bids=[(9000.0, ONE)]), QUEUE[2])
    assert names(chosen(*slower, **STABLE)) == ["long"]
    nothing = tuple(replace(one, bids=[(1.0, ONE)]) for one in QUEUE)
    assert chosen(*nothing, **STABLE) == ()


def test_an_element_that_has_lost_its_holders_counts_as_longer() -> None:
    (bid,) = bids(chosen(candidate("a", HOUR_S, aborted=2), **STABLE))
    assert bid.score == pytest.approx(3600 * 1.21, rel=1e-3)


def test_data_that_has_to_come_makes_it_later() -> None:
    here, away = candidate("here", HOUR_S), candidate("away", HOUR_S, missing=100)
    assert bids(chosen(away, **STABLE))[0].score == pytest.approx(3600.0 + 100 * PIECE_S, rel=1e-3)
    assert names(chosen(candidate("away", 600.0, missing=200), candidate("here", 600.0), **STABLE)) == ["here"]
    assert names(chosen(here, away, **STABLE)) == ["here"]


def test_where_speeds_differ_the_faster_node_bids_better() -> None:
    # What takes an hour at the usual speed takes half of that on a node that is twice as fast, as it has learnt.
    differ: dict[str, Any] = {"abilities": {ELM: Ability(Exponential(1e-9), speed=1.0)}, "speed": 2.0}
    (fast,) = bids(chosen(candidate("a", HOUR_S / 2), **differ))
    assert fast.score == pytest.approx(HOUR_S / 2, rel=1e-3)


def test_interactive_work_goes_before_what_fits_better() -> None:
    hurried = candidate("hurried", 300.0, priority=Priority.INTERACTIVE, submitter=OAK)
    assert names(chosen(hurried, *QUEUE, **STABLE)) == ["hurried"]


def test_it_looks_no_further_than_its_group() -> None:
    queue = [candidate(f"a{at}", 600.0) for at in range(GROUP)]
    assert names(chosen(*queue, candidate("long", 7200.0), **STABLE)) == ["a0"]
    assert names(chosen(*queue[1:], candidate("long", 7200.0), **STABLE)) == ["long"]


def test_what_it_has_no_lane_for_and_what_nobody_has_the_data_of_is_no_candidate() -> None:
    queue = (QUEUE[0], replace(QUEUE[1], hungry_lanes=0), QUEUE[2])
    assert names(chosen(*queue, **STABLE)) == ["middle"]
    assert chosen(*(replace(one, is_hopeless=True) for one in QUEUE), **STABLE) == ()


def test_who_was_beaten_by_several_leaves_room_for_them() -> None:
    assert names(chosen(*QUEUE, **STABLE, rank=3)) == ["short"]


def test_alone_it_takes_what_is_ready_in_its_order() -> None:
    assert chosen(*QUEUE, others=(), alone=True)[0] == TakeReady()


LENGTHS = st.sampled_from([None, 0.001, 1.0, SHORT_S, 60.0, HOUR_S])
SHORT = st.lists(
    st.builds(
        candidate,
        st.sampled_from("abcdefgh"),
        LENGTHS,
        st.integers(1, 100),
        size=st.integers(1, 4),
        hungry_lanes=st.integers(0, 2),
        maker=st.sampled_from([None, NodeId("ash"), ELM]),
    ),
    max_size=8,
    unique_by=lambda one: one.task,
)


@given(SHORT, st.booleans(), st.integers(0, 3), st.sampled_from([0.95, 1.0, 1.1]))
def test_where_it_does_not_matter_who_does_it_all_is_as_with_first_come_first_served(
    queue: list[PlainCandidate], is_settled: bool, rank: int, speed: float
) -> None:
    # The nodes are unknown, or stay for years: an hour is short for them.
    for others in ({}, {ELM: STAYS}):
        view = PlainView(queue, others=(ELM, OAK), abilities=others, is_settled=is_settled, rank=rank, speed=speed)
        assert list(roost(view)) == list(first_come_first_served(view))
    # One leaves every other minute; what takes less than SHORT_S is short for it, too.
    short = [one for one in queue if one.length_s is None or one.length_s <= SHORT_S]
    view = PlainView(short, others=(ELM, OAK), abilities={ELM: QUITS}, is_settled=is_settled, rank=rank)
    assert list(roost(view)) == list(first_come_first_served(view))


@given(st.lists(st.tuples(st.sampled_from("abcdefgh"), st.floats(20.0, 1e6)), min_size=1, unique_by=lambda one: one[0]))
def test_every_bid_is_worse_than_of_nodes_to_which_it_does_not_matter(lengths: list[tuple[str, float]]) -> None:
    for changes in (STABLE, UNSTABLE):
        for choice in chosen(*(candidate(*one) for one in lengths), candidate("z", 1e6), **changes):
            assert isinstance(choice, BidFor)
            assert choice.score > 0
            assert choice.ranges != EMPTY
