"""The indices of pools, against pairs of numbers, which are their meaning."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.model.limits import POOL_INDEX_MAX
from roost.model.pools import (
    POOL_BLOCK,
    POOL_DEPTH_MAX,
    POOL_ITEMS_MAX,
    above,
    behind,
    below,
    known_blocks,
    place_in_block,
)
from roost.model.ranges import EMPTY, RangeSet
from tests.strategies import range_sets

levels = st.integers(0, POOL_DEPTH_MAX)
#: Elements of a pool, near each other and far apart.
inside = st.sets(st.tuples(st.integers(0, 3), st.integers(0, 5) | st.integers(0, POOL_ITEMS_MAX)))


@given(range_sets, levels)
def test_whatever_lies_below_elements_lies_in_their_blocks_and_nowhere_else(ranges: RangeSet, level: int) -> None:
    assert above(below(ranges, level), level) == ranges
    assert len(below(ranges, level)) == len(ranges) * POOL_BLOCK**level


@given(inside)
def test_above_a_set_are_just_those_in_whose_blocks_it_lies(places: set[tuple[int, int]]) -> None:
    ranges = RangeSet.of(parent * POOL_BLOCK + at for parent, at in places)
    assert above(ranges) == RangeSet.of(parent for parent, _ in places)


@given(inside)
def test_two_pools_further_out_is_one_pool_further_out_twice(places: set[tuple[int, int]]) -> None:
    ranges = RangeSet.of(parent * POOL_BLOCK + at for parent, at in places)
    assert above(ranges, 2) == above(above(ranges))
    assert below(ranges, 2) == below(below(ranges))


@pytest.mark.parametrize("length", [0, 1, 7, POOL_ITEMS_MAX])
def test_every_block_whose_length_is_known_has_an_absent_end(length: int) -> None:
    absent = behind(3, length)
    assert len(absent) == POOL_BLOCK - length
    assert above(absent) == RangeSet.of([3])
    assert known_blocks(absent) == below(RangeSet.of([3]))
    assert known_blocks(absent) - absent == RangeSet.span(3 * POOL_BLOCK, 3 * POOL_BLOCK + length)


def test_nothing_is_known_of_a_pool_without_an_end() -> None:
    assert known_blocks(EMPTY) == EMPTY
    assert known_blocks(behind(0, 2) | behind(2, 0)) == below(RangeSet.of([0, 2]))


@given(st.integers(0, 1000), st.integers(0, POOL_ITEMS_MAX))
def test_an_index_names_its_list_and_its_item(parent: int, at: int) -> None:
    assert place_in_block(parent * POOL_BLOCK + at) == (parent, at)


def test_indices_of_the_deepest_pools_are_numbers_that_json_carries() -> None:
    outermost = POOL_INDEX_MAX // POOL_BLOCK**POOL_DEPTH_MAX
    assert outermost >= 1000
    assert below(RangeSet.of([outermost]), POOL_DEPTH_MAX).last <= POOL_INDEX_MAX
