import asyncio
from collections.abc import AsyncIterator
from hashlib import blake2b
from pathlib import Path

import pytest

from roost.model.errors import InvalidInput, Unavailable
from roost.runtime.far.incoming import Incoming, take_in


def name_of(content: bytes) -> str:
    return blake2b(content, digest_size=16).hexdigest()


def test_a_file_of_several_pieces_appears_under_its_hash(tmp_path: Path) -> None:
    target = tmp_path / name_of(b"one two")
    with Incoming(tmp_path) as incoming:
        incoming.write(b"one ")
        assert not target.exists()
        incoming.write(b"two")
        assert incoming.size == 7
        assert incoming.keep(target)
    assert target.read_bytes() == b"one two"
    assert target.stat().st_mode & 0o777 == 0o444
    assert list(tmp_path.iterdir()) == [target]


def test_what_has_another_hash_or_was_not_kept_leaves_nothing(tmp_path: Path) -> None:
    with Incoming(tmp_path) as incoming:
        incoming.write(b"something else")
        assert not incoming.keep(tmp_path / name_of(b"one two"))
    with Incoming(tmp_path) as incoming:
        incoming.write(b"one t")
    assert list(tmp_path.iterdir()) == []


async def pieces(*given: bytes) -> AsyncIterator[bytes]:
    for piece in given:
        yield piece


def test_a_file_that_is_handed_in_gets_the_name_of_its_content(tmp_path: Path) -> None:
    assert asyncio.run(take_in(tmp_path, pieces(b"one ", b"two"), 7)) == (name_of(b"one two"), 7)
    assert (tmp_path / name_of(b"one two")).read_bytes() == b"one two"
    assert asyncio.run(take_in(tmp_path, pieces(), 0)) == (name_of(b""), 0)


def test_a_file_that_is_too_large_or_that_the_disk_refuses_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"larger than 2.0 KiB, the most that can be handed in"):
        asyncio.run(take_in(tmp_path, pieces(bytes(1_024), bytes(1_024), b"x"), 2_048))
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(Unavailable, match="cannot be kept here: No such file"):
        asyncio.run(take_in(tmp_path / "nothing", pieces(b"x"), 1))
