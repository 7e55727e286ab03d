"""A log that is in nobody's way."""

from pathlib import Path

import pytest

from roost.executors.worker import logfile
from roost.executors.worker.logfile import LogFile


def test_it_is_made_with_the_first_word_and_anew_each_time(tmp_path: Path) -> None:
    path = tmp_path / "run" / "0.stdout"
    log = LogFile(lambda: path)
    log.close()
    assert not path.exists()
    log.write(b"one\n")
    log.write(b"two\n")
    assert path.read_bytes() == b"one\ntwo\n"
    log.close()
    again = LogFile(lambda: path)
    again.write(b"three\n")
    again.close()
    assert path.read_bytes() == b"three\n"


def test_what_is_too_much_is_dropped_and_said_so_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logfile, "OUTPUT_KEPT_BYTES_MAX", 5)
    log = LogFile(lambda: tmp_path / "log")
    for data in (b"123", b"4567", b"890"):
        log.write(data)
    log.close()
    assert (tmp_path / "log").read_bytes() == b"12345\n[output beyond 64 MiB was dropped]\n"


def test_a_disk_that_refuses_does_not_stop_the_writer(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    log = LogFile(lambda: tmp_path / "file" / "below")
    log.write(b"lost")
    assert log.trouble is not None
    full = LogFile(lambda: Path("/dev/full"))
    full.write(b"lost too")
    full.close()
    assert full.trouble == "No space left on device"
