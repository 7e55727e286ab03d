"""Of a forgotten run no row is left but its tombstone and what this node voted, and its room goes back to the disk."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from roost.core.facts import BlobStored, Fact, ItemsStored, KeysNoted, ResultsStored, RunForgotten, TaskAdded, VoteKept
from roost.executors.reuse.entries import Entry, encode_entry
from roost.model.ballots import Ballot, Vote
from roost.model.ids import BlobHash, RunId, TaskId, task_id
from roost.model.limits import MIB, TOMBSTONE_KEPT_S
from roost.model.ranges import RangeSet
from roost.model.segments import pack
from roost.model.task import Function
from roost.model.tombstones import Tombstone
from roost.runtime.journal.forgetting import file_rows
from roost.wire.stored import Stored, reference_to
from roost.wire.values import CommandResult, encode_command_result
from tests.runtime.journalling import (
    NODE,
    RUN,
    TASK,
    OpenJournal,
    done,
    finished,
    moved,
    results,
    run_added,
    stamp,
    task_added,
    task_spec,
    told,
    worked,
)
from tests.tokens import attempt

OTHER = RunId("51-kedova")
OTHER_TASK = task_id(OTHER, "work")
CONTENT, SHARED = "aa" * 16, "bb" * 16
TOMBSTONE = RunForgotten(Tombstone(RUN, stamp(9)))


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[OpenJournal]:
    with OpenJournal(tmp_path / "journal.db") as opened:
        yield opened


def with_files(task: TaskId, *contents: str) -> ResultsStored:
    files = {f"f{at}": (content, 1) for at, content in enumerate(contents)}
    return ResultsStored(task, attempt(1), NODE, pack(0, [encode_command_result(CommandResult(files=files))]))


def all_of(run: RunId, task: TaskId) -> list[Fact]:
    """Every kind of fact about a run."""
    key = KeysNoted(task, attempt(1), NODE, pack(0, [encode_entry(Entry(bytes(16)))]))
    lines = [told(task, 2), told(TaskId(run), 2), worked(task, 3.0)]
    return [run_added(run), task_added(task), moved(task, done(), 0, 5), results(task, 1, 5), key, *lines]


def rows(path: Path) -> dict[str, int]:
    with closing(sqlite3.connect(path)) as other:
        tables = [row[0] for row in other.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        counts = {table: other.execute(f"SELECT COUNT(*) FROM {table}").fetchone()[0] for table in tables}
    return {table: count for table, count in counts.items() if count and table != "meta"}


def test_no_row_is_left_but_the_tombstone_and_no_other_run_is_touched(journal: OpenJournal) -> None:
    journal.write(*all_of(OTHER, OTHER_TASK), finished(OTHER, at=8))
    before = rows(journal.journal.path)
    assert len(before) == 8
    journal.write(*all_of(RUN, TASK), finished(at=8))
    journal.write(TOMBSTONE)
    assert rows(journal.journal.path) == before | {"tombstones": 1}
    assert journal.journal.run_ids() == [OTHER]
    assert journal.journal.forgotten_ids() == [RUN]


def test_the_order_within_one_transaction_counts(journal: OpenJournal) -> None:
    journal.write(*all_of(RUN, TASK), finished(at=8), TOMBSTONE)
    assert rows(journal.journal.path) == {"tombstones": 1}
    journal.write(TOMBSTONE, *all_of(RUN, TASK))
    assert journal.journal.run_ids() == [RUN]
    assert journal.journal.forgotten_ids() == [], "it came back"


def test_votes_stay_until_their_tombstone_is_too_old(journal: OpenJournal) -> None:
    votes = [VoteKept(task, Vote(0, Ballot(1, NODE, 1), RangeSet.span(0, 5))) for task in (TASK, OTHER_TASK)]
    journal.write(*all_of(RUN, TASK), votes[0])
    journal.write(TOMBSTONE)
    journal.write(*all_of(OTHER, OTHER_TASK), votes[1], RunForgotten(Tombstone(OTHER, stamp(9))))
    assert rows(journal.journal.path) == {"tombstones": 2, "votes": 2}
    assert journal.journal.was_forgotten(RUN)
    journal.write(*all_of(RUN, TASK))
    assert journal.journal.was_forgotten(RUN), "it is known also when the run is back"
    later = stamp(10 + int(TOMBSTONE_KEPT_S * 1000))
    journal.write(RunForgotten(Tombstone(RunId("52-kedova"), later)))
    assert not journal.journal.was_forgotten(RUN)
    assert journal.journal.holdings(TASK, votes=True).votes, "the run is here"
    assert not journal.journal.holdings(OTHER_TASK, votes=True).votes


def test_a_restart_knows_what_was_forgotten_and_gives_no_number_twice(journal: OpenJournal) -> None:
    journal.write(*all_of(RUN, TASK))
    journal.write(TOMBSTONE)
    again = journal.reopen()
    assert again.journal.restore().tombstones == (TOMBSTONE.tombstone,)
    assert again.journal.next_run_number() == 1 + int(RUN.partition("-")[0])
    assert again.journal.tombstone(RUN) == TOMBSTONE.tombstone
    assert again.journal.tombstone(OTHER) is None


def test_functions_that_no_task_names_go_at_the_next_start(journal: OpenJournal) -> None:
    for run, task, blob in ((RUN, TASK, "c0de"), (OTHER, OTHER_TASK, "beef")):
        spec = task_spec(task)
        work = Function(code=BlobHash(blob), python="3.11")
        journal.write(run_added(run), TaskAdded(type(spec)(spec.id, spec.run, work, spec.elements, spec.submitted)))
        journal.write(BlobStored(BlobHash(blob), b"code"))
    journal.write(TOMBSTONE)
    assert journal.journal.has_blob(BlobHash("c0de")), "somebody may be about to name it"
    assert journal.reopen().journal.restore().blobs == (BlobHash("beef"),)


def test_files_are_orphans_when_no_result_names_them_any_more(journal: OpenJournal) -> None:
    journal.write(*all_of(RUN, TASK), with_files(TASK, CONTENT, SHARED))
    journal.write(*all_of(OTHER, OTHER_TASK), with_files(OTHER_TASK, SHARED))
    assert journal.journal.orphans() == []
    journal.write(TOMBSTONE)
    assert journal.journal.orphans() == [CONTENT]
    journal.write(with_files(OTHER_TASK, CONTENT))
    assert journal.journal.orphans() == [], "it was made again meanwhile"


def test_values_that_are_files_stay_as_long_as_what_refers_to_them(journal: OpenJournal) -> None:
    in_items, in_blob = reference_to(Stored(CONTENT, 1)), reference_to(Stored(SHARED, 1))
    spec = task_spec(TASK)
    work = Function(code=BlobHash("c0de"), python="3.11")
    journal.write(run_added(), TaskAdded(type(spec)(spec.id, spec.run, work, spec.elements, spec.submitted)))
    journal.write(ItemsStored(TASK, pack(0, [in_items])), BlobStored(BlobHash("c0de"), b"code" + in_blob))
    journal.write(TOMBSTONE)
    assert journal.journal.orphans() == [CONTENT]
    assert journal.reopen().journal.orphans() == [CONTENT, SHARED]


def test_only_results_with_files_are_opened() -> None:
    assert file_rows(RUN, pack(0, [b"\x80pickle", b"[1]"])) == []
    assert file_rows(RUN, pack(0, [b"no result, and yet it has files in it"])) == []
    assert file_rows(RUN, with_files(TASK, CONTENT).segment) == [(CONTENT, RUN)]


def test_the_file_shrinks_to_what_it_holds(journal: OpenJournal) -> None:
    path = journal.journal.path
    journal.write(*all_of(RUN, TASK))
    for at in range(16):
        journal.write(ResultsStored(TASK, attempt(2), NODE, pack(at, [bytes(MIB)])))
    assert journal.journal.run_bytes(RUN) > 16 * MIB
    journal.write(TOMBSTONE)
    assert journal.journal.free_pages > 1000
    while journal.journal.free_pages:
        journal.journal.free()
        journal.journal.wait_until_calm()
    assert path.stat().st_size + path.with_name(f"{path.name}-wal").stat().st_size < MIB
