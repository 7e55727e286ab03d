"""A journal with damaged pages is mended: what is sound goes on, and what is lost is known."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from roost.core.facts import RunFinished, VoteKept
from roost.core.queue.digests import digest_of_tasks
from roost.model.ballots import Ballot, Vote
from roost.model.errors import Damaged, InvalidInput
from roost.model.ids import NodeId, RunId, TaskId
from roost.model.ranges import RangeSet
from roost.runtime.journal.journal import Journal
from roost.runtime.journal.rescue import damage_of
from roost.runtime.journal.schema import connect
from tests.runtime.journalling import NODE, RUN, OpenJournal, done, moved, results, run_added, stamp, task_added, values

PAGE_BYTES = 4096
TASKS = [TaskId(f"5-kedova/t{at}") for at in range(200)]


def write_much(path: Path) -> None:
    journal = Journal.open(path)
    journal.identity(NODE)
    with OpenJournal(path, journal) as opened:
        opened.write(run_added())
        for task in TASKS:
            opened.write(task_added(task, 3), moved(task, done(), 0, 3), results(task, 0, 3))
        digest = digest_of_tasks(opened.journal.task_records(RUN))
        opened.write(RunFinished(RUN, stamp(9), "done", {"done": 600}, 200, digest))


def spoil(path: Path, table: str, *, leaf: int = 1) -> None:
    """Overwrite a leaf page of a table's tree."""
    content = bytearray(path.read_bytes())
    start = (_root(path, table) - 1) * PAGE_BYTES
    assert content[start] == 5, "the table has more than one page"
    cells = int.from_bytes(content[start + 3 : start + 5], "big")
    assert leaf < cells
    cell = int.from_bytes(content[start + 12 + 2 * leaf : start + 14 + 2 * leaf], "big")
    child = int.from_bytes(content[start + cell : start + cell + 4], "big")
    content[(child - 1) * PAGE_BYTES : child * PAGE_BYTES] = b"\xa5" * PAGE_BYTES
    path.write_bytes(content)


def test_a_sound_journal_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    write_much(path)
    Journal.open(path).close()
    assert not list(tmp_path.glob("*.damaged-*"))


def test_results_on_a_damaged_page_are_lost_and_all_others_stay(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    write_much(path)
    spoil(path, "results")
    before = path.read_bytes()
    with closing(Journal.open(path)) as journal:
        assert (tmp_path / "journal.db.damaged-1").read_bytes() == before
        assert journal.identity(NodeId("another")) == NODE
        held = [task for task in TASKS if journal.holdings(task).results]
        assert 100 < len(held) < 200
        for task in held:
            (segment,) = journal.results(task, journal.task_record(task).elements, RangeSet.span(0, 3))
            assert segment.values() == values(0, 3)
        assert any("results" in what for _, what in journal.damages())
        assert damage_of(journal._writing) is None


def test_a_run_that_lost_states_is_told_as_damaged_and_not_as_what_is_left_of_it(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    write_much(path)
    spoil(path, "deltas")
    with (
        closing(Journal.open(path)) as journal,
        pytest.raises(Damaged, match="of run 5-kedova on this disk is damaged"),
    ):
        journal.task_record(TASKS[0])


def test_a_damaged_index_is_made_anew_and_nothing_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    write_much(path)
    _spoil_root(path, "deltas_by_task")
    with closing(Journal.open(path)) as journal:
        assert all(journal.task_record(task).elements.at(2) == done() for task in TASKS)


def _root(path: Path, name: str) -> int:
    with closing(sqlite3.connect(path)) as connection:
        (root,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (name,)).fetchone()
    return int(root)


def _spoil_root(path: Path, name: str) -> None:
    content = bytearray(path.read_bytes())
    start = (_root(path, name) - 1) * PAGE_BYTES
    content[start + 100 : start + PAGE_BYTES] = b"\xa5" * (PAGE_BYTES - 100)
    path.write_bytes(content)


def test_a_node_that_may_have_lost_votes_has_no_voice_any_more(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    task = TaskId("6-kedova/voted")
    journal = Journal.open(path)
    journal.identity(NODE)
    with OpenJournal(path, journal) as opened:
        added = task_added(task, 3)
        voted = [VoteKept(task, Vote(0, Ballot(at, NODE, 1), RangeSet.span(0, 3))) for at in range(30)]
        opened.write(run_added(RunId("6-kedova")), added, *voted)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE votes SET crc = crc + 1 WHERE seq = 3")
        connection.commit()
    with closing(Journal.open(path)) as journal:
        held = journal.holdings(task, votes=True)
        assert (held.votes_lost, len(held.votes)) == (True, 29)
        assert journal.holdings(task, votes=True).votes_lost


def test_a_journal_that_does_not_know_its_node_any_more_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    write_much(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE meta SET crc = crc + 1 WHERE key = 'boot'")
        connection.commit()
    spoil(path, "results")
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    with pytest.raises(InvalidInput, match=r"damaged .* the number of its lives cannot be read"):
        Journal.open(path)
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before


def test_damage_is_found_by_sqlite_itself(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    write_much(path)
    with closing(connect(path, "rw", sqlite3.Connection)) as connection:
        assert damage_of(connection) is None
    spoil(path, "tasks")
    with closing(connect(path, "rw", sqlite3.Connection)) as connection:
        assert damage_of(connection) is not None
