"""Heads of content streams survive their way; whatever else arrives raises PeerError and nothing else."""

import contextlib

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.model.errors import PeerError
from roost.model.ids import TaskId
from roost.model.limits import CONTENT_CHUNK_BYTES, CONTENT_CHUNKS_MAX, CONTENT_HEAD_BYTES_MAX, SIZE_BYTES_MAX
from roost.wire.content import (
    LENGTH_BYTES,
    ChunkOf,
    ContentHead,
    GivenHead,
    HashesOf,
    LogPart,
    head_length,
    open_head,
    pack_head,
)
from tests.strategies import task_ids

NAME = "ab" * 16
indices = st.integers(0, CONTENT_CHUNKS_MAX - 1)
heads = st.one_of(
    st.builds(HashesOf, st.just(NAME), indices),
    st.builds(ChunkOf, st.just(NAME), indices),
    st.builds(LogPart, task_ids, st.integers(0, 2**40), st.sampled_from(["stdout", "stderr"]), st.integers(0, 2**40)),
    st.builds(GivenHead, st.none() | st.integers(0, SIZE_BYTES_MAX), st.integers(0, CONTENT_CHUNK_BYTES)),
)


@given(heads)
def test_every_head_survives_its_way(head: ContentHead) -> None:
    packed = pack_head(head)
    assert head_length(packed[:LENGTH_BYTES]) == len(packed) - LENGTH_BYTES
    assert open_head(packed[LENGTH_BYTES:]) == head


@given(st.binary(max_size=200))
def test_arbitrary_bytes_are_read_or_refused(data: bytes) -> None:
    with contextlib.suppress(PeerError):
        open_head(data)


@pytest.mark.parametrize(
    "head",
    [
        ChunkOf("../../etc/passwd", 0),
        ChunkOf("AB" * 16, 0),
        ChunkOf(NAME, -1),
        ChunkOf(NAME, CONTENT_CHUNKS_MAX),
        HashesOf(NAME, CONTENT_CHUNKS_MAX),
        GivenHead(5, CONTENT_CHUNK_BYTES + 1),
        GivenHead(5, -1),
        GivenHead(-1, 5),
        LogPart(TaskId("1-bababa/a"), 0, "stdin", 0),  # type: ignore[arg-type]  # this is what must not pass
        LogPart(TaskId("1-bababa/a"), 0, "stdout", SIZE_BYTES_MAX + 1),
    ],
)
def test_names_places_and_sizes_beyond_their_limits_are_not_read(head: ContentHead) -> None:
    with pytest.raises(PeerError):
        open_head(msgspec.msgpack.encode(head))


@pytest.mark.parametrize("length", [0, CONTENT_HEAD_BYTES_MAX + 1, 2**16 - 1])
def test_no_head_is_empty_or_longer_than_the_limit(length: int) -> None:
    with pytest.raises(PeerError):
        head_length(length.to_bytes(LENGTH_BYTES, "big"))
