"""Rows that are not what was written: none is told as if it were right, and what is missing then is said."""

import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from roost.core.events import DamageFound
from roost.core.facts import BlobStored, FailureNoted, RunFinished
from roost.core.queue.digests import digest_of_tasks
from roost.model.errors import Damaged, InvariantViolated, NotFound, RoostError
from roost.model.happenings import TriedAgain
from roost.model.ids import BlobHash
from roost.model.ranges import RangeSet
from roost.model.segments import Segment
from roost.model.task import Failure
from roost.model.token import NO_TOKEN
from roost.runtime.journal.damage import Damage, Reading
from roost.runtime.journal.journal import Journal
from tests.runtime.damaging import flip_in
from tests.runtime.journalling import (
    DONE,
    NODE,
    RUN,
    TASK,
    OpenJournal,
    done,
    failed,
    moved,
    results,
    run_added,
    stamp,
    task_added,
    task_spec,
    told,
    values,
    worked,
)
from tests.tokens import attempt

ALL = RangeSet.span(0, 6)


def write_results(path: Path) -> None:
    with OpenJournal(path) as journal:
        journal.write(run_added(), task_added(count=6), moved(TASK, done(), 0, 6))
        journal.write(results(TASK, 0, 3), results(TASK, 3, 6), BlobStored(BlobHash("c0de"), b"some code"))
        journal.write(FailureNoted(TASK, 5, attempt(1), Failure("a reason to fail")))


def read(journal: Journal, **how: bool) -> list[Segment]:
    return list(journal.results(TASK, journal.task_record(TASK).elements, ALL, **how))


def test_a_damaged_result_is_refused_once_and_is_missing_from_then_on(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    write_results(path)
    flip_in(path, b"value 4")
    with OpenJournal(path) as opened:
        found: list[DamageFound] = []
        opened.journal.listen_to_damage(found.append)
        with pytest.raises(Damaged, match="the result of elements 3-5 of task 'resize' of run 5-kedova on this disk"):
            read(opened.journal)
        left = opened.journal.holdings(TASK)
        assert left.results == ((attempt(1), NODE, RangeSet.span(0, 3)),)
        assert [(event.task, str(event.ranges), event.holdings) for event in found] == [(TASK, "3-5", left)]
        with pytest.raises(InvariantViolated, match="lacks the result of element 3"):
            read(opened.journal)
        opened.write(results(TASK, 3, 6))
        assert [segment.values() for segment in read(opened.journal)] == [values(0, 3), values(3, 6)]


def test_what_others_are_given_is_what_is_sound(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    write_results(path)
    flip_in(path, b"value 1")
    with OpenJournal(path) as opened:
        assert [segment.values() for segment in read(opened.journal, partly=True)] == [values(3, 6)]


def test_a_damaged_function_is_refused_and_is_missing_from_then_on(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    write_results(path)
    flip_in(path, b"some code")
    with OpenJournal(path) as opened:
        with pytest.raises(Damaged, match="the function or argument with the hash c0de"):
            opened.journal.blob(BlobHash("c0de"))
        assert not opened.journal.has_blob(BlobHash("c0de"))


def test_a_damaged_reason_says_that_it_is(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    write_results(path)
    flip_in(path, b"a reason to fail")
    with OpenJournal(path) as opened:
        ((index, failure),) = opened.journal.failures(TASK, ALL)
        assert (index, "damaged" in failure.reason) == (5, True)
        assert list(opened.journal.failures(TASK, ALL)) == []


@pytest.mark.parametrize("token", ["text", 7, b"", b"x" * 15, bytes([0, 0, 0, 0, 255]) + bytes(11)])
def test_results_and_reasons_whose_token_is_damaged_belong_to_no_attempt(tmp_path: Path, token: object) -> None:
    path = tmp_path / "journal.db"
    write_results(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE results SET token = ? WHERE start = 3", (token,))
        connection.execute("UPDATE failures SET token = ?", (token,))
        connection.commit()
    with OpenJournal(path) as opened:
        (held,) = opened.journal.restore().holdings
        assert (NO_TOKEN, NODE, RangeSet.span(3, 6)) in held.results
        assert (attempt(1), NODE, RangeSet.span(0, 3)) in held.results
        assert list(opened.journal.failure_tokens(TASK, ALL)) == [(5, NO_TOKEN)]
        ((_, noted, failure),) = opened.journal.noted_failures(TASK, ALL)
        assert (noted, "damaged" in failure.reason) == (NO_TOKEN, True)
        with pytest.raises(InvariantViolated, match="lacks the result of element 3"):
            read(opened.journal)


def damage_delta(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE deltas SET crc = crc + 1")
        connection.commit()


def test_damaged_states_are_refused_to_people_and_left_out_for_whoever_mends(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    write_results(path)
    damage_delta(path)
    with OpenJournal(path) as opened:
        for _ in range(2):
            with pytest.raises(Damaged, match="the record of task 'resize' of run 5-kedova on this disk is damaged"):
                opened.journal.task_record(TASK)
        assert not opened.journal.task_record(TASK, reading=Reading.MENDING).elements
        assert not opened.journal.task_record(TASK).elements


def test_a_node_that_starts_leaves_damaged_states_out_and_says_so(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    write_results(path)
    damage_delta(path)
    with closing(Journal.open(path)) as journal:
        journal.begin_boot()
        (task,) = journal.restore().tasks
        assert not task.elements
        found: list[DamageFound] = []
        journal.listen_to_damage(found.append)
        assert [(event.run, event.what) for event in found] == [(RUN, "the record of task 'resize' of run 5-kedova")]
        assert [what for _, what in journal.damages()] == ["the record of task 'resize' of run 5-kedova"]


def test_a_run_whose_record_is_damaged_is_refused_until_it_is_told_again(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    write_results(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE runs SET crc = crc + 1")
        connection.commit()
    with closing(Journal.open(path)) as journal:
        journal.begin_boot()
        assert journal.restore().runs == ()
        with pytest.raises(Damaged, match="the record of run 5-kedova on this disk is damaged"):
            journal.run_record(RUN)
    with OpenJournal(path) as opened:
        opened.write(run_added())
        assert opened.journal.run_record(RUN).spec.id == RUN


def test_a_run_whose_end_is_damaged_ends_again(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    write_results(path)
    with OpenJournal(path) as opened:
        digest = digest_of_tasks(opened.journal.task_records(RUN))
        opened.write(RunFinished(RUN, stamp(9), "done", {"done": 6}, 1, digest))
        opened.journal.archive([TASK])
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE finishes SET crc = crc + 1")
        connection.commit()
    with closing(Journal.open(path)) as journal:
        journal.begin_boot()
        (run,) = journal.restore().runs
        assert (run.finished, run.counts) == (None, {"done": 6})


def test_folding_states_does_not_give_a_damaged_row_a_right_sum(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    write_results(path)
    damage_delta(path)
    with OpenJournal(path) as opened:
        for at in range(70):
            opened.write(moved(TASK, failed(token=2 + at), 0, 1))
        with pytest.raises(Damaged):
            opened.journal.task_record(TASK)


def test_lines_and_spans_that_are_damaged_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with OpenJournal(path) as opened:
        opened.write(run_added(), task_added(), told(TASK, 1, TriedAgain()), told(TASK, 2), worked(TASK, 2.0))
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE story SET crc = 1 WHERE wall_ms = 1")
        connection.execute("UPDATE spans SET crc = 1")
        connection.commit()
    with OpenJournal(path) as opened:
        assert [line.what for line in opened.journal.story(TASK)] == [DONE]
        assert opened.journal.spans(RUN) == []


def test_what_data_loses_can_be_had_again_and_what_records_lose_cannot() -> None:
    assert Damage("results", 1, "it", RUN).is_data
    assert not Damage("deltas", 1, "it", RUN).is_data
    assert Damage("votes", 1, "what it voted", RUN).stays
    assert "it is taken from another node" in str(Damage("blobs", 1, "a function", None).error())
    assert "'roost retry 5-kedova'" in str(Damage("deltas", 1, "the record of task 'a'", RUN).error())
    assert "hand the work in again" in str(Damage("tasks", 1, "the record of task 'a'", RUN).error())


def test_a_task_of_which_nobody_knows_what_it_was_stays_damaged_until_it_is_told_again(tmp_path: Path) -> None:
    """Without its row the run would look like one that has no such task."""
    path = tmp_path / "journal.db"
    with OpenJournal(path) as opened:
        opened.write(run_added(), task_added(TASK, 3), results(TASK, 0, 3), moved(TASK, done(), 0, 3))
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE tasks SET spec = spec || x'00'")
        connection.commit()
    with OpenJournal(path) as opened:
        for _ in range(2):
            opened.journal.archived(RUN)
            with pytest.raises(Damaged, match="hand the work in again"):
                opened.journal.refuse_lost_tasks(RUN)
        opened.write(task_added(TASK, 3))
        opened.journal.refuse_lost_tasks(RUN)
        assert opened.journal.task_record(TASK).elements.known() == RangeSet.span(0, 3)


@pytest.mark.parametrize("seed", range(60))
def test_a_bit_that_flips_anywhere_never_makes_a_wrong_answer(tmp_path: Path, seed: int) -> None:
    path = tmp_path / "journal.db"
    write_results(path)
    content = bytearray(path.read_bytes())
    rng = random.Random(seed)
    at = rng.choice([at for at, byte in enumerate(content) if byte])
    content[at] ^= 1 << rng.randrange(8)
    path.write_bytes(content)
    said = _asked_for_everything(path)
    assert said == "" or "damaged" in said


def _asked_for_everything(path: Path) -> str:
    """Check every answer of a journal; return the error that it raised instead, if it did."""
    try:
        with closing(Journal.open(path)) as journal:
            journal.begin_boot()
            journal.restore()
            record = journal.task_record(TASK)
            assert record.spec == task_spec(count=6)
            for segment in journal.results(TASK, record.elements, ALL, partly=True):
                assert segment.values() == values(segment.start, segment.stop)
            assert journal.run_ids() == [RUN]
    except RoostError as error:
        taken_out = isinstance(error, NotFound)
        return "its record was damaged, and taken out" if taken_out else str(error)
    return ""
