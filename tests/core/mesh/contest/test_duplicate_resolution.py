"""Two nodes hold one element: one goes on, and it ends."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.core.mesh.contest.duplicate_resolution import (
    PROGRESS_STEPS,
    RAISES_MAX,
    Holder,
    goes_on,
    holder_of,
    progress_step,
    time_step,
    waits,
)
from roost.model.ranges import RangeSet
from roost.model.states import order_key
from roost.wire.messages import RunningLease
from tests.core.bidders import TASK, make_bid
from tests.core.dueling import Duel
from tests.tokens import attempt


def holder(node: str, at: int | None = None, fraction: float | None = 0.0, ran_s: float = 0.0) -> Holder:
    """Make a holder; ``at`` is the time of its bid, if that is known."""
    return Holder(None if at is None else make_bid(node, at=at), fraction, ran_s)


def lease(token: int, ranges: str, fraction: float = 0.0, running_s: float | None = None) -> RunningLease:
    return RunningLease(TASK, attempt(token), RangeSet.parse(ranges), fraction, running_s)


@pytest.mark.parametrize(
    ("me", "rival", "raised", "expected"),
    [
        (holder("ash", fraction=0.8), holder("oak", fraction=0.1), 0, True),
        (holder("ash", fraction=0.1), holder("oak", fraction=0.8), 0, False),
        (holder("ash", 2, fraction=0.8), holder("oak", 1, fraction=0.1), 0, True),
        (holder("ash", 1, fraction=0.1), holder("oak", 2, fraction=0.2), 0, True),
        (holder("ash", ran_s=3600.0), holder("oak"), 0, True),
        (holder("ash"), holder("oak", ran_s=3600.0), 0, False),
        (holder("ash", 2, ran_s=3600.0), holder("oak", 1, ran_s=60.0), 0, True),
        (holder("ash", fraction=0.1, ran_s=3600.0), holder("oak", fraction=0.8, ran_s=60.0), 0, False),
        (holder("ash", ran_s=3.0), holder("oak", ran_s=2.5), 0, False),
        (holder("ash", 1, ran_s=0.1), holder("oak", 2, ran_s=0.9), 0, True),
        (holder("ash", 1), holder("oak", 2), 0, True),
        (holder("ash", 2), holder("oak", 1), 0, False),
        (holder("ash", 1), holder("oak", 1), 0, True),
        (holder("ash", 1), holder("oak"), 0, False),
        (holder("ash"), holder("oak", 2), 0, False),
        (holder("ash"), holder("oak"), 0, False),
        (holder("ash", 1, fraction=0.9), holder("oak", 2), RAISES_MAX - 1, True),
        (holder("ash", 1, fraction=0.9), holder("oak", 2), RAISES_MAX, False),
    ],
    ids=[
        "it is nearer its end",
        "the rival is nearer its end",
        "progress before bids",
        "small differences of progress do not matter",
        "it has run for an hour, and the rival has just started anew",
        "it has just started anew, and the rival has run for an hour",
        "time before bids",
        "what an element says of itself before time",
        "small differences of time do not matter",
        "nor does any time of less than a second",
        "the better bid",
        "the worse bid",
        "the lower name of two bids at one time",
        "the rival's bid is not known",
        "its own bid is forgotten",
        "no bid is known: the larger lease stays",
        "after one new lease it may take another",
        "after two the largest stays",
    ],
)
def test_whether_a_holder_goes_on_that_hears_of_a_larger_lease(
    me: Holder, rival: Holder, raised: int, expected: bool
) -> None:
    """LAN 3.6.2.1, DICE situation 3, and design.md: late bids and healed partitions."""
    assert goes_on(me, rival, raised) is expected


@pytest.mark.parametrize(
    ("me", "rival", "raised", "expected"),
    [
        (holder("ash", fraction=0.8), holder("oak", fraction=None), 0, True),
        (holder("ash", fraction=0.8), holder("oak", fraction=0.0), 0, False),
        (holder("ash", fraction=0.2), holder("oak", fraction=None), 0, False),
        (holder("ash", ran_s=60.0), holder("oak", fraction=None), 0, True),
        (holder("ash", 1), holder("oak", 2, fraction=None), 0, False),
        (holder("ash", 1), holder("oak", 2, fraction=None), 1, True),
        (holder("ash", 2), holder("oak", 1, fraction=None), 1, False),
        (holder("ash", fraction=0.8), holder("oak", fraction=None), RAISES_MAX, False),
    ],
    ids=[
        "it may lose its work",
        "all is known",
        "it has hardly begun",
        "it may lose a minute",
        "its bid is better, and it has hardly begun",
        "its better bid was not enough before",
        "it stops in any case",
        "the largest lease decides",
    ],
)
def test_whether_a_holder_waits_for_word_of_its_rival(me: Holder, rival: Holder, raised: int, expected: bool) -> None:
    assert waits(me, rival, raised) is expected


def test_a_rival_of_whom_nothing_is_known_has_come_nowhere() -> None:
    assert goes_on(holder("ash", fraction=0.3), holder("oak", fraction=None), 0)
    assert not goes_on(holder("ash", fraction=0.2), holder("oak", fraction=None), 0)


def holders(node: str) -> st.SearchStrategy[Holder]:
    bids = [make_bid(node, at=1), make_bid(node, at=2, score=-1.0)]
    return st.builds(Holder, st.none() | st.sampled_from(bids), st.floats(0, 1), st.floats(0, 1e9))


@given(holders("ash"), holders("oak"), st.integers(0, RAISES_MAX), st.integers(0, RAISES_MAX))
def test_two_that_know_the_same_do_not_both_go_on(ash: Holder, oak: Holder, raised: int, others: int) -> None:
    """LAN 3.6.2.1: "stopping the task execution at one of server-nodes and letting another to keep running"."""
    assert not (goes_on(ash, oak, raised) and goes_on(oak, ash, others))


# Facts.


@pytest.mark.parametrize(
    ("fraction", "step"), [(-1.0, 0), (float("nan"), 0), (0.0, 0), (0.24, 0), (0.26, 1), (1.0, 4), (7.0, 4)]
)
def test_progress_is_compared_in_coarse_steps(fraction: float, step: int) -> None:
    assert PROGRESS_STEPS == 4
    assert progress_step(fraction) == step


@pytest.mark.parametrize(
    ("ran_s", "step"),
    [(-1.0, 0), (float("nan"), 0), (float("inf"), 0), (0.0, 0), (0.99, 0), (1.0, 1), (1.9, 1), (2.0, 2), (3600.0, 12)],
)
def test_time_is_compared_in_steps_that_double(ran_s: float, step: int) -> None:
    assert time_step(ran_s) == step


def test_only_the_first_element_of_a_lease_has_come_anywhere() -> None:
    assert holder_of(None, lease(1, "3-9", 0.5, 7.0), 3) == Holder(None, 0.5, 7.0)
    assert holder_of(None, lease(1, "3-9", 0.5, 7.0), 4) == Holder(None, 0.0, 0.0)
    assert holder_of(None, lease(1, "3-9", 0.5), 3) == Holder(None, 0.5, 0.0)
    assert holder_of(None, RunningLease(TASK, attempt(1), RangeSet(), 0.5), 0) == Holder()


def test_of_a_holder_that_has_told_nothing_of_its_lease_only_its_bid_is_known() -> None:
    bid = make_bid("oak", at=1)
    assert holder_of(bid, None, 3) == Holder(bid, None)


# It ends.


@given(st.integers(2, 3), st.integers(0, 10**6))
def test_holders_that_hear_of_each_other_late_and_differently_end_with_exactly_one_that_goes_on(
    hosts: int, seed: int
) -> None:
    """DICE, problems with this solution: messages are lost and come in another order; requirements B 4."""
    duel = Duel(hosts, seed)
    duel.run()
    [winner] = [host for host in duel.hosts if host.running]
    assert winner.lease == max((host.lease for host in duel.hosts), key=order_key)
    assert all(host.record == winner.lease for host in duel.hosts)
    assert all(host.raises <= RAISES_MAX for host in duel.hosts)


def test_duels_that_need_new_leases_do_happen_in_that_simulation() -> None:
    raises = []
    for seed in range(200):
        duel = Duel(3, seed)
        duel.run()
        raises.append(sum(host.raises for host in duel.hosts))
    assert (min(raises), max(raises) >= 3) == (0, True)
