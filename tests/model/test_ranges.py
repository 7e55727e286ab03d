"""RangeSet against plain sets of integers, which are its meaning."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.model.errors import InvalidInput
from roost.model.limits import INDEX_MAX, POOL_INDEX_MAX, RANGES_MAX
from roost.model.ranges import EMPTY, RangeSet
from tests.strategies import members, range_sets, wide_range_sets


def assert_well_formed(ranges: RangeSet) -> None:
    """The boundaries are those of the one way to write this set: even in number and strictly growing."""
    assert RangeSet.from_bounds(ranges.bounds) == ranges


@given(members)
def test_a_set_has_just_its_members_in_ascending_order(expected: set[int]) -> None:
    ranges = RangeSet.of(expected)
    assert_well_formed(ranges)
    assert list(ranges) == sorted(expected)
    assert len(ranges) == len(expected)
    assert len(ranges) == len(expected), "the count that was kept is right too"
    assert bool(ranges) == bool(expected)
    assert all((index in ranges) == (index in expected) for index in range(-1, 43))


@given(members, members)
def test_union_intersection_and_difference_are_those_of_sets(left: set[int], right: set[int]) -> None:
    ours, theirs = RangeSet.of(left), RangeSet.of(right)
    for result, expected in (
        (ours | theirs, left | right),
        (ours & theirs, left & right),
        (ours - theirs, left - right),
    ):
        assert_well_formed(result)
        assert result == RangeSet.of(expected)
    assert ours.isdisjoint(theirs) == left.isdisjoint(right)
    assert ours.issubset(theirs) == left.issubset(right)


@given(members, st.integers(0, 40), st.integers(0, 40))
def test_operations_with_one_span_are_those_of_sets(left: set[int], start: int, stop: int) -> None:
    ours, span, right = RangeSet.of(left), RangeSet.span(start, stop), set(range(start, stop))
    assert ours | span == span | ours == RangeSet.of(left | right)
    assert ours & span == span & ours == RangeSet.of(left & right)
    assert ours - span == RangeSet.of(left - right)
    assert span - ours == RangeSet.of(right - left)


@given(range_sets)
def test_a_set_combined_with_itself_or_with_nothing_is_itself_or_nothing(ranges: RangeSet) -> None:
    assert ranges | ranges == ranges & ranges == ranges - EMPTY == ranges | EMPTY == EMPTY | ranges == ranges
    assert ranges - ranges == ranges & EMPTY == EMPTY & ranges == EMPTY - ranges == EMPTY


@given(members, st.integers(-1, 45))
def test_take_gives_the_smallest_members(expected: set[int], count: int) -> None:
    taken = RangeSet.of(expected).take(count)
    assert_well_formed(taken)
    assert list(taken) == sorted(expected)[: max(count, 0)]


@given(members.filter(bool))
def test_nth_first_and_last_follow_the_order(expected: set[int]) -> None:
    ranges, ordered = RangeSet.of(expected), sorted(expected)
    assert [ranges.nth(position) for position in range(len(ordered))] == ordered
    assert (ranges.first, ranges.last) == (ordered[0], ordered[-1])
    for outside in (len(ordered), -1):
        with pytest.raises(IndexError):
            ranges.nth(outside)


@given(range_sets)
def test_spans_are_the_ranges(ranges: RangeSet) -> None:
    assert RangeSet(tuple(bound for span in ranges.spans() for bound in span)) == ranges
    assert len(list(ranges.spans())) == ranges.range_count


@given(range_sets, range_sets)
def test_equal_sets_hash_alike_and_differ_from_everything_else(left: RangeSet, right: RangeSet) -> None:
    assert (left == right) == (set(left) == set(right))
    assert hash(left) == hash(RangeSet.of(left))
    assert left != tuple(left.bounds)


@given((range_sets | wide_range_sets).filter(bool))
def test_what_is_written_is_read_back(ranges: RangeSet) -> None:
    assert RangeSet.parse(str(ranges)) == ranges
    assert repr(ranges) == f"RangeSet({ranges})"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("5", [5]),
        ("1-4", [1, 2, 3, 4]),
        ("2-10:4", [2, 6, 10]),
        ("2-9:4", [2, 6]),
        ("7:3", [7]),
        ("1,3,5-6", [1, 3, 5, 6]),
        ("5-6,3,1,2", [1, 2, 3, 5, 6]),
        ("1-5,2-3", [1, 2, 3, 4, 5]),
        (" 1 - 3 , 5 ", [1, 2, 3, 5]),
        ("1_000", [1000]),
        ("007", [7]),
    ],
)
def test_people_write_ranges_in_several_ways(text: str, expected: list[int]) -> None:
    assert list(RangeSet.parse(text)) == expected


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("", "write for example"),
        ("x", "write for example"),
        ("1-", "write for example"),
        ("-3", "write for example"),
        ("1,,2", "write for example"),
        ("1-2-3", "write for example"),
        ("1:", "write for example"),
        ("_", "write for example"),
        ("\u0663", "write for example"),
        ("9-1", "counts downwards"),
        ("1-9:0", "the step"),
        ("99999999999999999999", "too large"),
        (str(INDEX_MAX + 1), "too large"),
        (f"1-{2 * RANGES_MAX + 3}:2", "separate ranges"),
        (",".join(["1-100000:2"] * 3), "separate ranges"),
    ],
)
def test_what_is_no_set_of_ranges_is_refused_with_a_hint(text: str, hint: str) -> None:
    with pytest.raises(InvalidInput, match=hint):
        RangeSet.parse(text)


@given(st.text(alphabet="0123456789-,:_ x", max_size=12))
def test_any_text_is_a_set_or_refused(text: str) -> None:
    with contextlib.suppress(InvalidInput):
        assert_well_formed(RangeSet.parse(text))


def test_the_longest_list_of_ranges_is_read_quickly() -> None:
    text = ",".join(str(2 * at) for at in range(RANGES_MAX))
    assert RangeSet.parse(text).range_count == RANGES_MAX


@pytest.mark.parametrize("bounds", [(1,), (1, 1), (2, 1), (0, 2, 2, 3), (-1, 3), (0, POOL_INDEX_MAX + 2)])
def test_boundaries_from_outside_are_checked(bounds: tuple[int, ...]) -> None:
    with pytest.raises(InvalidInput):
        RangeSet.from_bounds(bounds)


def test_the_largest_index_is_allowed() -> None:
    assert RangeSet.from_bounds((0, POOL_INDEX_MAX + 1)).last == POOL_INDEX_MAX
    assert RangeSet.parse(str(INDEX_MAX)).last == INDEX_MAX


def test_a_million_neighbours_cost_as_much_as_one() -> None:
    ranges = RangeSet.span(0, 1_000_000)
    assert ranges.range_count == 1
    assert (ranges - RangeSet.span(500, 501)).bounds == (0, 500, 501, 1_000_000)
