"""Whether it is the disk's fault."""

import errno
import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from roost.executors.worker.room import is_full, lacks_room


@pytest.mark.parametrize(
    ("number", "expected"), [(errno.ENOSPC, True), (errno.EDQUOT, True), (errno.EACCES, False), (errno.EIO, False)]
)
def test_a_full_disk_and_a_used_up_quota_are_want_of_room_and_nothing_else_is(number: int, expected: bool) -> None:
    assert lacks_room(OSError(number, os.strerror(number))) is expected


def test_what_the_system_says_of_a_full_device_is_want_of_room() -> None:
    with pytest.raises(OSError, match="No space") as raised, Path("/dev/full").open("wb", buffering=0) as full:
        full.write(b"x")
    assert lacks_room(raised.value)


def test_a_disk_is_full_when_hardly_anything_is_left_for_this_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = {"f_bfree": 1000, "f_bavail": 15, "f_frsize": 4096}
    monkeypatch.setattr(os, "statvfs", lambda _: SimpleNamespace(**left))
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert is_full(tmp_path)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert not is_full(tmp_path)
