"""What ``doctor`` finds in the journal and among the files, and how bad it takes it."""

import sqlite3
from hashlib import blake2b
from pathlib import Path

import pytest

from roost.app.cli import disk_checks
from roost.app.cli.checks import FAIL, OK, WARN
from roost.app.cli.disk_checks import deep_findings, journal
from roost.model.errors import Damaged
from roost.model.ranges import RangeSet
from roost.runtime.data.file_check import FileCheck
from roost.runtime.home import Home
from roost.runtime.journal.journal import Journal
from tests.runtime.damaging import flip_in
from tests.runtime.journalling import TASK, OpenJournal, done, moved, results, run_added, task_added


@pytest.fixture
def made(home: Path) -> Home:
    made = Home(home)
    made.create()
    return made


def _write_results(home: Home) -> None:
    with OpenJournal(home.journal) as opened:
        opened.write(run_added(), task_added(), moved(TASK, done(), 0, 3), results(TASK, 0, 3))


def test_a_home_without_a_journal_is_well(home: Path) -> None:
    assert journal(Home(home)).verdict == OK
    assert [finding.verdict for finding in deep_findings(Home(home))] == [OK, OK]


def test_a_journal_is_looked_through(made: Home) -> None:
    Journal.open(made.journal).close()
    assert journal(made).verdict == OK
    with made.journal.open("r+b") as file:
        file.seek(5000)
        file.write(b"\xff" * 20_000)
    finding = journal(made)
    assert finding.verdict == FAIL
    assert "damaged" in finding.found


def test_another_program_s_database_is_no_journal(made: Home) -> None:
    connection = sqlite3.connect(made.journal)
    connection.execute("create table t (x)")
    connection.commit()
    connection.close()
    finding = journal(made)
    assert finding.verdict == FAIL
    assert "not a journal of Roost" in finding.found


def test_a_log_without_its_journal_fails(made: Home) -> None:
    (made.path / "journal.db-wal").write_bytes(b"frames")
    assert journal(made).verdict == FAIL


def test_a_deep_look_finds_a_bit_that_flipped_in_a_result(made: Home) -> None:
    _write_results(made)
    assert [finding.verdict for finding in deep_findings(made)] == [OK, OK]
    flip_in(made.journal, b"value 1")
    assert journal(made).verdict == OK
    rows, files = deep_findings(made)
    assert (rows.verdict, files.verdict) == (FAIL, OK)
    assert "1 of results" in rows.found


def test_damage_that_was_met_before_is_remembered(made: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    _write_results(made)
    flip_in(made.journal, b"value 1")
    with OpenJournal(made.journal) as opened, pytest.raises(Damaged):
        list(opened.journal.results(TASK, opened.journal.task_record(TASK).elements, RangeSet.span(0, 3)))
    finding = journal(made)
    assert finding.verdict == FAIL, "the exit code tells"
    assert "the result of elements 0-2 of task 'resize' of run 5-kedova" in finding.found
    monkeypatch.setattr(disk_checks, "RECENT_S", -60)
    assert journal(made).verdict == WARN, "it was long ago"


def test_a_deep_look_reads_every_file_that_work_has_left(made: Home) -> None:
    content = b"what a step left" * 100
    name = blake2b(content, digest_size=16).hexdigest()
    (made.blobs / name).write_bytes(content)
    assert deep_findings(made)[1].verdict == OK
    (made.blobs / name).write_bytes(content + b"!")
    assert deep_findings(made)[1].verdict == FAIL
    assert not FileCheck().is_sound(made.blobs / name)
    aside = deep_findings(made)[1]
    assert aside.verdict == WARN
    assert name in aside.found
