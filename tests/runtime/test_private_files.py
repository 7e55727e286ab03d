"""Secrets on disk, with real files."""

import os
import stat
from pathlib import Path

import pytest

from roost.model.errors import InvalidInput, Unavailable
from roost.runtime.private_files import read_private, write_private


def test_what_is_written_is_read_and_private_whatever_the_umask_is(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    before = os.umask(0)
    try:
        write_private(path, b"one")
        write_private(path, b"two")
    finally:
        os.umask(before)
    assert read_private(path, 3) == b"two"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [entry.name for entry in tmp_path.iterdir()] == ["secret"]


def test_a_file_that_is_not_there_is_none(tmp_path: Path) -> None:
    assert read_private(tmp_path / "secret", 10) is None


def test_a_file_that_others_may_use_is_refused_with_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    write_private(path, b"x")
    path.chmod(0o640)
    with pytest.raises(InvalidInput, match=r"others may use .*secret \(its mode is 640\); .*'chmod 600'"):
        read_private(path, 10)


def test_a_file_larger_than_it_may_be_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    write_private(path, b"four")
    with pytest.raises(InvalidInput, match="larger than 3 bytes"):
        read_private(path, 3)


def test_a_link_is_not_followed_and_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    write_private(tmp_path / "real", b"x")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with pytest.raises(Unavailable, match="link cannot be read"):
        read_private(tmp_path / "link", 10)
    os.mkfifo(tmp_path / "pipe", 0o600)
    with pytest.raises(InvalidInput, match="pipe is not a file of yours"):
        read_private(tmp_path / "pipe", 10)


def test_a_folder_that_cannot_be_written_is_said_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="cannot be written: No such file or directory"):
        write_private(tmp_path / "missing" / "secret", b"x")


def test_if_it_cannot_be_put_in_place_the_old_one_and_no_draft_stays(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    path.mkdir()
    with pytest.raises(Unavailable, match="cannot be written"):
        write_private(path, b"x")
    assert [entry.name for entry in tmp_path.iterdir()] == ["secret"]
