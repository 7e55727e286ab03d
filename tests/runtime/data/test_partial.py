"""Chunks in any order become the content, whole and under its hash, or nothing."""

import errno
from hashlib import sha256
from pathlib import Path

import pytest

from roost.model.limits import CONTENT_CHUNK_BYTES
from roost.runtime.data.partial import Partial
from tests.runtime.data.supply import name_of, some_content

CONTENT = some_content(3.5)
NAME = name_of(CONTENT)
CHUNKS = [CONTENT[at : at + CONTENT_CHUNK_BYTES] for at in range(0, len(CONTENT), CONTENT_CHUNK_BYTES)]
HASHES = [sha256(chunk).digest() for chunk in CHUNKS]


def write(partial: Partial, *indices: int) -> None:
    for index in indices:
        assert partial.write(index, CHUNKS[index], HASHES[index])


def test_chunks_in_any_order_are_the_content_when_all_are_here(tmp_path: Path) -> None:
    target = tmp_path / NAME
    with Partial(target, len(CONTENT)) as partial:
        write(partial, 2, 0)
        assert not partial.keep()
        assert not target.exists()
        write(partial, 3, 1)
        assert partial.keep()
    assert target.read_bytes() == CONTENT
    assert target.stat().st_mode & 0o777 == 0o444
    assert list(tmp_path.iterdir()) == [target]


def test_what_came_is_found_again_and_what_was_damaged_or_never_came_is_not(tmp_path: Path) -> None:
    with Partial(tmp_path / NAME, len(CONTENT)) as partial:
        write(partial, 0, 1, 3)
        assert not partial.is_empty
    (left,) = tmp_path.iterdir()
    with left.open("r+b") as file:
        file.seek(CONTENT_CHUNK_BYTES + 5)
        file.write(b"?")
    with Partial(tmp_path / NAME, len(CONTENT)) as partial:
        assert not partial.is_empty, "there is something, though nothing counts before it was looked at"
        assert not partial.keep()
        assert partial.find(0, HASHES) == {0, 3}
        write(partial, 1, 2)
        assert partial.keep()
    assert (tmp_path / NAME).read_bytes() == CONTENT


def test_a_chunk_with_another_hash_or_length_is_not_written(tmp_path: Path) -> None:
    with Partial(tmp_path / NAME, len(CONTENT)) as partial:
        assert not partial.write(0, bytes(CONTENT_CHUNK_BYTES), HASHES[0])
        assert not partial.write(3, CHUNKS[0], HASHES[0])
        assert not partial.write(0, CHUNKS[0] + b"x", sha256(CHUNKS[0] + b"x").digest())
        assert partial.is_empty
        assert partial.find(0, HASHES) == set()


def test_chunks_with_hashes_of_something_else_are_not_the_content(tmp_path: Path) -> None:
    with Partial(tmp_path / NAME, len(CONTENT)) as partial:
        write(partial, 0, 1, 2)
        other = bytes(len(CHUNKS[3]))
        assert partial.write(3, other, sha256(other).digest())
        assert not partial.keep()
        partial.discard()
    assert list(tmp_path.iterdir()) == []


def test_the_only_chunk_has_the_hash_of_the_whole(tmp_path: Path) -> None:
    with Partial(tmp_path / name_of(b"small"), 5) as partial:
        assert not partial.write(0, b"smell", sha256(b"smell").digest())
        assert partial.write(0, b"small", b"")
        assert partial.keep()


def test_a_longer_file_than_the_content_is_cut(tmp_path: Path) -> None:
    (tmp_path / f".partial-{NAME}").write_bytes(CONTENT + b"more")
    with Partial(tmp_path / NAME, len(CONTENT)) as partial:
        assert partial.find(0, HASHES) == {0, 1, 2, 3}
        assert partial.keep()
    assert (tmp_path / NAME).read_bytes() == CONTENT


def test_what_has_no_room_is_refused_before_anything_comes(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No space left") as refused:
        Partial(tmp_path / NAME, 2**40)
    assert refused.value.errno == errno.ENOSPC
    assert list(tmp_path.iterdir()) == []


def test_a_thread_that_comes_too_late_changes_nothing(tmp_path: Path) -> None:
    partial = Partial(tmp_path / NAME, len(CONTENT))
    write(partial, 0, 1, 2)
    partial.close()
    partial.close()
    assert not partial.write(3, CHUNKS[3], HASHES[3])
    assert not partial.keep()
    assert not (tmp_path / NAME).exists()
