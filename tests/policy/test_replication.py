"""WQR-r and WQR-FA-r: what waits first, and what others run when nothing does."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.model.ids import NodeId, TaskId
from roost.model.online import OnlineLog, Stretch
from roost.model.ranges import ONE, RangeSet
from roost.policy.choose import BidFor, Choice, Policy, Repeat, TakeAhead, TakeReady
from roost.policy.rating import by_chance
from roost.policy.replication import WQR_2, WQR_4, WQR_FA_2, WQR_FA_4, with_replicas
from tests.policy.plain_view import PlainCandidate, PlainUnderway, PlainView

ELM = NodeId("elm")
A, B = TaskId("5-kedova/a"), TaskId("5-kedova/b")
LIMITS = [(WQR_2, 2), (WQR_FA_2, 2), (WQR_4, 4), (WQR_FA_4, 4)]
POLICIES = [policy for policy, _ in LIMITS]


def chosen(policy: Policy, *elsewhere: PlainUnderway, **changes: Any) -> Sequence[Choice]:
    return policy(PlainView(**{"queue": (), "others": (ELM,), "elsewhere": elsewhere, **changes}))


@pytest.mark.parametrize("policy", POLICIES)
def test_what_waits_goes_before_what_could_be_repeated(policy: Policy) -> None:
    running = PlainUnderway(A, ONE)
    (bid,) = chosen(policy, running, queue=[PlainCandidate(B, ONE)])
    assert isinstance(bid, BidFor)
    assert bid.task == B
    assert chosen(policy, running, queue=[PlainCandidate(B, ONE)], may_bid=False) == ()


@pytest.mark.parametrize(("policy", "limit"), LIMITS)
def test_an_element_is_attempted_up_to_the_limit(policy: Policy, limit: int) -> None:
    for attempts in range(1, 6):
        choices = chosen(policy, PlainUnderway(A, ONE, attempts=attempts))
        assert bool(choices) == (attempts < limit)
    (repeat,) = chosen(policy, PlainUnderway(A, ONE))
    assert repeat == Repeat(A, ONE, f"nothing waits, and fewer than {limit} nodes attempt it")


def test_what_has_the_fewest_attempts_is_repeated_first() -> None:
    (repeat,) = chosen(WQR_4, PlainUnderway(A, ONE, attempts=3), PlainUnderway(B, ONE, attempts=2))
    assert isinstance(repeat, Repeat)
    assert repeat.task == B


@pytest.mark.parametrize("policy", POLICIES)
def test_nothing_is_repeated_that_must_not_be_or_that_no_lane_is_free_for(policy: Policy) -> None:
    assert not chosen(policy, PlainUnderway(A, ONE, may_repeat=False))
    assert not chosen(policy, PlainUnderway(A, ONE, free_lanes=0))
    assert not chosen(policy, PlainUnderway(A, ONE), may_bid=False)


def test_no_more_is_repeated_than_lanes_are_free() -> None:
    (repeat,) = chosen(WQR_2, PlainUnderway(A, RangeSet.span(3, 9), free_lanes=2))
    assert isinstance(repeat, Repeat)
    assert repeat.ranges == RangeSet.span(3, 5)


def test_nodes_begin_with_different_ones() -> None:
    running = [PlainUnderway(TaskId(f"5-kedova/{name}"), ONE) for name in "abcdef"]
    first = [chosen(WQR_2, *running, node=NodeId(f"n{at}"))[0] for at in range(30)]
    assert len({choice.task for choice in first if isinstance(choice, Repeat)}) >= 4


def test_by_chance_any_node_wins_and_by_the_bound_the_one_that_stays_longest() -> None:
    queue = [PlainCandidate(A, ONE)]
    stable = OnlineLog(tuple(Stretch(1e6 * day, 1e6 * day + 36_000.0) for day in range(100)))
    (known,), (unknown,) = (chosen(WQR_FA_2, queue=queue, online=online) for online in (stable, OnlineLog()))
    assert isinstance(known, BidFor)
    assert isinstance(unknown, BidFor)
    assert (known.score, unknown.score) == (-36_000.0, 0.0)
    scores = {chosen(WQR_2, queue=queue, node=NodeId(f"n{at}"))[0] for at in range(9)}
    assert len({choice.score for choice in scores if isinstance(choice, BidFor)}) == 9


@pytest.mark.parametrize("policy", POLICIES)
def test_alone_there_is_nothing_to_repeat(policy: Policy) -> None:
    choices = chosen(policy, others=(), alone=True)
    assert [type(choice) for choice in choices] == [TakeReady, TakeAhead]


UNDERWAY = st.builds(
    PlainUnderway,
    st.sampled_from([A, B]),
    st.integers(0, 9).map(lambda at: RangeSet.span(at, at + 3)),
    attempts=st.integers(1, 6),
    may_repeat=st.booleans(),
    free_lanes=st.integers(0, 2),
)


@pytest.mark.parametrize(("policy", "limit"), LIMITS)
@given(running=st.lists(UNDERWAY, max_size=8))
def test_nothing_is_ever_repeated_beyond_the_limit(policy: Policy, limit: int, running: list[PlainUnderway]) -> None:
    for choice in chosen(policy, *running):
        assert isinstance(choice, Repeat)
        assert any(
            one.task == choice.task and choice.ranges.issubset(one.ranges) and one.attempts < limit and one.may_repeat
            for one in running
        )


def test_laboratories_bring_their_own_luck() -> None:
    names = [TaskId(f"lab/{number}") for number in range(3)]
    work = [PlainUnderway(task, ONE) for task in names]
    chosen = with_replicas(by_chance, 2, lambda work, _: float(work.split("/")[1] != "1"))(
        PlainView([], elsewhere=work)
    )
    assert [choice.task for choice in chosen if isinstance(choice, Repeat)] == [names[1]]
