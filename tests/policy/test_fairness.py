"""Whoever does worse than its neighbours leaves work to them (FAIR 3.2)."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.model.errors import InvalidInput
from roost.model.ids import NodeId, TaskId
from roost.model.ranges import EMPTY, ONE, RangeSet
from roost.model.task import Priority
from roost.policy.catalogue import POLICIES
from roost.policy.choose import Abstain, BidFor, Choice, Neighbour, Repeat, Take, View
from roost.policy.fairness import (
    NO_FAIRNESS,
    NONE,
    PATIENCE_S,
    STRATEGIES,
    Fairness,
    equal_or_worse_than_majority,
    fairly,
    known_strategy,
    not_best,
    worse_than_average,
    worse_than_majority,
    worst,
)
from roost.policy.fcfs import first_come_first_served
from roost.policy.usual import USUAL
from tests.policy.plain_view import PlainCandidate, PlainUnderway, PlainView

ASH, BOX, ELM, OAK = (NodeId(name) for name in ("ash", "box", "elm", "oak"))
A, B = TaskId("5-kedova/a"), TaskId("5-kedova/b")


def near(*performances: int) -> list[Neighbour]:
    """Return neighbours that have told this of themselves."""
    return [Neighbour(NodeId(f"n{at}"), told, 1.0) for at, told in enumerate(performances, 1)]


def beside(*performances: int, own: int = 500, **changes: Any) -> PlainView:
    """Return the view of ash, which has room for what waits, beside such neighbours."""
    neighbours = near(*performances)
    changes.setdefault("queue", [PlainCandidate(A, ONE)])
    return PlainView(
        **{"others": tuple(one.node for one in neighbours), "neighbours": neighbours, "performance": own, **changes}
    )


def chosen(view: View, name: str = "not-best") -> list[Choice]:
    return list(fairly(first_come_first_served, Fairness(name))(view))


def left(view: View, name: str = "not-best") -> Abstain | None:
    """Return what a node says that leaves all to others, and chooses nothing else."""
    choices = chosen(view, name)
    return choices[0] if len(choices) == 1 and isinstance(choices[0], Abstain) else None


# One test a formula. T_0 is this node, whose performance is 500.


def test_not_best_somebody_does_better() -> None:
    """FAIR 3.2: there is an i with f(T_i) > f(T_0)."""
    assert not_best(500, near(100, 501, 100))
    assert not not_best(500, near(100, 500, 100)), "who does as well is not better"


def test_worst_all_do_better() -> None:
    """FAIR 3.2: f(T_i) > f(T_0) for all i."""
    assert worst(500, near(501, 900, 501))
    assert not worst(500, near(501, 900, 500))


def test_worse_than_average_the_others_do_better_on_average() -> None:
    """FAIR 3.2: the sum of all f(T_i), divided by n - 1, is more than f(T_0)."""
    assert worse_than_average(500, near(400, 400, 701))
    assert not worse_than_average(500, near(400, 400, 700)), "1500 / 3 is 500"
    assert worse_than_average(0, near(0, 0, 1)), "a third of a millionth is more than nothing"


def test_worse_than_the_majority_more_than_half_do_better() -> None:
    """FAIR 3.2: of how many i is f(T_i) > f(T_0)? Of more than (n - 1) / 2."""
    assert worse_than_majority(500, near(501, 501, 100))
    assert not worse_than_majority(500, near(501, 500, 500))
    assert not worse_than_majority(500, near(501, 501, 100, 100)), "half are not the majority"


def test_equal_or_worse_than_the_majority_more_than_half_do_as_well() -> None:
    """FAIR 3.2: of how many i is f(T_i) >= f(T_0)? Of more than (n - 1) / 2."""
    assert equal_or_worse_than_majority(500, near(500, 501, 100))
    assert not equal_or_worse_than_majority(500, near(500, 499, 499))
    assert not equal_or_worse_than_majority(500, near(500, 500, 499, 499)), "half are not the majority"


@given(st.lists(st.integers(0, 1_000_000), min_size=1, max_size=12), st.integers(0, 1_000_000))
def test_lazy_strategies_abstain_whenever_assiduous_ones_do(others: list[int], own: int) -> None:
    """FAIR 3.2 orders them so: not best is lazy, worst is assiduous, the others are in between."""
    neighbours = near(*others)
    if worst(own, neighbours):
        assert worse_than_majority(own, neighbours)
        assert worse_than_average(own, neighbours)
    if worse_than_majority(own, neighbours):
        assert equal_or_worse_than_majority(own, neighbours)
    if worse_than_majority(own, neighbours) or worse_than_average(own, neighbours):
        assert not_best(own, neighbours)


@given(st.lists(st.integers(0, 1_000_000), min_size=2, max_size=8))
def test_of_nodes_that_know_the_same_somebody_does_not_abstain(performances: list[int]) -> None:
    """But for the strategy in which equals leave it to each other, which FAIR has as it is."""
    for name, strategy in STRATEGIES.items():
        takers = [
            at
            for at, own in enumerate(performances)
            if not strategy(own, near(*performances[:at], *performances[at + 1 :]))
        ]
        assert takers or name == "equal-or-worse-than-majority"


@given(st.lists(st.integers(0, 9), min_size=1, max_size=8), st.integers(0, 9), st.randoms())
def test_renaming_neighbours_changes_nothing(performances: list[int], own: int, luck: Any) -> None:
    shuffled = list(performances)
    luck.shuffle(shuffled)
    for name in STRATEGIES:
        view, renamed = beside(*performances, own=own), beside(*shuffled, own=own)
        assert (left(view, name) is None) == (left(renamed, name) is None)


# What people are told.


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("not-best", "n2 has a performance of 0.93, which is better than 0.81, that of this node"),
        ("worst", "of 3 nodes this one has the least performance, 0.81; the next is n1, 0.90"),
        (
            "worse-than-average",
            "the other 2 have a performance of 0.92 on average, which is better than 0.81, that of this node",
        ),
        ("worse-than-majority", "2 of the other 2 have a better performance than 0.81, that of this node"),
        (
            "equal-or-worse-than-majority",
            "2 of the other 2 have at least as good a performance as 0.81, that of this node",
        ),
    ],
)
def test_it_says_why_with_the_numbers(name: str, why: str) -> None:
    abstains = left(beside(900_000, 930_000, own=810_000), name)
    assert abstains is not None
    assert abstains.why == f"{why}, so it waits for up to 2 s ({name})"


# When it does not abstain.


def test_without_a_strategy_the_policy_is_the_same() -> None:
    assert fairly(USUAL, NO_FAIRNESS) is USUAL
    assert not NO_FAIRNESS.is_on


def test_who_does_best_chooses_what_its_policy_chooses() -> None:
    view = beside(100, 200)
    assert chosen(view) == list(first_come_first_served(view)) == [BidFor(A, ONE, "it is the next in the queue")]


def test_a_node_of_whose_neighbours_nothing_is_known_does_not_abstain() -> None:
    assert left(beside(900)) is not None
    assert left(beside(900, neighbours=())) is None
    assert left(beside(900, alone=True)) is None


def test_neighbours_that_could_never_take_it_are_not_compared() -> None:
    n1 = NodeId("n1")
    assert left(beside(900, 100, queue=[PlainCandidate(A, ONE, too_large_for=[n1])])) is None
    assert left(beside(900, 900, queue=[PlainCandidate(A, ONE, too_large_for=[n1])])) is not None


def test_what_this_node_cannot_begin_with_is_not_left_to_anybody() -> None:
    for unfit in (
        PlainCandidate(A, ONE, hungry_lanes=0),
        PlainCandidate(A, ONE, is_hopeless=True),
        PlainCandidate(A, EMPTY),
    ):
        assert chosen(beside(900, queue=[unfit])) == []
        abstains = left(beside(900, queue=[unfit, PlainCandidate(B, ONE)]))
        assert abstains is not None
        assert abstains.leaves == B
    assert chosen(beside(900, may_bid=False)) == []


# What must not wait.


def test_interactive_work_of_its_own_runs_at_once_and_that_of_others_waits() -> None:
    """LAN 3.2: it runs where it was submitted."""
    own = PlainCandidate(A, ONE, Priority.INTERACTIVE, submitter=ASH)
    assert chosen(beside(900, queue=[own])) == [Take(A, ONE, "it is interactive, and was handed in here")]
    take, abstains = chosen(beside(900, queue=[own, PlainCandidate(B, ONE)]))
    assert isinstance(take, Take)
    assert take.task == A
    assert isinstance(abstains, Abstain)
    assert abstains.leaves == B
    assert left(beside(900, queue=[replace(own, submitter=OAK)])) is not None
    assert left(beside(900, queue=[replace(own, priority=Priority.LOW)])) is not None


def test_what_others_have_handed_to_this_node_is_taken() -> None:
    handed = PlainCandidate(B, ONE)
    take, abstains = chosen(beside(900, handed=[handed]))
    assert take == Take(B, ONE, "its submitter has no room for it, and has named this node")
    assert isinstance(abstains, Abstain)


def test_what_lacks_findings_is_found_again() -> None:
    one = PlainUnderway(B, ONE, holder=OAK, wanted=2)
    repeat, abstains = chosen(beside(900, lacking=[one]))
    assert isinstance(repeat, Repeat)
    assert repeat.task == B
    assert isinstance(abstains, Abstain)


def test_what_runs_elsewhere_is_not_repeated_while_something_is_left_to_others() -> None:
    slow = PlainUnderway(B, ONE, holder=OAK, running_s=1e6, length_s=1.0, is_pure=True)
    choices = list(fairly(USUAL, Fairness("not-best"))(beside(900, elsewhere=[slow])))
    assert [type(choice) for choice in choices] == [Abstain]


# Nothing waits for ever.


def test_nothing_is_left_for_longer_than_its_patience_for_each_candidate() -> None:
    """FAIR 4: the timeout is a time multiplied with the number of potential candidates for job taking."""
    patience_s = 3 * PATIENCE_S
    first = left(beside(900, 900, 900, now=100.0))
    assert first is not None
    assert first.until == 100.0 + patience_s
    assert first.leaves == A

    def later(now: float) -> Abstain | None:
        return left(beside(900, 900, 900, now=now, queue=[PlainCandidate(A, ONE, left_since=100.0)]))

    again = later(100.0 + patience_s - 0.01)
    assert again is not None
    assert again.until == first.until, "looking again does not make it wait for longer"
    assert later(first.until) is None


def test_of_those_that_leave_it_to_each_other_the_best_is_the_first_to_go_on() -> None:
    """Three do equally well, and by FAIR's last formula none of them takes it; the fourth has worked more."""
    name = "equal-or-worse-than-majority"
    equal, worse = left(beside(500, 500, 400), name), left(beside(500, 500, 500, own=400), name)
    assert equal is not None
    assert worse is not None
    assert (equal.until, worse.until) == (100.0 + PATIENCE_S, 100.0 + 3 * PATIENCE_S)


def test_who_has_nothing_to_give_now_is_no_candidate() -> None:
    assert left(beside(0, 0, 600, own=500), "worst") is not None
    assert left(beside(0, 0, 400, own=500), "worse-than-average") is None
    assert left(beside(0, 0, own=0), "equal-or-worse-than-majority") is None


def test_who_could_never_take_it_is_no_candidate_and_is_not_waited_for() -> None:
    abstains = left(beside(900, 900, queue=[PlainCandidate(A, ONE, too_large_for=[NodeId("n2")])]))
    assert abstains is not None
    assert abstains.until == 100.0 + PATIENCE_S


@given(
    st.sampled_from(sorted(STRATEGIES)),
    st.lists(st.integers(0, 9), max_size=6),
    st.integers(0, 9),
    st.lists(st.tuples(st.integers(0, 2), st.booleans()), min_size=1, max_size=4),
    st.sampled_from(sorted(POLICIES)),
)
def test_whatever_others_tell_what_waits_long_enough_is_chosen_as_without_fairness(
    name: str, others: list[int], own: int, waiting: list[tuple[int, bool]], policy: str
) -> None:
    queue = [
        PlainCandidate(TaskId(f"5-kedova/{at}"), RangeSet.span(0, 3), hungry_lanes=lanes, is_hopeless=hopeless)
        for at, (lanes, hopeless) in enumerate(waiting)
    ]
    view = beside(*others, own=own, queue=queue)
    plain, fair = POLICIES[policy].policy, fairly(POLICIES[policy].policy, Fairness(name))
    choices = fair(view)
    assert fair(view) == choices, "a choice depends on the view alone"
    leaves = next((one.leaves for one in choices if isinstance(one, Abstain) and one.leaves), None)
    if leaves is None:
        assert choices == plain(view)
        return
    waited = [replace(one, left_since=view.now if one.task == leaves else None) for one in queue]
    later = replace(view, queue=waited, now=view.now + PATIENCE_S * len(others))
    assert fair(later) == plain(later)


# Names.


def test_a_strategy_has_a_name_and_any_other_is_told_those_that_there_are() -> None:
    names: Sequence[str] = (NONE, *STRATEGIES)
    assert [known_strategy(name) for name in names] == list(names)
    with pytest.raises(InvalidInput, match=r"there is no fairness 'best'; there are none, not-best, worst, "):
        known_strategy("best")
