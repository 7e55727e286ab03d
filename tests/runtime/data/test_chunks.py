from hashlib import sha256
from pathlib import Path

import pytest

from roost.model.limits import CONTENT_CHUNK_BYTES
from roost.runtime.data import chunks
from roost.runtime.data.chunks import chunk_count, chunk_hash, chunk_length, read_chunk, read_hashes, read_part
from roost.wire.content import NOT_HERE, Given
from tests.runtime.data.supply import some_content

CONTENT = some_content(18.5)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "content"
    made.write_bytes(CONTENT)
    return made


@pytest.mark.parametrize(
    ("size", "count", "last"),
    [
        (0, 1, 0),
        (1, 1, 1),
        (CONTENT_CHUNK_BYTES, 1, CONTENT_CHUNK_BYTES),
        (CONTENT_CHUNK_BYTES + 1, 2, 1),
        (3 * CONTENT_CHUNK_BYTES, 3, CONTENT_CHUNK_BYTES),
    ],
)
def test_a_content_is_cut_into_chunks_of_which_the_last_may_be_shorter(size: int, count: int, last: int) -> None:
    assert chunk_count(size) == count
    assert chunk_length(size, count - 1) == last
    assert sum(chunk_length(size, index) for index in range(count)) == size


def test_chunks_together_are_the_content(path: Path) -> None:
    assert b"".join(read_chunk(path, index).body for index in range(19)) == CONTENT
    assert read_chunk(path, 19) == Given(len(CONTENT), b""), "there is none so far behind"
    assert read_part(path, len(CONTENT) - 3) == Given(len(CONTENT), CONTENT[-3:])
    assert read_part(path, 2**40) == Given(len(CONTENT), b"")


def test_hashes_are_told_of_some_chunks_at_a_time(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunks, "CONTENT_LISTED_CHUNKS", 16)
    hashes = [sha256(CONTENT[at:][:CONTENT_CHUNK_BYTES]).digest() for at in range(0, len(CONTENT), CONTENT_CHUNK_BYTES)]
    assert chunk_hash(CONTENT[:CONTENT_CHUNK_BYTES]) == hashes[0]
    assert read_hashes(path, 0) == Given(len(CONTENT), b"".join(hashes[:16]))
    assert read_hashes(path, 16) == Given(len(CONTENT), b"".join(hashes[16:]))
    assert read_hashes(path, 19) == Given(len(CONTENT), b"")


def test_what_is_not_there_is_said_to_be_so(tmp_path: Path) -> None:
    assert read_chunk(tmp_path / "nothing", 0) == read_hashes(tmp_path / "nothing", 0) == NOT_HERE
