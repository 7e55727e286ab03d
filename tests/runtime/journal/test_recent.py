"""Segments that were just written."""

from hypothesis import given
from hypothesis import strategies as st

from roost.model.segments import Segment, pack
from roost.runtime.journal.recent import RECENT_ELEMENTS_MAX, RECENT_PAYLOAD_MAX, RecentSegments

KEY = ("input", "5-kedova/resize")


def segment(start: int, count: int) -> Segment:
    return pack(start, [str(index).encode() for index in range(start, start + count)])


def values(found: list[Segment] | None) -> list[bytes] | None:
    return None if found is None else [value for part in found for value in part.values()]


def test_what_was_remembered_is_read_in_any_part() -> None:
    recent = RecentSegments()
    recent.remember(KEY, segment(0, 5))
    recent.remember(KEY, segment(5, 5))
    assert values(recent.read(KEY, 3, 7)) == [b"3", b"4", b"5", b"6"]
    assert recent.read(KEY, 0, 5) == [segment(0, 5)]


def test_what_is_missing_in_part_is_missing() -> None:
    recent = RecentSegments()
    recent.remember(KEY, segment(0, 5))
    recent.remember(KEY, segment(6, 5))
    assert recent.read(KEY, 4, 8) is None
    assert recent.read(("result", "5-kedova/resize"), 0, 1) is None


def test_the_oldest_are_forgotten_first() -> None:
    recent = RecentSegments(limit=1000)
    for at in range(10):
        recent.remember(KEY, segment(at, 1))
    assert recent.read(KEY, 0, 1) is None
    assert values(recent.read(KEY, 9, 10)) == [b"9"]


def test_a_segment_that_comes_again_replaces_the_first() -> None:
    recent = RecentSegments()
    recent.remember(KEY, pack(0, [b"old"]))
    recent.remember(KEY, pack(0, [b"new"]))
    assert values(recent.read(KEY, 0, 1)) == [b"new"]


def test_long_and_large_segments_are_left_to_the_database() -> None:
    recent = RecentSegments()
    recent.remember(KEY, segment(0, RECENT_ELEMENTS_MAX + 1))
    recent.remember(KEY, pack(5000, [b"x" * RECENT_PAYLOAD_MAX]))
    assert recent.read(KEY, 0, 1) is None
    assert recent.read(KEY, 5000, 5001) is None


@given(st.lists(st.integers(1, 5), min_size=1, max_size=10), st.data())
def test_any_part_of_neighbouring_segments_is_read_exactly(sizes: list[int], data: st.DataObject) -> None:
    recent = RecentSegments()
    at = 0
    for size in sizes:
        recent.remember(KEY, segment(at, size))
        at += size
    start = data.draw(st.integers(0, at - 1))
    stop = data.draw(st.integers(start + 1, at))
    assert values(recent.read(KEY, start, stop)) == [str(index).encode() for index in range(start, stop)]
