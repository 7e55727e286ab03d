"""Files whose content is not what their names say are not used, and are kept aside."""

import os
from hashlib import blake2b
from pathlib import Path

import pytest

from roost.runtime.data import file_check
from roost.runtime.data.file_check import FileCheck, has_right_content

CONTENT = b"a file of three parts" * 1000


def _kept(folder: Path) -> Path:
    path = folder / blake2b(CONTENT, digest_size=16).hexdigest()
    path.write_bytes(CONTENT)
    return path


def test_a_sound_file_is_taken_for_sound_for_a_while(tmp_path: Path) -> None:
    path, check = _kept(tmp_path), FileCheck()
    assert not check.was_checked(path)
    assert has_right_content(path)
    assert check.is_sound(path)
    assert check.was_checked(path)


def test_a_damaged_file_is_moved_aside(tmp_path: Path) -> None:
    told: list[str] = []
    path, check = _kept(tmp_path), FileCheck(told.append)
    path.write_bytes(CONTENT + b"x")
    assert not has_right_content(path)
    assert not check.is_sound(path)
    assert [left.name for left in tmp_path.iterdir()] == [f".damaged-{path.name}"]
    assert told == [path.name]


def test_a_file_that_was_touched_is_looked_at_again(tmp_path: Path) -> None:
    path, check = _kept(tmp_path), FileCheck()
    assert check.is_sound(path)
    os.utime(path, ns=(1, 1))
    assert not check.was_checked(path)


def test_a_file_is_looked_at_again_after_a_while(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, check = _kept(tmp_path), FileCheck()
    assert check.is_sound(path)
    before = path.stat()
    path.write_bytes(CONTENT[:-1] + b"?")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert check.is_sound(path)
    monkeypatch.setattr(file_check, "CHECKED_FOR_S", -1.0)
    assert not check.is_sound(path)


def test_a_missing_file_is_not_sound(tmp_path: Path) -> None:
    assert not FileCheck().is_sound(tmp_path / "ab")
