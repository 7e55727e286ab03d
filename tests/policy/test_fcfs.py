"""First come, first served: what a node takes without a contest, what it bids for, and what it leaves."""

from typing import Any

import pytest

from roost.model.ids import NodeId, TaskId
from roost.model.ranges import ONE, RangeSet
from roost.model.task import Priority
from roost.policy.at_once import SHIFT_S
from roost.policy.bids import BIDDERS, QUEUE_MIN, SECTION_MIN, place_of, section
from roost.policy.choose import Abstain, BidFor, Choice, Repeat, Take, TakeAhead, TakeReady
from roost.policy.fcfs import first_come_first_served
from tests.policy.plain_view import PlainCandidate, PlainUnderway, PlainView

ASH, ELM, OAK = NodeId("ash"), NodeId("elm"), NodeId("oak")


def candidate(name: str, count: int = 1, **changes: Any) -> PlainCandidate:
    return PlainCandidate(TaskId(f"5-kedova/{name}"), RangeSet.span(0, count), **changes)


def chosen(*queue: PlainCandidate, **changes: Any) -> list[Choice]:
    return list(first_come_first_served(PlainView(queue, **{"others": (ELM,), **changes})))


def names(choices: list[Choice], kind: type[Choice]) -> list[str]:
    assert all(isinstance(choice, kind) for choice in choices), choices
    return [choice.task.partition("/")[2] for choice in choices if isinstance(choice, Take | BidFor)]


def test_where_nobody_else_is_whatever_is_ready_is_taken() -> None:
    choices = chosen(candidate("a"), others=(), alone=True)
    assert choices == [TakeReady(), TakeAhead("it goes on from what that lane makes")]


def test_where_nobody_is_known_and_others_may_be_there_the_head_of_the_queue_is_asked_for() -> None:
    (choice,) = chosen(candidate("a", 100, size=4), candidate("b"), others=())
    assert choice == BidFor(TaskId("5-kedova/a"), RangeSet.span(0, 4), "it is the next in the queue")


def test_among_others_the_head_of_the_queue_is_bid_for_as_far_as_there_is_room() -> None:
    choices = chosen(candidate("a", 10, size=4))
    assert [(choice.ranges, choice.why != "") for choice in choices if isinstance(choice, BidFor)] == [
        (RangeSet.span(0, 4), True)
    ]
    assert chosen(candidate("a"), may_bid=False) == []
    assert chosen(candidate("a", hungry_lanes=0)) == []
    assert chosen(candidate("a", is_hopeless=True), candidate("b"))[0] == BidFor(
        TaskId("5-kedova/b"), ONE, "it is the next in the queue"
    )


def test_what_its_submitter_has_handed_to_this_node_is_taken_at_once_as_far_as_there_is_room() -> None:
    handed = candidate("handed", 5, priority=Priority.INTERACTIVE, submitter=ELM, free_lanes=2)
    why = "its submitter has no room for it, and has named this node"
    taken = Take(TaskId("5-kedova/handed"), RangeSet.span(0, 2), why)
    assert chosen(candidate("low"), handed=(handed,), may_bid=False) == [taken]
    own = candidate("own", priority=Priority.INTERACTIVE, submitter=ASH)
    assert names(chosen(own, handed=(handed,)), Take) == ["handed", "own"]
    full = candidate("handed", priority=Priority.INTERACTIVE, submitter=ELM, free_lanes=0)
    assert chosen(handed=(full,), may_bid=False) == []


def test_own_interactive_work_is_taken_at_once_even_while_a_bid_is_open() -> None:
    own = candidate("own", 5, priority=Priority.INTERACTIVE, submitter=ASH, free_lanes=2)
    foreign = candidate("foreign", priority=Priority.INTERACTIVE, submitter=ELM)
    taken = chosen(foreign, own, candidate("low"), may_bid=False)
    assert names(taken, Take) == ["own"]
    assert isinstance(taken[0], Take)
    assert taken[0].ranges == RangeSet.span(0, 2), "as much as there are lanes"
    assert chosen(candidate("low"), own, may_bid=False) == [], "what stands behind low work is not looked for"
    no_lane = candidate("own", priority=Priority.INTERACTIVE, submitter=ASH, free_lanes=0)
    assert chosen(no_lane, may_bid=False) == []


def test_the_next_step_is_taken_by_who_made_the_last_and_left_by_the_others() -> None:
    queue = (candidate("b", maker=ASH), candidate("c", maker=ELM))
    assert names(chosen(*queue), Take) == ["b"]
    assert names(chosen(*queue, node=ELM, others=(ASH,)), Take) == ["c"]


def test_a_long_queue_is_shared_out_by_name_once_all_know_each_other() -> None:
    queue = [candidate(f"t{at}") for at in range(QUEUE_MIN * 2)]
    taken = {node: names(chosen(*queue, node=node, others=(other,)), Take) for node, other in ((ASH, ELM), (ELM, ASH))}
    for at, node in enumerate((ASH, ELM)):
        assert all(place_of(TaskId(f"5-kedova/{name}"), 2) == at for name in taken[node])
    assert not set(taken[ASH]) & set(taken[ELM])
    assert names(chosen(*queue, is_settled=False), BidFor) == ["t0"]


def test_of_a_large_array_each_takes_its_section_and_bids_for_what_others_have_left() -> None:
    whole = RangeSet.span(0, 2 * SECTION_MIN)
    large = candidate("a", 2 * SECTION_MIN, elements=whole, size=3)
    (first,) = chosen(large)
    assert isinstance(first, Take)
    assert first.ranges == section(whole, 0, 2).take(3)
    (second,) = chosen(large, node=OAK)
    assert isinstance(second, Take)
    assert second.ranges == section(whole, 1, 2).take(3)
    (contested,) = chosen(large, is_settled=False)
    assert isinstance(contested, BidFor)
    rest = candidate("a", elements=whole, size=3)
    rest.ready = section(whole, 1, 2)
    (help_others,) = chosen(rest)
    assert isinstance(help_others, BidFor)


def test_losers_spread_over_the_places_behind() -> None:
    queue = [candidate(name) for name in "abc"]
    places = [names(chosen(*queue, rank=rank, is_settled=False), BidFor) for rank in (0, 1, 2, 3)]
    assert places == [["a"], ["a"], ["b"], ["c"]]


@pytest.mark.parametrize("abstained", [0, 5])
def test_in_a_large_mesh_with_little_to_do_some_wait_for_a_window(abstained: int) -> None:
    others = tuple(NodeId(f"n{at:03}") for at in range(40 * BIDDERS))
    choices = [
        chosen(candidate("a"), node=node, others=[*others[:at], *others[at + 1 :]], abstained=abstained)
        for at, node in enumerate(others[:200])
    ]
    waiting = [one for (one,) in choices if isinstance(one, Abstain)]
    assert all(one.until == pytest.approx(100.01) and "others bid first" in one.why for one in waiting)
    assert (100 < len(waiting) < 200) if not abstained else not waiting


NODES = tuple(NodeId(name) for name in ("ash", "elm", "fir", "oak", "yew"))


def who_repeats(lacking: PlainUnderway, now: float = 100.0) -> dict[str, list[Choice]]:
    """Return what each node chooses that is not the holder, if that lacks findings and nothing else is to do."""
    views = {
        node: PlainView((), node, now, others=tuple(other for other in NODES if other != node), lacking=(lacking,))
        for node in NODES
        if node != lacking.holder
    }
    return {node: list(first_come_first_served(view)) for node, view in views.items()}


@pytest.mark.parametrize("wanted", [1, 2, 4])
def test_what_has_to_agree_is_repeated_by_as_many_nodes_as_it_takes(wanted: int) -> None:
    task = TaskId("5-kedova/a")
    choices = who_repeats(PlainUnderway(task, ONE, wanted=wanted))
    why = "its results have to agree, and too few nodes have found one"
    repeats = [node for node, chosen in choices.items() if chosen == [Repeat(task, ONE, why)]]
    waits = [node for node, chosen in choices.items() if isinstance(chosen[0], Abstain)]
    assert len(repeats) == wanted
    assert sorted(repeats + waits) == sorted(choices)


def test_others_come_first_with_it_after_a_while() -> None:
    lacking = PlainUnderway(TaskId("5-kedova/a"), ONE, wanted=1)
    first = {
        node
        for shift in range(20)
        for node, chosen in who_repeats(lacking, shift * SHIFT_S).items()
        if isinstance(chosen[0], Repeat)
    }
    assert first == {"ash", "elm", "fir", "yew"}
    waiting = next(chosen[0] for chosen in who_repeats(lacking, 3.0).values() if isinstance(chosen[0], Abstain))
    assert waiting.until == 2 * SHIFT_S


def test_what_is_ready_goes_before_what_is_repeated_and_without_a_lane_nothing_is() -> None:
    lacking = PlainUnderway(TaskId("5-kedova/a"), ONE, wanted=4)
    assert names(chosen(candidate("b"), others=NODES[1:], lacking=(lacking,)), BidFor) == ["b"]
    full = PlainUnderway(TaskId("5-kedova/a"), ONE, wanted=4, free_lanes=0)
    assert chosen(others=NODES[1:], lacking=(full,)) == []


def test_what_goes_before_the_queue_is_repeated_first_but_not_while_a_bid_is_open() -> None:
    lacking = PlainUnderway(TaskId("5-kedova/a"), ONE, wanted=4, is_first=True)
    (choice,) = chosen(candidate("b"), others=NODES[1:], lacking=(lacking,))
    assert isinstance(choice, Repeat)
    assert chosen(candidate("b"), others=NODES[1:], lacking=(lacking,), may_bid=False) == []


def test_no_more_elements_are_repeated_than_lanes_are_free() -> None:
    wide = PlainUnderway(TaskId("5-kedova/a"), RangeSet.span(0, 100), wanted=4, free_lanes=3)
    for choices in who_repeats(wide).values():
        (choice,) = choices
        assert isinstance(choice, Repeat)
        assert choice.ranges == RangeSet.span(0, 3)
