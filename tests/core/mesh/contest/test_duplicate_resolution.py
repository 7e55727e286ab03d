"""Several nodes hold one element: one goes on, all decide alike, and it ends."""

import itertools

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.core.mesh.contest.duplicate_resolution import (
    PROGRESS_STEPS,
    RAISES_MAX,
    Holder,
    HolderStep,
    Verdict,
    decide,
    fraction_of,
    next_step,
    place_in_chain,
    progress_step,
    with_news,
)
from roost.model.ids import NodeId
from roost.model.ranges import RangeSet
from roost.model.states import Leased, order_key
from roost.wire.messages import RunningLease
from tests.core.bidders import TASK, make_bid
from tests.core.dueling import Duel
from tests.tokens import attempt

ASH, OAK = NodeId("ash"), NodeId("oak")


def holder(
    node: str,
    token: int = 1,
    at: int | None = None,
    *,
    retry: int = 0,
    fraction: float = 0.0,
    raised: int = 0,
    accepted: bool = False,
) -> Holder:
    """Make a holder; ``at`` is the time of its bid, if that is known, ``retry`` the round of its lease."""
    bid = None if at is None else make_bid(node, at=at)
    return Holder(NodeId(node), attempt(token), retry, bid, fraction, raised, accepted)


def lease(token: int, ranges: str, fraction: float = 0.0) -> RunningLease:
    return RunningLease(TASK, attempt(token), RangeSet.parse(ranges), fraction)


@pytest.mark.parametrize(
    ("first", "second", "winner", "new_lease"),
    [
        (holder("ash", accepted=True), holder("oak", 9, fraction=0.9), "ash", False),
        (holder("ash", 1, accepted=True), holder("oak", 2, accepted=True), "oak", False),
        (holder("ash", 1, fraction=0.8), holder("oak", 2, fraction=0.1), "ash", True),
        (holder("ash", 1, fraction=0.1), holder("oak", 2, fraction=0.8), "oak", False),
        (holder("ash", 1, at=1, fraction=0.8), holder("oak", 2, at=2, fraction=0.1), "ash", True),
        (holder("ash", 1, at=1, fraction=0.1), holder("oak", 2, at=2, fraction=0.2), "ash", True),
        (holder("ash", 1, at=2), holder("oak", 2, at=1), "oak", False),
        (holder("ash", 1, at=1), holder("oak", 2), "oak", False),
        (holder("ash", 2), holder("oak", 1), "ash", False),
        (holder("ash", 1), holder("oak", 1), "oak", False),
        (holder("ash", 1, retry=1), holder("oak", 5), "ash", False),
        (holder("ash", 1, fraction=0.9, raised=1), holder("oak", 2, raised=1), "oak", False),
        (holder("ash", 1, fraction=0.9, raised=1), holder("oak", 2), "ash", True),
    ],
    ids=[
        "an accepted result decides",
        "of two accepted results the larger stays",
        "the nearest its end, with a new lease",
        "the nearest its end has the largest lease",
        "progress before bids",
        "small differences of progress do not matter",
        "the better bid",
        "a bid that is not known on both sides does not count",
        "the larger token",
        "the larger name",
        "the later round",
        "after two new leases the largest stays",
        "after one it does not yet",
    ],
)
def test_who_goes_on(first: Holder, second: Holder, winner: str, new_lease: bool) -> None:
    """LAN 3.6.2.1, DICE situation 3, and design.md: late bids and healed partitions."""
    assert decide([first, second]) == decide([second, first]) == Verdict(NodeId(winner), new_lease)


holders = st.builds(
    Holder,
    st.just(ASH),
    st.integers(0, 3).map(attempt),
    st.integers(0, 1),
    st.none() | st.just(make_bid("ash", at=1)) | st.just(make_bid("ash", at=2, score=-1.0)),
    st.floats(0, 1),
    st.integers(0, 2),
    st.booleans(),
)


def as_nodes(drawn: list[Holder]) -> list[Holder]:
    named = []
    for name, each in zip(("ash", "bay", "elm"), drawn, strict=False):
        bid = each.bid and make_bid(name, at=each.bid.at.wall_ms, score=each.bid.score)
        named.append(msgspec.structs.replace(each, node=NodeId(name), bid=bid))
    return named


@given(st.lists(holders, min_size=2, max_size=3).map(as_nodes))
def test_all_holders_decide_alike_from_the_same_facts(known: list[Holder]) -> None:
    verdicts = [decide(list(order)) for order in itertools.permutations(known)]
    assert len(set(verdicts)) == 1
    steps = [next_step(me, [other for other in known if other is not me]) for me in known]
    if not any(each.accepted for each in known):
        assert steps.count(HolderStep.GO_ON) + steps.count(HolderStep.TAKE_NEW_LEASE) == 1
        assert steps.count(HolderStep.GO_ON) + steps.count(HolderStep.GO_ON_UNTIL_REPLACED) == 1


@given(holders, holders)
def test_the_order_of_leases_is_that_of_the_states(one: Holder, other: Holder) -> None:
    """model/states.py: what replicas keep when they merge."""
    states = [Leased(each.round, each.token, each.node, 0) for each in (one, other)]
    assert (one.state < other.state) == (order_key(states[0]) < order_key(states[1]))


@pytest.mark.parametrize(
    ("me", "other", "step"),
    [
        (holder("oak"), holder("ash"), HolderStep.GO_ON),
        (holder("ash"), holder("oak"), HolderStep.STOP),
        (holder("ash", fraction=0.9), holder("oak"), HolderStep.TAKE_NEW_LEASE),
        (holder("oak"), holder("ash", fraction=0.9), HolderStep.GO_ON_UNTIL_REPLACED),
        (holder("oak"), holder("ash", 2, fraction=0.9), HolderStep.STOP),
        (holder("oak", 9, fraction=0.9), holder("ash", 1, accepted=True), HolderStep.STOP),
        (holder("ash", 1, accepted=True), holder("oak", 9), HolderStep.GO_ON),
        (holder("ash", 0, at=1), holder("oak", 1, at=2), HolderStep.TAKE_NEW_LEASE),
        (holder("ash", 0, at=2), holder("oak", 1, at=1), HolderStep.STOP),
        (holder("oak", 1, at=2), holder("ash", 0, at=1), HolderStep.GO_ON_UNTIL_REPLACED),
    ],
)
def test_what_a_holder_does(me: Holder, other: Holder, step: HolderStep) -> None:
    """LAN 3.6.2.1: "stopping the task execution at one of server-nodes and letting another to keep running"."""
    assert next_step(me, [other]) is step


def test_whoever_has_the_largest_lease_of_three_never_stops_for_one_that_could_still_fail() -> None:
    far, near, largest = holder("ash", 1, fraction=0.1), holder("bay", 1, fraction=0.9), holder("oak", 2)
    assert next_step(far, [near, largest]) is HolderStep.STOP
    assert next_step(near, [far, largest]) is HolderStep.TAKE_NEW_LEASE
    assert next_step(largest, [far, near]) is HolderStep.GO_ON_UNTIL_REPLACED


# A late bid: DICE, TRYDEQUEUE's time window, situation 3.

LATE = make_bid("device2", at=5)


def test_a_late_bidder_with_the_better_bid_takes_over() -> None:
    """DICE situation 3, branch 1: the execution's host of T1 changes."""
    assert place_in_chain(LATE, [holder("device3", at=9), holder("device1", at=1)]) == 0


def test_a_late_bidder_with_the_worse_bid_tries_the_next_task() -> None:
    """DICE situation 3, branches 2 and 2.1: the host of T1 remains, that of T2 changes."""
    assert place_in_chain(LATE, [holder("device3", at=1), holder("device1", at=9)]) == 1


def test_a_late_bidder_that_wins_nowhere_takes_the_first_task_without_a_host() -> None:
    """DICE situation 3, branches 2.2 and 2.2.1."""
    assert place_in_chain(LATE, [holder("device3", at=1), holder("device1", at=2), None, None]) == 2


def test_a_late_bidder_does_not_take_over_from_one_that_has_come_far_or_is_done() -> None:
    """design.md: the accepted result decides, else the holder that is nearest its end."""
    chain = [holder("device3", at=9, fraction=0.5), holder("device1", at=9, accepted=True)]
    assert place_in_chain(LATE, chain) is None
    assert place_in_chain(LATE, []) is None


# Facts.


@pytest.mark.parametrize(
    ("fraction", "step"), [(-1.0, 0), (float("nan"), 0), (0.0, 0), (0.24, 0), (0.26, 1), (1.0, 4), (7.0, 4)]
)
def test_progress_is_compared_in_coarse_steps(fraction: float, step: int) -> None:
    assert PROGRESS_STEPS == 4
    assert progress_step(fraction) == step


def test_only_the_first_element_of_a_lease_has_come_anywhere() -> None:
    assert fraction_of(lease(1, "3-9", 0.5), 3) == 0.5
    assert fraction_of(lease(1, "3-9", 0.5), 4) == 0.0
    assert fraction_of(RunningLease(TASK, attempt(1), RangeSet(), 0.5), 0) == 0.0


def test_a_larger_token_in_a_heartbeat_is_a_new_lease_and_a_smaller_one_is_old_news() -> None:
    known = holder("oak", 4, fraction=0.5)
    assert with_news(known, lease(4, "0", 0.7), 0) == holder("oak", 4, fraction=0.7)
    assert with_news(known, lease(6, "0", 0.7), 0) == holder("oak", 6, fraction=0.7, raised=1)
    assert with_news(known, lease(3, "0", 0.9), 0) == known
    assert with_news(holder("oak", 0), lease(1, "0"), 0) == holder("oak", 1)


# It ends.


@given(st.integers(2, 3), st.integers(0, 10**6))
def test_holders_that_hear_of_each_other_late_and_differently_end_with_exactly_one_that_goes_on(
    hosts: int, seed: int
) -> None:
    """DICE, problems with this solution: messages are lost and come in another order; requirements B 4."""
    duel = Duel(hosts, seed)
    duel.run()
    [winner] = [host for host in duel.hosts if host.running]
    assert winner.me.state == max(host.me.state for host in duel.hosts)
    assert all(host.raises <= RAISES_MAX for host in duel.hosts)


def test_duels_that_need_new_leases_do_happen_in_that_simulation() -> None:
    raises = []
    for seed in range(200):
        duel = Duel(3, seed)
        duel.run()
        raises.append(sum(host.raises for host in duel.hosts))
    assert (min(raises), max(raises) >= 3) == (0, True)
