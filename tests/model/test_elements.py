"""Elements against a plain map from element to state, and the laws of a join-semilattice."""

import sys
from functools import reduce
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.model.elements import Elements
from roost.model.ids import NodeId
from roost.model.ranges import EMPTY, RangeSet
from roost.model.states import Cancelled, Done, Failed, Leased, State, order_key
from roost.wire.codec import encode
from tests.strategies import elements, range_sets, states
from tests.tokens import attempt

ASH = NodeId("ash")
LEASED = Leased(0, attempt(1), ASH, 0)
DONE = Done(attempt(1), ASH)


def plain(known: Elements) -> dict[int, State]:
    return {index: state for state, ranges in known.items() for index in ranges}


def assert_well_formed(known: Elements) -> None:
    """No element is in two states, no state is without elements, and the order is that of the states."""
    listed = [index for _, ranges in known.items() for index in ranges]
    assert len(listed) == len(set(listed))
    assert all(ranges for _, ranges in known.items())
    keys = [order_key(state) for state, _ in known.items()]
    assert keys == sorted(keys, reverse=True)


def larger(left: State | None, right: State | None) -> State | None:
    if left is None or right is None:
        return left or right
    return max(left, right, key=order_key)


@given(elements, elements)
def test_merge_keeps_the_larger_state_of_every_element(left: Elements, right: Elements) -> None:
    merged = left.merge(right)
    assert_well_formed(merged)
    ours, theirs = plain(left), plain(right)
    assert plain(merged) == {at: larger(ours.get(at), theirs.get(at)) for at in {*ours, *theirs}}


@given(elements, elements, elements)
def test_merge_is_commutative_associative_and_idempotent(one: Elements, two: Elements, three: Elements) -> None:
    assert one.merge(two) == two.merge(one)
    assert one.merge(two).merge(three) == one.merge(two.merge(three))
    assert one.merge(one) == one
    assert one.merge(Elements()) == Elements().merge(one) == one


@given(elements, elements)
def test_the_difference_is_just_what_the_other_side_lacks(mine: Elements, known: Elements) -> None:
    delta = mine.diff(known)
    assert_well_formed(delta)
    assert known.merge(delta) == known.merge(mine)
    theirs = plain(known)
    expected = {at: state for at, state in plain(mine).items() if larger(theirs.get(at), state) != theirs.get(at)}
    assert plain(delta) == expected
    assert known.adopt(delta) == known.merge(mine)
    assert not mine.diff(known.merge(mine))


@given(st.lists(elements, max_size=6), st.randoms(use_true_random=False))
def test_deltas_in_any_order_and_doubled_lead_to_the_same_record(deltas: list[Elements], chance: Random) -> None:
    in_order = reduce(Elements.merge, deltas, Elements())
    shuffled = deltas + [delta for delta in deltas if chance.random() < 0.5]
    chance.shuffle(shuffled)
    assert reduce(Elements.merge, shuffled, Elements()) == in_order


@given(st.lists(elements, max_size=6), st.randoms(use_true_random=False))
def test_a_replica_that_lost_deltas_is_repaired_by_one_exchange(deltas: list[Elements], chance: Random) -> None:
    whole = reduce(Elements.merge, deltas, Elements())
    lossy = reduce(Elements.merge, [delta for delta in deltas if chance.random() < 0.5], Elements())
    assert lossy.merge(whole.diff(lossy)) == whole
    assert whole.merge(lossy.diff(whole)) == whole


@given(st.lists(st.tuples(states, range_sets), max_size=6))
def test_overlapping_entries_are_joined_to_the_larger_state(entries: list[tuple[State, RangeSet]]) -> None:
    joined = Elements.join(entries)
    assert_well_formed(joined)
    assert joined == reduce(Elements.merge, (Elements({state: ranges}) for state, ranges in entries), Elements())


@given(elements, range_sets)
def test_queries_agree_with_the_plain_map(known: Elements, window: RangeSet) -> None:
    states_of = plain(known)
    assert set(known.known()) == set(states_of)
    assert set(known.in_state(Leased, Done)) == {at for at, state in states_of.items() if type(state) in (Leased, Done)}
    assert known.in_state() == EMPTY
    assert [known.at(index) for index in range(45)] == [states_of.get(index) for index in range(45)]
    within = known.entries_within(window)
    assert {at: state for state, part in within for at in part} == {
        at: states_of[at] for at in states_of if at in window
    }
    assert all(part for _, part in within)


@given(elements, range_sets)
def test_a_part_and_the_rest_make_the_whole(known: Elements, window: RangeSet) -> None:
    part, rest = known.within(window), known.without(window)
    for piece in (part, rest):
        assert_well_formed(piece)
    assert plain(part) == {at: state for at, state in plain(known).items() if at in window}
    assert plain(rest) == {at: state for at, state in plain(known).items() if at not in window}
    assert part.merge(rest) == known


@given(elements, states)
def test_the_elements_in_one_very_state_are_found(known: Elements, state: State) -> None:
    assert set(known.in_exactly(state)) == {at for at, own in plain(known).items() if own == state}


@given(elements, elements)
def test_equality_is_that_of_the_plain_map(left: Elements, right: Elements) -> None:
    assert (left == right) == (plain(left) == plain(right))
    assert hash(left) == hash(Elements(dict(left.items())))
    assert left != plain(left)
    assert bool(left) == bool(plain(left))


def test_it_shows_its_states_and_ranges() -> None:
    token = "Token(edition=0, life=1, round=0, attempt=1)"
    done = f"Done(token={token}, node='ash', length=-1, edition=0, reused=False)"
    assert repr(Elements({DONE: RangeSet.parse("1-3")})) == f"Elements({done}: 1-3)"


def test_done_beats_cancelled_whichever_comes_first() -> None:
    done, cancelled = Elements({DONE: RangeSet.of([1])}), Elements({Cancelled(attempt(9)): RangeSet.of([1, 2])})
    assert plain(cancelled.merge(done)) == plain(done.merge(cancelled)) == {1: DONE, 2: Cancelled(attempt(9))}


def test_a_million_elements_with_every_thousandth_undone_cost_kilobytes() -> None:
    undone = RangeSet.of(range(999, 1_000_000, 1000))
    known = Elements({DONE: RangeSet.span(0, 1_000_000) - undone, Failed(0, attempt(1), ASH, 1): undone})
    assert len(known.known()) == 1_000_000
    assert len(encode(known)) < 20_000
    bounds = [bound for _, ranges in known.items() for bound in ranges.bounds]
    memory = sum(sys.getsizeof(ranges.bounds) for _, ranges in known.items()) + sum(map(sys.getsizeof, bounds))
    assert memory < 200_000


def test_a_small_merge_into_a_ragged_array_touches_only_what_changed() -> None:
    """Merging one element into 1,000 ranges copies boundaries; it does not walk them one by one in Python."""
    ragged = RangeSet.span(0, 1_000_000) - RangeSet.of(range(999, 1_000_000, 1000))
    merged = Elements({DONE: ragged, LEASED: RangeSet.of([999])}).merge(Elements({DONE: RangeSet.of([999])}))
    assert merged == Elements({DONE: ragged | RangeSet.of([999])})
    assert not merged.in_state(Leased)


def test_the_ranges_of_all_states_are_counted() -> None:
    assert Elements().range_count == 0
    assert (
        Elements(
            {Done(attempt(1), NodeId("ash")): RangeSet.of([1, 3]), Cancelled(attempt(1)): RangeSet.of([2])}
        ).range_count
        == 3
    )


def test_news_of_a_few_of_many_holders_look_at_theirs_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a large mesh every node merges word of every element: what that costs is what all of it costs."""
    held = {Leased(0, attempt(1), NodeId(f"n{at}"), 0): RangeSet.span(10 * at, 10 * at + 10) for at in range(500)}
    known, news = Elements(held), Elements({DONE: RangeSet.of([4002])})
    subtractions = []
    plainly = RangeSet.__sub__
    monkeypatch.setattr(RangeSet, "__sub__", lambda mine, other: subtractions.append(1) or plainly(mine, other))
    merged = known.merge(news)
    assert len(subtractions) <= 2
    assert merged.at(4002) == DONE
    assert merged.entries_within(RangeSet.span(4000, 4003)) == [
        (DONE, RangeSet.of([4002])),
        (Leased(0, attempt(1), NodeId("n400"), 0), RangeSet.span(4000, 4002)),
    ]


#: News of one node after the other, each with a state of its own, about some elements.
many_news = st.lists(
    st.tuples(st.integers(0, 40), st.integers(1, 6), st.integers(1, 25), st.booleans()), min_size=12, max_size=60
)


@given(many_news, range_sets)
def test_many_states_that_come_one_by_one_are_found_like_few(
    news: list[tuple[int, int, int, bool]], sought: RangeSet
) -> None:
    """The states of a large mesh are found by where their ranges begin, which is carried along from merge to merge."""
    known, expected = Elements(), {}
    for at, (start, length, number, is_done) in enumerate(news):
        node = NodeId(f"node{at % 23}")
        state = Done(attempt(number), node) if is_done else Leased(0, attempt(number), node, 0)
        span = RangeSet.span(start, start + length)
        known = known.merge(Elements({state: span}))
        expected |= {index: larger(expected.get(index), state) for index in span}
        # Whoever looks in between has the index made, and from then on it is carried along.
        assert plain(Elements(dict(known.entries_within(span)))) == {index: expected[index] for index in span}
    assert_well_formed(known)
    assert plain(known) == expected
    within = {index: state for index, state in expected.items() if index in sought}
    assert plain(Elements(dict(known.entries_within(sought)))) == within
    touched = set(within.values())
    assert dict(known.whole_entries(sought)) == {state: ranges for state, ranges in known.items() if state in touched}
