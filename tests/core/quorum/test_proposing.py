"""How results of one node come to be held by most voters."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.core.quorum.proposing import Proposal, in_at_least, majority
from roost.model.ballots import Ballot
from roost.model.elements import Elements
from roost.model.ids import NodeId
from roost.model.ranges import EMPTY, RangeSet
from roost.model.states import Done
from tests.core.harness import ranges
from tests.tokens import attempt

ASH, ELM, OAK, FIR = (NodeId(name) for name in ("ash", "elm", "oak", "fir"))
VOTERS = (ASH, ELM, OAK)


def ballot(number: int, node: NodeId = ASH) -> Ballot:
    return Ballot(number, node, 1)


def made(by: NodeId, members: str) -> Elements:
    return Elements({Done(attempt(1), by): ranges(members)})


def proposal(members: str = "0-9") -> Proposal:
    return Proposal(VOTERS, made(ASH, members), ballot(5))


@pytest.mark.parametrize(("voters", "most"), [(1, 1), (2, 2), (3, 2), (4, 3), (5, 3)])
def test_two_sides_never_both_have_most_voters(voters: int, most: int) -> None:
    assert majority(voters) == most
    assert 2 * most > voters


@given(st.integers(1, 4), st.lists(st.sets(st.integers(0, 8)), max_size=6))
def test_elements_that_are_in_so_many_sets_are_found(count: int, sets: list[set[int]]) -> None:
    expected = {member for member in range(9) if sum(member in one for one in sets) >= count}
    assert set(in_at_least(count, [RangeSet.of(one) for one in sets])) == expected


def test_voters_are_asked_to_hold_where_most_have_promised() -> None:
    one = proposal()
    assert not one.promised(ASH, ranges("0-9"), ())
    assert one.promised(ELM, ranges("3-5"), ()) == made(ASH, "3-5")
    assert one.promised(OAK, ranges("5-9"), ()) == made(ASH, "6-9")
    assert (one.unpromised_by(ELM), one.unpromised_by(FIR)) == (ranges("0-2"), ranges("0-2"))
    assert one.unheld_by(OAK) == made(ASH, "3-9")
    assert one.promised_by(ELM) == ranges("3-5")


def test_what_a_voter_holds_under_the_largest_ballot_goes_before_a_result_of_ones_own() -> None:
    one = proposal()
    one.promised(ASH, ranges("0-9"), [(ballot(1), made(OAK, "2-5"))])
    news = one.promised(ELM, ranges("0-9"), [(ballot(2), made(FIR, "4-7"))])
    assert news == Elements(
        {
            Done(attempt(1), OAK): ranges("2-3"),
            Done(attempt(1), FIR): ranges("4-7"),
            Done(attempt(1), ASH): ranges("0-1,8-9"),
        }
    )
    sources = dict(one.source_of(ranges("0-9")))
    assert sources == {ASH: made(OAK, "2-3"), ELM: made(FIR, "4-7"), None: made(ASH, "0-1,8-9")}


def test_a_result_of_ones_own_that_a_voter_holds_already_is_still_ones_own() -> None:
    one = proposal("0")
    one.promised(ASH, ranges("0"), ())
    one.promised(ELM, ranges("0"), [(ballot(1), made(ASH, "0"))])
    assert one.source_of(ranges("0")) == [(None, made(ASH, "0"))]


def test_who_holds_a_result_under_this_ballot_is_a_better_source_than_who_told_of_it() -> None:
    one = proposal("0-1")
    one.promised(ASH, ranges("0-1"), [(ballot(1), made(OAK, "0-1"))])
    one.promised(ELM, ranges("0-1"), [(ballot(1), made(OAK, "0-1"))])
    one.held(ELM, ranges("0"))
    assert one.source_of(ranges("0-1")) == [(ELM, made(OAK, "0")), (ASH, made(OAK, "1"))]


def test_what_most_voters_hold_is_decided_once() -> None:
    one = proposal("0-4")
    for voter in VOTERS:
        one.promised(voter, ranges("0-4"), ())
    assert not one.held(ASH, ranges("0-4"))
    assert one.by_holders() == [(ranges("0-4"), [ASH])]
    assert one.held(ELM, ranges("0-1")) == made(ASH, "0-1")
    assert one.by_holders() == [(ranges("2-4"), [ASH])]
    assert one.held(OAK, ranges("0-4")) == made(ASH, "2-4")
    assert not one.held(ELM, ranges("0-4"))
    assert one.left == EMPTY


def test_who_is_no_voter_changes_nothing() -> None:
    one = proposal("0")
    assert not one.promised(FIR, ranges("0"), ())
    assert not one.promised(ASH, ranges("0"), ())
    one.promised(ELM, ranges("0"), ())
    assert not one.held(FIR, ranges("0"))
    assert not one.held(ASH, ranges("0"))


def test_a_later_ballot_begins_anew() -> None:
    one = proposal("0")
    for voter in (ASH, ELM):
        one.promised(voter, ranges("0"), ())
    one.held(ASH, ranges("0"))
    one.begin(ballot(6))
    assert not one.held(ELM, ranges("0"))
    assert not one.promised(ELM, ranges("0"), ())
    assert one.unpromised_by(ASH) == ranges("0")


def test_what_is_left_out_is_neither_chosen_nor_decided() -> None:
    one = proposal("0-2")
    one.leave_out(ranges("1"))
    one.promised(ASH, ranges("0-2"), ())
    assert one.promised(ELM, ranges("0-2"), ()) == made(ASH, "0,2")
    one.leave_out(ranges("2"))
    one.held(ASH, ranges("0-2"))
    assert one.held(ELM, ranges("0-2")) == made(ASH, "0")
