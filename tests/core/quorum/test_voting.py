"""What one voter may promise and hold."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from roost.core.quorum.voting import NO_BALLOT, Paper, folded
from roost.model.ballots import Ballot, Vote
from roost.model.elements import Elements
from roost.model.ids import NodeId
from roost.model.ranges import EMPTY, RangeSet
from roost.model.states import Done
from tests.core.harness import ranges
from tests.tokens import attempt

ASH, ELM = NodeId("ash"), NodeId("elm")


def ballot(number: int, node: NodeId = ASH) -> Ballot:
    return Ballot(number, node, 1)


def made(by: NodeId, members: str) -> Elements:
    return Elements({Done(attempt(1), by): ranges(members)})


def test_a_promise_is_given_once_for_each_ballot_that_is_not_smaller() -> None:
    paper = Paper()
    assert paper.promise(ballot(2), ranges("0-9")) == (ranges("0-9"), EMPTY, NO_BALLOT)
    assert paper.promise(ballot(2), ranges("0-9")).granted == ranges("0-9")
    assert paper.promise(ballot(1), ranges("5-12")) == (ranges("10-12"), ranges("5-9"), ballot(2))
    assert paper.promise(ballot(2, ELM), ranges("3")).granted == ranges("3")


def test_a_result_is_held_only_where_no_larger_ballot_was_promised() -> None:
    paper = Paper()
    paper.promise(ballot(1), ranges("0-9"))
    paper.promise(ballot(2, ELM), ranges("4"))
    assert paper.hold(ballot(1), made(ASH, "0-9")) == (ranges("0-3,5-9"), ranges("4"), ballot(2, ELM))
    assert paper.refusal(ballot(1), ranges("3-4")) == (ranges("4"), ballot(2, ELM))
    assert paper.held(ranges("3-4")) == ((ballot(1), made(ASH, "3")),)


def test_what_is_held_under_a_larger_ballot_takes_the_place_of_what_was_held_before() -> None:
    paper = Paper()
    paper.hold(ballot(1), made(ASH, "0-9"))
    paper.hold(ballot(2), made(ELM, "5"))
    assert paper.held(ranges("0-9")) == ((ballot(1), made(ASH, "0-4,6-9")), (ballot(2), made(ELM, "5")))
    # Who holds under a ballot has promised it.
    assert paper.promise(ballot(1), ranges("5")).refused == ranges("5")


members = st.builds(lambda start, length: RangeSet.span(start, start + length), st.integers(0, 5), st.integers(0, 4))
words = st.lists(st.tuples(st.booleans(), st.integers(1, 6), members), max_size=12)


@given(words, st.randoms(use_true_random=False))
def test_votes_that_are_read_in_any_order_and_folded_say_the_same(
    said: list[tuple[bool, int, RangeSet]], chance: Random
) -> None:
    paper, disk = Paper(), []
    for holds, number, asked in said:
        values = Elements({Done(attempt(number), ASH): asked})
        word = paper.hold(ballot(number), values) if holds else paper.promise(ballot(number), asked)
        held = values.within(word.granted) if holds else Elements()
        disk.append(Vote(0, ballot(number), word.granted, held))
    chance.shuffle(disk)
    for votes in (disk, folded(disk), [*disk, *folded(disk)]):
        again = Paper()
        for vote in votes:
            again.merge(vote)
        assert again.votes(0) == paper.votes(0)


def test_votes_of_two_editions_have_nothing_to_do_with_each_other() -> None:
    votes = [Vote(1, ballot(1), ranges("0")), Vote(0, ballot(2), ranges("0")), Vote(0, ballot(1), ranges("0-1"))]
    assert folded(votes) == [
        Vote(0, ballot(1), ranges("1")),
        Vote(0, ballot(2), ranges("0")),
        Vote(1, ballot(1), ranges("0")),
    ]
