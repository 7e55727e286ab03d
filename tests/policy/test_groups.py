"""EGC, BFGC and BFGCE: which of the first tasks a node competes for, and how often it passes over the first."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.model.ids import NodeId, TaskId
from roost.model.online import OnlineLog, Stretch
from roost.model.ranges import ONE, RangeSet
from roost.model.task import Priority
from roost.policy.choose import BidFor, Choice, Policy, Take, TakeAhead
from roost.policy.groups import BFGC, BFGCE, EGC, GROUP, SKIPS_MAX
from tests.policy.plain_view import PlainCandidate, PlainView

ELM = NodeId("elm")
#: One failure an hour.
HOURLY = OnlineLog(tuple(Stretch(at * 10_000.0, at * 10_000.0 + 3600.0) for at in range(4)))
KNOWN: dict[str, Any] = {"online": HOURLY, "now": 50_000.0, "online_since": 50_000.0}


def candidate(name: str, length_s: float | None, **changes: Any) -> PlainCandidate:
    return PlainCandidate(TaskId(f"5-kedova/{name}"), ONE, length_s=length_s, **changes)


def chosen(policy: Policy, *queue: PlainCandidate, **changes: Any) -> Sequence[Choice]:
    return policy(PlainView(queue, **{"others": (ELM,), **KNOWN, **changes}))


def names(choices: Sequence[Choice]) -> list[str]:
    return [choice.task.partition("/")[2] for choice in choices if isinstance(choice, BidFor | Take)]


def test_a_node_competes_for_what_fits_it_best() -> None:
    queue = (candidate("day", 86_400.0), candidate("fits", 3500.0), candidate("short", 10.0))
    (bid,) = chosen(BFGC, *queue)
    assert isinstance(bid, BidFor)
    assert (bid.task, bid.past) == (TaskId("5-kedova/fits"), TaskId("5-kedova/day"))
    assert names(chosen(EGC, *queue)) == ["short"], "f1: whatever it most likely stays for"
    assert names(chosen(BFGC, *queue, online=OnlineLog())) == ["day"], (
        "a node that seems to stay for ever takes the longest"
    )


def test_of_those_that_fit_alike_the_first_is_taken_and_passes_nobody() -> None:
    (bid,) = chosen(BFGC, candidate("a", 1800.0), candidate("b", 1800.0))
    assert isinstance(bid, BidFor)
    assert (names([bid]), bid.past) == (["a"], None)


def test_only_the_first_of_the_queue_that_nobody_competes_better_for_are_a_group() -> None:
    queue = [candidate(f"t{at}", 86_400.0) for at in range(GROUP)]
    assert names(chosen(BFGC, *queue, candidate("fits", 3500.0))) == ["t0"]
    queue[3].bids = [(-1e30, ONE)]
    assert names(chosen(BFGC, *queue, candidate("fits", 3500.0))) == ["fits"]


def test_what_is_more_urgent_is_a_group_of_its_own() -> None:
    urgent = candidate("urgent", 86_400.0, priority=Priority.INTERACTIVE)
    assert names(chosen(BFGC, urgent, candidate("fits", 3500.0))) == ["urgent"]


def test_the_head_is_passed_over_so_often_and_then_competed_for_whatever_its_score_is() -> None:
    fits = candidate("fits", 3500.0)
    before, after = (candidate("day", 86_400.0, overtaken=count) for count in (SKIPS_MAX - 1, SKIPS_MAX))
    assert names(chosen(BFGC, before, fits)) == ["fits"]
    assert names(chosen(BFGC, after, fits)) == ["day"]
    assert names(chosen(BFGC, after, fits, rank=3)) == ["day"], "a loser, too"


def test_several_small_ones_that_fit_together_pass_the_head_once() -> None:
    queue = [candidate("day", 86_400.0, size=2), *(candidate(name, 3500.0, size=2) for name in "ab")]
    bids = [choice for choice in chosen(BFGC, *queue) if isinstance(choice, BidFor)]
    assert [(names([bid])[0], bid.past is not None) for bid in bids] == [("a", True), ("b", False)]


def test_an_estimate_that_was_too_short_so_often_makes_a_task_fit_another_node() -> None:
    queue = (candidate("a", 3600.0, aborted=10), candidate("b", 2000.0))
    assert names(chosen(BFGC, *queue)) == ["a"]
    assert names(chosen(BFGCE, *queue)) == ["b"], "it seems to take 2.6 hours"


def test_alone_the_best_fit_is_taken_first() -> None:
    queue = [candidate("day", 86_400.0), candidate("short", 10.0), candidate("fits", 3500.0)]
    *takes, ahead = chosen(BFGC, *queue, others=(), alone=True)
    assert isinstance(ahead, TakeAhead)
    assert names(takes) == ["fits", "short", "day"]
    assert [take.score for take in takes if isinstance(take, Take)] == [0.0, 1.0, 2.0]
    assert [take.past for take in takes if isinstance(take, Take)] == ["5-kedova/day", "5-kedova/day", None]
    assert names(chosen(BFGC, *queue, others=(), alone=True, may_bid=False)) == names(takes), "for who asks"


def test_alone_no_more_pass_the_head_than_may() -> None:
    head = candidate("day", 86_400.0, overtaken=SKIPS_MAX - 1, hungry_lanes=0)
    queue = [head, candidate("a", 3500.0), candidate("b", 3400.0)]
    assert names(chosen(BFGC, *queue, others=(), alone=True)) == ["a", "day", "b"]
    head.overtaken = SKIPS_MAX
    assert names(chosen(BFGC, *queue, others=(), alone=True)) == ["day"], "nothing else starts before it"


LENGTHS = st.sampled_from([None, 1.0, 60.0, 1800.0, 3600.0, 20_000.0, 86_400.0])
QUEUES = st.lists(st.tuples(LENGTHS, st.integers(0, 3), st.integers(1, 3)), min_size=1, max_size=15)


@pytest.mark.parametrize("policy", [EGC, BFGC, BFGCE])
@pytest.mark.parametrize("alone", [False, True])
@given(queue=QUEUES)
def test_no_head_is_passed_over_more_often_than_may_be(
    policy: Policy, alone: bool, queue: list[tuple[float | None, int, int]]
) -> None:
    waiting = [
        candidate(f"t{at:02}", length, aborted=aborted, size=size) for at, (length, aborted, size) in enumerate(queue)
    ]
    fresh = 0
    for _ in range(4 * SKIPS_MAX):
        choices = [
            choice
            for choice in chosen(policy, *waiting, others=() if alone else (ELM,), alone=alone)
            if isinstance(choice, BidFor | Take)
        ]
        # All that is bid for is won; alone, one lane becomes free at a time.
        for choice in choices[:1] if alone else choices:
            one = next(one for one in waiting if one.task == choice.task)
            waiting.remove(one)
            if choice.past is not None:
                past = next(one for one in waiting if one.task == choice.past)
                past.overtaken += 1
                assert past.overtaken <= SKIPS_MAX
            fresh += 1
            waiting.append(candidate(f"u{fresh:03}", 3600.0))
    assert all(one.task != "5-kedova/t00" for one in waiting), "the first was taken in the end"


def test_scores_are_of_one_element_and_bids_for_as_many_as_fill_the_node() -> None:
    array = PlainCandidate(TaskId("5-kedova/a"), RangeSet.span(0, 100), length_s=1800.0, size=8)
    (bid,) = chosen(BFGC, array)
    assert isinstance(bid, BidFor)
    assert (str(bid.ranges), round(bid.score, 4)) == ("0-7", -1.2131)
