"""What a node takes in its state."""

from collections.abc import Sequence
from typing import Any

import pytest

from roost.model.ids import NodeId, TaskId
from roost.model.ranges import RangeSet
from roost.model.task import Priority
from roost.model.vitals import SOUND, Condition, NodeState, Sign
from roost.policy.bids import LAST_SCORE
from roost.policy.by_state import LOOK_AFTER_S, as_its_state_allows
from roost.policy.choose import Abstain, BidFor, Choice, Repeat, Take, View
from roost.policy.competition import EC
from roost.policy.fcfs import first_come_first_served
from tests.policy.plain_view import PlainCandidate, PlainUnderway, PlainView

ASH, ELM, OAK = NodeId("ash"), NodeId("elm"), NodeId("oak")
A, B = TaskId("5-kedova/a"), TaskId("5-kedova/b")
HUNDRED = RangeSet.span(0, 100)
ONE = RangeSet.span(0, 1)
STABLE = Condition(NodeState.STABLE, Sign.UTILISATION, 20)
UNSTABLE = Condition(NodeState.UNSTABLE, Sign.REMAINING, 30)
TOO_UNSTABLE = Condition(NodeState.TOO_UNSTABLE, Sign.REMAINING, 15)


def view_of(condition: Condition, *queue: PlainCandidate, **changes: Any) -> PlainView:
    """Return what ash sees, beside a super-peer and a worker."""
    usual: dict[str, Any] = {"others": (ELM, OAK), "supers": (ELM,), "states": {OAK: NodeState.STABLE}}
    return PlainView(**{"queue": queue, "condition": condition, **usual, **changes})


def chosen(condition: Condition, *queue: PlainCandidate, **changes: Any) -> Sequence[Choice]:
    return as_its_state_allows(first_come_first_served)(view_of(condition, *queue, **changes))


def plainly(condition: Condition, *queue: PlainCandidate, **changes: Any) -> Sequence[Choice]:
    return first_come_first_served(view_of(condition, *queue, **changes))


def large(task: TaskId = A, **changes: Any) -> PlainCandidate:
    """Return an array of which each node has a section."""
    return PlainCandidate(task, HUNDRED, elements=HUNDRED, size=4, **changes)


@pytest.mark.parametrize("condition", [SOUND, STABLE])
def test_a_stable_node_wants_what_its_policy_wants(condition: Condition) -> None:
    (take,) = chosen(condition, large())
    assert isinstance(take, Take)
    assert [take] == plainly(condition, large())


@pytest.mark.parametrize("condition", [UNSTABLE, TOO_UNSTABLE])
def test_a_node_that_is_alone_works_for_its_owner_in_every_state(condition: Condition) -> None:
    alone = {"alone": True, "others": (), "supers": (), "states": {}}
    assert chosen(condition, large(), **alone) == plainly(condition, large(), **alone) != ()


# Unstable.


def test_an_unstable_node_takes_no_section_but_competes_for_what_nobody_else_wants() -> None:
    (bid,) = chosen(UNSTABLE, large())
    assert isinstance(bid, BidFor)
    assert (bid.task, bid.ranges, bid.score) == (A, RangeSet.span(0, 4), LAST_SCORE)


def test_so_it_does_with_its_own_interactive_work_and_with_what_it_is_handed() -> None:
    own = PlainCandidate(A, ONE, priority=Priority.INTERACTIVE, submitter=ASH)
    handed = PlainCandidate(B, ONE, priority=Priority.INTERACTIVE)
    choices = chosen(UNSTABLE, own, handed=(handed,))
    assert [(type(choice), choice.score) for choice in choices if isinstance(choice, BidFor | Take)] == [
        (BidFor, LAST_SCORE),
        (BidFor, LAST_SCORE),
    ]


def test_it_bids_once_for_what_it_wants_twice_and_not_while_a_bid_is_open() -> None:
    both = PlainCandidate(A, ONE, priority=Priority.INTERACTIVE, submitter=ASH)
    (bid,) = chosen(UNSTABLE, both, handed=(both,))
    assert isinstance(bid, BidFor)
    assert bid.ranges == ONE
    assert chosen(UNSTABLE, both, may_bid=False) == []


def test_its_bids_are_the_last_whatever_the_policy_bids() -> None:
    (bid,) = as_its_state_allows(EC)(view_of(UNSTABLE, large()))
    assert isinstance(bid, BidFor)
    assert bid.score == LAST_SCORE


def test_it_takes_only_what_is_pure_or_what_nobody_else_can_do() -> None:
    assert chosen(UNSTABLE, large(is_pure=False)) == []
    (behind,) = chosen(UNSTABLE, large(is_pure=False), PlainCandidate(B, ONE))
    assert isinstance(behind, BidFor)
    assert behind.task == B
    (only_here,) = chosen(UNSTABLE, PlainCandidate(A, ONE, is_pure=False, only_here=True))
    assert isinstance(only_here, BidFor)
    handed = PlainCandidate(A, ONE, priority=Priority.INTERACTIVE, is_pure=False)
    assert chosen(UNSTABLE, handed=(handed,)) == []


def test_it_may_repeat_what_others_run() -> None:
    def repeats(view: View) -> Sequence[Choice]:
        return [Repeat(one.task, one.ranges, "it is slow") for one in view.elsewhere]

    choices = as_its_state_allows(repeats)(view_of(UNSTABLE, elsewhere=(PlainUnderway(A, ONE),)))
    assert choices == [Repeat(A, ONE, "it is slow")]


def test_without_super_peers_it_works_as_if_it_were_stable() -> None:
    gone = {"supers": ()}
    assert chosen(UNSTABLE, large(), **gone) == plainly(UNSTABLE, large(), **gone)
    assert isinstance(chosen(UNSTABLE, large(), **gone)[0], Take)


# Too unstable.


def test_a_node_that_is_too_unstable_takes_nothing_and_says_why() -> None:
    (abstains,) = chosen(TOO_UNSTABLE, large(), now=100.0)
    assert abstains == Abstain("it is too unstable to take work, because its battery is at 15 %", 100.0 + LOOK_AFTER_S)
    handed = PlainCandidate(A, ONE, priority=Priority.INTERACTIVE)
    assert all(isinstance(choice, Abstain) for choice in chosen(TOO_UNSTABLE, large(), handed=(handed,)))


def test_it_repeats_what_others_run_only_where_several_have_to_find_the_same() -> None:
    def repeats(view: View) -> Sequence[Choice]:
        return [Repeat(one.task, one.ranges, "it runs elsewhere") for one in (*view.elsewhere, *view.lacking)]

    slow, lacking = PlainUnderway(A, ONE), PlainUnderway(B, ONE, wanted=1)
    view = view_of(TOO_UNSTABLE, large(), elsewhere=(slow,))
    assert [type(choice) for choice in as_its_state_allows(repeats)(view)] == [Abstain]
    choices = as_its_state_allows(repeats)(view_of(TOO_UNSTABLE, elsewhere=(slow,), lacking=(lacking,)))
    assert choices == [Repeat(B, ONE, "it runs elsewhere")]


def test_it_does_what_nobody_else_can_do() -> None:
    (bid,) = chosen(TOO_UNSTABLE, large(), PlainCandidate(B, ONE, only_here=True, is_pure=False))
    assert isinstance(bid, BidFor)
    assert (bid.task, bid.score) == (B, LAST_SCORE)


def test_with_nothing_to_leave_it_says_nothing() -> None:
    assert not chosen(TOO_UNSTABLE)


def test_where_all_others_are_too_unstable_it_works_and_a_worker_among_them_is_enough_not_to() -> None:
    worst = {"supers": (), "states": dict.fromkeys((ELM, OAK), NodeState.TOO_UNSTABLE)}
    assert chosen(TOO_UNSTABLE, large(), **worst) == plainly(TOO_UNSTABLE, large(), **worst)
    one = {"supers": (), "states": {ELM: NodeState.TOO_UNSTABLE, OAK: NodeState.UNSTABLE}}
    assert isinstance(chosen(TOO_UNSTABLE, large(), **one)[0], Abstain)
