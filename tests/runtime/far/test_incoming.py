from hashlib import blake2b
from pathlib import Path

from roost.runtime.far.incoming import Incoming


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
