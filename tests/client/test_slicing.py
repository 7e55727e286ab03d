from itertools import count, islice

from hypothesis import given
from hypothesis import strategies as st

from roost.client.slicing import FIRST_SLICE, LONGEST_SLICE, SLICE_BYTES_MAX, slices


def test_the_first_slice_is_short_and_the_next_are_longer_and_longer() -> None:
    lengths = [len(part) for part in slices(b"x" for _ in range(30_000))]
    assert lengths[0] == FIRST_SLICE
    assert lengths[1] == 2 * FIRST_SLICE
    assert max(lengths) == LONGEST_SLICE
    assert sum(lengths) == 30_000


def test_a_million_items_are_a_few_hundred_slices() -> None:
    assert sum(1 for _ in slices(b"x" for _ in range(1_000_000))) < 250


def test_a_slice_of_large_items_ends_early() -> None:
    large = b"x" * (SLICE_BYTES_MAX // 2)
    assert [len(part) for part in slices([large] * 5)] == [2, 2, 1]


def test_an_item_larger_than_a_slice_travels_alone() -> None:
    assert [len(part) for part in slices([b"x" * (2 * SLICE_BYTES_MAX)] * 2)] == [1, 1]


def test_a_given_length_is_kept() -> None:
    assert [len(part) for part in slices([b"x"] * 7, 3)] == [3, 3, 1]


def test_endless_input_is_read_only_as_far_as_is_asked() -> None:
    numbers = count()
    assert len(list(islice(slices((b"x" for _ in numbers), 10), 2))) == 2
    assert next(numbers) == 20


@given(st.lists(st.binary(max_size=40), max_size=400), st.none() | st.integers(1, 50))
def test_slices_hold_all_items_in_order_and_are_never_empty(items: list[bytes], length: int | None) -> None:
    parts = list(slices(items, length))
    assert [item for part in parts for item in part] == items
    assert all(parts)
