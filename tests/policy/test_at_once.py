"""What every policy does before it competes."""

from roost.model.ids import NodeId, TaskId
from roost.model.ranges import ONE, RangeSet
from roost.model.task import Priority
from roost.policy.at_once import at_once_or
from roost.policy.choose import Abstain, BidFor, Choice, Repeat, Take, View
from roost.policy.turns import SHIFT_S
from tests.policy.plain_view import ASH, PlainCandidate, PlainUnderway, PlainView

ELM = NodeId("elm")
A, B = TaskId("5-kedova/a"), TaskId("5-kedova/b")
BID = BidFor(B, ONE, "it competes")


def compete(view: View) -> list[Choice]:
    assert view.queue
    return [BID]


def test_without_anything_else_a_policy_competes() -> None:
    assert at_once_or(PlainView([PlainCandidate(B, ONE)], others=(ELM,)), compete) == [BID]
    assert at_once_or(PlainView([], others=(ELM,)), compete) == ()


def test_own_interactive_work_and_what_was_handed_over_go_before_all_contests() -> None:
    own = PlainCandidate(A, RangeSet.span(0, 5), Priority.INTERACTIVE, submitter=ASH, free_lanes=2)
    handed = PlainCandidate(B, ONE, Priority.INTERACTIVE, submitter=ELM)
    chosen = at_once_or(PlainView([own], others=(ELM,), handed=[handed], may_bid=False), compete)
    assert [(choice.task, choice.ranges) for choice in chosen if isinstance(choice, Take)] == [
        (B, ONE),
        (A, RangeSet.span(0, 2)),
    ]


def test_while_a_bid_is_open_nobody_competes() -> None:
    assert at_once_or(PlainView([PlainCandidate(B, ONE)], others=(ELM,), may_bid=False), compete) == []


def test_what_lacks_findings_and_comes_first_is_repeated_before_anybody_competes() -> None:
    lacking = PlainUnderway(A, ONE, holder=ELM, wanted=1, is_first=True)
    view = PlainView([PlainCandidate(B, ONE)], others=(ELM,), lacking=[lacking])
    (repeat,) = at_once_or(view, compete)
    assert isinstance(repeat, Repeat)
    later = PlainView([PlainCandidate(B, ONE)], others=(ELM,), lacking=[PlainUnderway(A, ONE, holder=ELM, wanted=1)])
    assert at_once_or(later, compete) == [BID], "what waits goes before it"


def test_who_is_not_among_the_first_to_find_something_again_waits_for_its_turn() -> None:
    others = tuple(NodeId(f"n{at}") for at in range(20))
    lacking = PlainUnderway(A, ONE, holder=others[0], wanted=1)
    choices = [
        at_once_or(PlainView([], node=ASH, others=others, now=now, lacking=[lacking]), compete)[0]
        for now in (SHIFT_S * at for at in range(10))
    ]
    assert any(isinstance(choice, Abstain) for choice in choices)
