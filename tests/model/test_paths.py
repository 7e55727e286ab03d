"""Elements as people write them, against the numbers of the way, which are their meaning."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.model.clock import Stamp
from roost.model.errors import InvalidInput
from roost.model.ids import NodeId, RunId, TaskId
from roost.model.limits import POOL_INDEX_MAX
from roost.model.paths import parts_of, read_index, read_ranges, shown_in, shown_index, shown_ranges
from roost.model.pools import POOL_BLOCK, POOL_ITEMS_MAX, below
from roost.model.ranges import ONE, RangeSet
from roost.model.task import Command, TaskSpec
from tests.strategies import range_sets, wide_range_sets

items = st.integers(0, 5) | st.integers(0, POOL_ITEMS_MAX)
ways = st.tuples(st.integers(0, 7), items, items)


def task(outermost: RangeSet, depth: int) -> TaskSpec:
    mapper = TaskId("1-kedova/split") if depth else None
    elements = below(outermost, depth)
    return TaskSpec(
        TaskId("1-kedova/work"),
        RunId("1-kedova"),
        Command(("true",)),
        elements,
        Stamp(0, 0, NodeId("a")),
        mapper=mapper,
        depth=depth,
    )


def test_a_pool_that_lies_in_no_other_has_plain_numbers() -> None:
    assert shown_in(task(ONE, 1), 5) == "5"


def test_a_pool_in_a_pool_says_which_list_and_which_item() -> None:
    assert shown_in(task(ONE, 2), 2 * POOL_BLOCK + 5) == "2.5"


def test_a_pool_below_an_array_begins_with_the_element_of_the_array() -> None:
    spec = task(RangeSet.parse("0-3"), 2)
    assert shown_in(spec, 2 * POOL_BLOCK**2 + 5) == "2.0.5"
    assert shown_in(spec, 5) == "0.0.5"
    assert shown_in(task(RangeSet.parse("7"), 1), 7 * POOL_BLOCK) == "7.0"


def test_an_array_has_plain_numbers_however_large() -> None:
    spec = task(RangeSet.span(0, 5_000_000), 0)
    assert parts_of(spec) == 1
    assert shown_in(spec, 2 * POOL_BLOCK + 5) == str(2 * POOL_BLOCK + 5)


@given(ways)
def test_what_is_shown_is_read_again(way: tuple[int, int, int]) -> None:
    index = (way[0] * POOL_BLOCK + way[1]) * POOL_BLOCK + way[2]
    assert shown_index(index, 3) == ".".join(map(str, way))
    assert read_index(shown_index(index, 3)) == index


@given(range_sets | wide_range_sets, st.integers(1, 3))
def test_sets_that_are_shown_are_read_again(ranges: RangeSet, parts: int) -> None:
    if ranges:
        assert read_ranges(shown_ranges(ranges, parts)) == ranges


def test_a_range_inside_one_list_repeats_only_the_last_number() -> None:
    two_lists = RangeSet.of_spans([(0, 3), (POOL_BLOCK + 4, POOL_BLOCK + 5), (2 * POOL_BLOCK, 2 * POOL_BLOCK + 10)])
    assert shown_ranges(two_lists, 2) == "0.0-2,1.4,2.0-9"
    assert shown_ranges(RangeSet.span(3, POOL_BLOCK + 3), 2) == "0.3-1.2"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("5", [5]),
        ("0.0.5", [5]),
        ("1.2", [POOL_BLOCK + 2]),
        (" 1.2 - 4 ", [POOL_BLOCK + 2, POOL_BLOCK + 3, POOL_BLOCK + 4]),
        ("1.0-4:2", [POOL_BLOCK, POOL_BLOCK + 2, POOL_BLOCK + 4]),
        ("1.0-1.1,3", [3, POOL_BLOCK, POOL_BLOCK + 1]),
        (str(2 * POOL_BLOCK**2 + 5), [2 * POOL_BLOCK**2 + 5]),
    ],
)
def test_ways_and_indices_are_read_alike(text: str, expected: list[int]) -> None:
    assert list(read_ranges(text)) == expected


@pytest.mark.parametrize(
    "text",
    ["", ".", "1.", ".5", "a.b", "1.2.3.4", f"1.{POOL_BLOCK}", "1.5-2", f"{POOL_INDEX_MAX}.1", "1.-1", "²", "1.2:0"],
)
def test_what_is_no_element_is_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(InvalidInput, match=r"^\S.{10,}"):
        read_ranges(text)


@given(st.text(max_size=20))
def test_arbitrary_text_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(InvalidInput):
        assert read_index(text) in read_ranges(text)
