"""The reserve: room that is there, given up, and made again."""

import errno
import os
import resource
from pathlib import Path

import pytest

from roost.runtime.journal import reserve as module
from roost.runtime.journal.reserve import RESERVE_BYTES, Reserve


def test_room_is_really_taken_and_given_back(tmp_path: Path) -> None:
    path = tmp_path / "journal.reserve"
    reserve = Reserve(path)
    assert reserve.holds
    assert path.stat().st_blocks * 512 >= RESERVE_BYTES
    reserve.give_up()
    assert not path.exists()
    assert not reserve.holds


def test_a_reserve_outlives_its_process(tmp_path: Path) -> None:
    Reserve(tmp_path / "journal.reserve")
    assert Reserve(tmp_path / "journal.reserve").holds


def test_a_full_disk_holds_nothing_until_there_is_room_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    fallocate = os.posix_fallocate

    def full(descriptor: int, offset: int, length: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(module, "monotonic", lambda: now[0])
    monkeypatch.setattr(os, "posix_fallocate", full)
    reserve = Reserve(tmp_path / "journal.reserve")
    assert not reserve.holds
    assert not (tmp_path / "journal.reserve").exists()
    monkeypatch.setattr(os, "posix_fallocate", fallocate)
    assert not reserve.holds, "a full disk is not asked all the time"
    now[0] = 60.0
    assert reserve.holds


def test_a_limit_on_files_is_no_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reserve = Reserve(tmp_path / "journal.reserve")
    monkeypatch.setattr(resource, "getrlimit", lambda which: (10_000, resource.RLIM_INFINITY))
    assert not reserve.holds
