"""Packed values come out as they went in, whole or in part."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.model.errors import PeerError
from roost.model.segments import Segment, pack, pack_runs
from roost.wire.codec import decode, encode

values = st.lists(st.binary(max_size=8), max_size=6)


@given(st.integers(0, 100), values)
def test_what_is_packed_is_unpacked(start: int, packed: list[bytes]) -> None:
    segment = pack(start, packed)
    assert segment.values() == packed
    assert segment.stop - segment.start == segment.count == len(packed)
    assert list(segment.ranges) == list(range(start, start + len(packed)))


@given(values, st.data())
def test_a_part_has_the_values_of_its_elements(packed: list[bytes], data: st.DataObject) -> None:
    segment = pack(10, packed)
    start = data.draw(st.integers(10, segment.stop))
    stop = data.draw(st.integers(start, segment.stop))
    part = segment.cut(start, stop)
    assert (part.start, part.stop, part.values()) == (start, stop, packed[start - 10 : stop - 10])


def test_the_whole_is_cut_without_unpacking() -> None:
    segment = Segment(5, 2, b"not a list")
    assert segment.cut(5, 7) is segment


def test_a_part_outside_the_segment_is_our_own_bug() -> None:
    with pytest.raises(AssertionError):
        pack(5, [b"a", b"b"]).cut(4, 6)


@given(st.binary(max_size=20), st.integers(0, 5))
def test_a_payload_that_is_no_list_of_that_length_blames_the_peer(payload: bytes, count: int) -> None:
    with contextlib.suppress(PeerError):
        assert len(Segment(0, count, payload).values()) == count


@pytest.mark.parametrize(("start", "count"), [(-1, 1), (1, -1)])
def test_a_segment_from_outside_has_no_negative_numbers(start: int, count: int) -> None:
    with pytest.raises(PeerError):
        decode(encode(Segment(start, count, b"\x90")), Segment)


def test_a_header_that_lies_is_found() -> None:
    with pytest.raises(PeerError, match="announces 3 values and holds 1"):
        Segment(0, 3, pack(0, [b"x"]).payload).values()


def test_neighbours_are_packed_together() -> None:
    packed = pack_runs([(1, b"a"), (2, b"b"), (5, b"c")])
    assert [(segment.start, segment.values()) for segment in packed] == [(1, [b"a", b"b"]), (5, [b"c"])]
    assert pack_runs([]) == ()
