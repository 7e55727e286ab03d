"""The log of a database: what is flushed is on disk, and a disk that fails says so."""

import os
import sqlite3
from pathlib import Path

import pytest

from roost.runtime.journal.flush import QUICK_S, LogFile
from roost.runtime.journal.schema import open_file


def test_the_log_is_found_beside_its_database_and_flushed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writing, reading = open_file(tmp_path / "journal.db")
    flushed: list[str] = []
    monkeypatch.setattr(os, "fdatasync", lambda descriptor: flushed.append(_name_of(descriptor)))
    log = LogFile.of(tmp_path / "journal.db")
    _write(writing)
    log.flush()
    assert flushed == [f"{tmp_path}/journal.db-wal"] * 2
    log.close()
    reading.close()
    writing.close()


def test_a_disk_is_called_quick_once_it_has_been(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = LogFile(os.open(tmp_path / "log", os.O_CREAT | os.O_RDWR))
    assert not log.is_quick
    monkeypatch.setattr("roost.runtime.journal.flush.perf_counter", lambda: 1.0)
    for _ in range(20):
        log.flush()
    assert log.is_quick
    moments = iter([0.0, 20 * QUICK_S])
    monkeypatch.setattr("roost.runtime.journal.flush.perf_counter", lambda: next(moments))
    log.flush()
    assert not log.is_quick
    log.close()


def test_a_disk_that_fails_is_not_hidden(tmp_path: Path) -> None:
    descriptor = os.open(tmp_path / "log", os.O_CREAT | os.O_RDWR)
    log = LogFile(descriptor)
    os.close(descriptor)
    with pytest.raises(OSError, match="Bad file descriptor"):
        log.flush()


def _name_of(descriptor: int) -> str:
    return str(Path(f"/proc/self/fd/{descriptor}").readlink())


def _write(connection: sqlite3.Connection) -> None:
    connection.execute("INSERT INTO meta (key, value, crc) VALUES ('a', 1, 1)")
