"""Making, recognising and refusing journal files."""

import os
import sqlite3
import stat
from pathlib import Path

import pytest

from roost.model.errors import InvalidInput, Unavailable
from roost.model.ids import RunId
from roost.runtime.journal.journal import Journal
from roost.runtime.journal.schema import APPLICATION_ID, SCHEMA_VERSION, open_file
from tests.runtime.journalling import RUN, OpenJournal, run_added, task_added


def content_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def refusal(path: Path) -> str:
    """Open a broken journal; return the sentence, and insist that nothing was changed."""
    before = content_of(path.parent)
    with pytest.raises((InvalidInput, Unavailable)) as caught:
        Journal.open(path)
    assert content_of(path.parent) == before
    assert str(path) in str(caught.value)
    return str(caught.value)


def test_a_new_journal_is_whole_private_and_durable(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    writer, reader = open_file(path)
    assert writer.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    # The log is flushed by ourselves, and by SQLite before it is moved into the database: NORMAL.
    assert writer.execute("PRAGMA synchronous").fetchone() == (1,)
    assert writer.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        reader.execute("DELETE FROM meta")
    assert {stat.S_IMODE(file.stat().st_mode) for file in tmp_path.iterdir()} == {0o600}
    reader.close()
    writer.close()
    assert [file.name for file in tmp_path.iterdir()] == ["journal.db"]


def test_a_creation_that_was_interrupted_leaves_no_trace(tmp_path: Path) -> None:
    (tmp_path / "journal.db.new").write_bytes(b"half of it")
    with OpenJournal(tmp_path / "journal.db") as journal:
        assert journal.boot == 1
    assert sorted(file.name for file in tmp_path.iterdir()) == ["journal.db", "journal.reserve"]


@pytest.mark.parametrize("content", [b"", b"garbage" * 100, b"SQLite format 3\0", b"SQLite format 3\0" + bytes(4080)])
def test_a_file_that_is_no_journal_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "journal.db"
    path.write_bytes(content)
    assert refusal(path) == f"{path} is not a journal of Roost, or its beginning is damaged; move it away to start anew"


def test_a_database_of_another_program_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE theirs (value)")
    other.close()
    assert "is not a journal of Roost" in refusal(path)


def test_a_journal_of_another_version_is_refused_with_a_way_out(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    OpenJournal(path).journal.close()
    content = bytearray(path.read_bytes())
    content[60:64] = (SCHEMA_VERSION + 1).to_bytes(4, "big")
    path.write_bytes(content)
    assert f"has version {SCHEMA_VERSION + 1} and this Roost reads version {SCHEMA_VERSION}" in refusal(path)


def test_a_journal_that_was_cut_short_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with OpenJournal(path) as journal:
        journal.write(run_added(), task_added())
    path.write_bytes(path.read_bytes()[:4096])
    assert "is damaged" in refusal(path)


def test_a_journal_that_is_damaged_nearly_everywhere_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with OpenJournal(path) as journal:
        journal.write(run_added(), *(task_added(f"5-kedova/t{at}") for at in range(500)))
    content = path.read_bytes()
    path.write_bytes(content[:8192] + b"\xa5" * (len(content) - 8192))
    assert "is damaged" in refusal(path)


def test_a_journal_that_is_missing_beside_its_log_is_refused(tmp_path: Path) -> None:
    """SQLite would begin with an empty one, and drop the log."""
    path = tmp_path / "journal.db"
    journal = OpenJournal(path)
    journal.write(run_added(), task_added())
    log = (tmp_path / "journal.db-wal").read_bytes()
    journal.journal.close()
    path.unlink()
    (tmp_path / "journal.db-wal").write_bytes(log)
    assert "is damaged: it is missing, and its log journal.db-wal is there; put the file back" in refusal(path)


def test_a_journal_that_was_halved_beside_its_log_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with OpenJournal(path) as journal:
        journal.write(run_added(), *(task_added(f"5-kedova/t{at}") for at in range(500)))
    journal = OpenJournal(path)
    journal.write(run_added(RunId("6-babaka")))
    log, main = (tmp_path / "journal.db-wal").read_bytes(), path.read_bytes()
    journal.journal.close()
    path.write_bytes(main[: len(main) // 2])
    (tmp_path / "journal.db-wal").write_bytes(log)
    assert "cut short" in refusal(path)


def test_pages_that_only_the_log_has_are_not_missing(tmp_path: Path) -> None:
    """A power cut in the middle of moving the log into the file leaves a file that is shorter than it says."""
    path = tmp_path / "journal.db"
    journal = OpenJournal(path)
    journal.write(run_added(), *(task_added(f"5-kedova/t{at}") for at in range(500)))
    log, before = (tmp_path / "journal.db-wal").read_bytes(), path.read_bytes()
    journal.journal.close()
    assert path.stat().st_size > len(before)
    path.write_bytes(path.read_bytes()[:4096] + before[4096:])
    (tmp_path / "journal.db-wal").write_bytes(log)
    with OpenJournal(path) as opened:
        assert len(opened.journal.task_ids(RUN)) == 500


def test_a_folder_in_the_place_of_the_journal_is_refused(tmp_path: Path) -> None:
    (tmp_path / "journal.db").mkdir()
    with pytest.raises(Unavailable, match="cannot be used: Is a directory"):
        Journal.open(tmp_path / "journal.db")


def test_a_journal_in_a_missing_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="cannot be used: No such file"):
        Journal.open(tmp_path / "missing" / "journal.db")


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to root")
def test_a_journal_without_permission_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    OpenJournal(path).journal.close()
    path.chmod(0)
    with pytest.raises(Unavailable, match="cannot be used: Permission denied"):
        Journal.open(path)
