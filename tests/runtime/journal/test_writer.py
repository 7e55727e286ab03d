"""The writer's thread: group commit, failures that stay alone, room that comes back."""

import errno
import os
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from roost.core.facts import BlobStored, Fact, FailureNoted, ItemsStored, RunForgotten, RunMerged, StatesMerged
from roost.model.elements import Elements
from roost.model.ids import BlobHash, TaskId
from roost.model.ranges import RangeSet
from roost.model.segments import pack
from roost.model.states import Done
from roost.model.task import Failure
from roost.model.tombstones import Tombstone
from roost.runtime.journal.flush import LogFile
from roost.runtime.journal.journal import Journal
from roost.runtime.journal.reserve import Reserve
from roost.runtime.journal.schema import open_file
from roost.runtime.journal.writer import GROUP_FACTS_MAX, Writer
from tests.runtime.journalling import NODE, PATIENCE_S, TASK, OpenJournal, Recorder, run_record, stamp, task_added, told
from tests.tokens import attempt

UNWRITABLE = FailureNoted(TASK, 2**70, attempt(1), Failure("an index that no row can hold"))


class Limited(OpenJournal):
    """A journal on a disk that a test can fill: SQLite refuses to grow the file beyond its limit."""

    def __init__(self, path: Path) -> None:
        self._writing, reading = open_file(path)
        super().__init__(path, Journal(path, self._writing, reading))

    def fill_the_disk(self) -> None:
        self._writing.execute("PRAGMA max_page_count = 1").fetchone()

    def make_room(self) -> None:
        self._writing.execute("PRAGMA max_page_count = 1000000").fetchone()


@pytest.fixture
def limited(tmp_path: Path) -> Iterator[Limited]:
    with Limited(tmp_path / "journal.db") as journal:
        yield journal


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    writing, reading = open_file(tmp_path / "journal.db")
    yield writing
    reading.close()
    writing.close()


@pytest.fixture
def log(connection: sqlite3.Connection, tmp_path: Path) -> Iterator[LogFile]:
    found = LogFile.of(tmp_path / "journal.db")
    yield found
    found.close()


@pytest.fixture
def reserve(tmp_path: Path) -> Reserve:
    return Reserve(tmp_path / "journal.reserve")


def tickets_of(answers: list[tuple[str, int | tuple[int, ...]]], word: str) -> list[int | tuple[int, ...]]:
    return [ticket for said, ticket in answers if said == word]


def large(number: int) -> BlobStored:
    return BlobStored(BlobHash(f"{number:032x}"), b"x" * 50_000)


class Gate(Recorder):
    """Holds the writer's thread in its first answer, so that a crowd gathers behind it."""

    def __init__(self) -> None:
        super().__init__()
        self.entered = threading.Event()
        self.opened = threading.Event()

    def on_written(self, ticket: int) -> None:
        self.entered.set()
        assert self.opened.wait(PATIENCE_S)
        super().on_written(ticket)

    def gather(self, writer: Writer, *tickets: tuple[Fact, ...]) -> None:
        """Have ticket 1 written alone, and the given ones from 2 on as one crowd."""
        writer.append([(1, ())], here=False)
        assert self.entered.wait(PATIENCE_S)
        for ticket, facts in enumerate(tickets, 2):
            writer.append([(ticket, facts)], here=False)
        assert writer.backlog == len(tickets)
        self.opened.set()
        writer.close()
        assert writer.backlog == 0


def test_all_that_gathered_is_answered_with_its_last_ticket(
    connection: sqlite3.Connection, log: LogFile, reserve: Reserve
) -> None:
    gate = Gate()
    writer = Writer(connection, log, reserve, gate)
    gate.gather(writer, *((told(TASK, at),) for at in range(50)))
    assert gate.answers == [("written", 1), ("written", 51)]


def test_a_group_is_bounded(connection: sqlite3.Connection, log: LogFile, reserve: Reserve) -> None:
    gate = Gate()
    half = tuple(told(TASK, at) for at in range(GROUP_FACTS_MAX // 2))
    gate.gather(Writer(connection, log, reserve, gate), half, half, half)
    assert gate.answers == [("written", 1), ("written", 3), ("written", 4)]


def test_a_bad_ticket_fails_alone_and_in_its_turn(
    connection: sqlite3.Connection, log: LogFile, reserve: Reserve
) -> None:
    gate = Gate()
    writer = Writer(connection, log, reserve, gate)
    gate.gather(writer, (told(TASK, 1),), (told(TASK, 2), UNWRITABLE), (told(TASK, 3),))
    assert gate.answers == [("written", 1), ("written", 2), ("failed", (3,)), ("written", 4)]
    assert connection.execute("SELECT wall_ms FROM story ORDER BY 1").fetchall() == [(1,), (3,)]


def test_a_fact_that_contradicts_what_is_written_fails(open_journal: OpenJournal) -> None:
    open_journal.write(RunMerged(run_record(at=1)))
    open_journal.write(RunMerged(run_record(at=2)), told(TASK, 1))
    open_journal.write(told(TASK, 2))
    assert open_journal.answers == [("written", 1), ("failed", (2,)), ("written", 3)]
    assert "two different runs share the id" in open_journal.reasons[0]
    assert len(open_journal.journal.story(TASK)) == 1


@pytest.mark.parametrize("name", ["lone \ud800 surrogate", "5-kedova/\x00"])
def test_no_text_can_end_the_writer(open_journal: OpenJournal, name: str) -> None:
    open_journal.write(told(TaskId(name), 1))
    open_journal.write(told(TASK, 1))
    assert open_journal.answers[-1] == ("written", 2)


def test_on_a_full_disk_nothing_of_a_ticket_is_written_and_the_reason_is_said(limited: Limited) -> None:
    limited.write(RunMerged(run_record()))
    limited.fill_the_disk()
    limited.write(task_added(), large(2))
    assert limited.answers == [("written", 1), ("failed", (2,))]
    assert limited.reasons == ["the journal cannot be written: database or disk is full"]
    assert limited.journal.restore().tasks == ()
    assert not limited.journal.has_blob(large(2).hash)


def test_forgetting_may_take_the_room_that_is_set_aside_on_a_full_disk(
    limited: Limited, monkeypatch: pytest.MonkeyPatch
) -> None:
    limited.write(RunMerged(run_record()), task_added(), large(1))
    given_up: list[str] = []
    monkeypatch.setattr(Reserve, "give_up", lambda _: given_up.append("room"))
    monkeypatch.setattr(Writer, "_put", refusing_once(Writer._put))
    limited.write(RunForgotten(Tombstone(run_record().spec.id, stamp(9))))
    assert limited.answers == [("written", 1), ("written", 2)]
    assert given_up == ["room"]
    assert not limited.journal.has_run(run_record().spec.id)


def refusing_once(put: Callable[..., str | None]) -> Callable[..., str | None]:
    """Return what writes, but for the first time, when the disk has no room."""
    tries: list[None] = []

    def refuse(*args: Any, **options: Any) -> str | None:
        tries.append(None)
        return "database or disk is full" if len(tries) == 1 else put(*args, **options)

    return refuse


def test_when_there_is_room_again_the_journal_goes_on(limited: Limited) -> None:
    limited.fill_the_disk()
    for number in range(3):
        limited.write(large(number))
    limited.make_room()
    limited.write(large(3), RunMerged(run_record()), task_added())
    assert limited.answers == [("failed", (1,)), ("failed", (2,)), ("failed", (3,)), ("written", 4)]
    with limited.reopen() as again:
        assert [again.journal.has_blob(large(number).hash) for number in range(4)] == [False, False, False, True]
        assert len(again.journal.restore().tasks) == 1


def test_what_still_fits_on_a_full_disk_is_written(limited: Limited) -> None:
    limited.write(told(TASK, 1))
    limited.fill_the_disk()
    tickets = [limited.append(large(1)), limited.append(told(TASK, 2)), limited.append(large(2))]
    limited.wait_for(tickets[-1])
    assert ("written", 3) in limited.answers
    assert [line.at.wall_ms for line in limited.journal.story(TASK)] == [1, 2]
    assert len(tickets_of(limited.answers, "failed")) == 2


def test_archiving_is_written_in_its_turn_and_can_be_waited_for(open_journal: OpenJournal) -> None:
    tasks = [TaskId(f"5-kedova/t{at}") for at in range(100)]
    open_journal.append(RunMerged(run_record()), *(task_added(task) for task in tasks))
    for task in tasks:
        open_journal.journal.archive([task])
    assert open_journal.journal.archived(run_record().spec.id).tasks == 100
    assert open_journal.answers == [("written", 1)]


def test_closing_writes_what_is_queued(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with OpenJournal(path) as journal:
        for at in range(200):
            journal.append(told(TASK, at))
    assert journal.answers[-1] == ("written", 200)
    with OpenJournal(path) as again:
        assert len(again.journal.story(TASK)) == 200


def quick(writer: Writer) -> Writer:
    """A writer that has found the disk quick, some time ago."""
    writer._commit_s = 0.0
    writer._appended_at = 0.0
    return writer


def test_on_a_quick_disk_and_with_nothing_else_going_on_the_caller_writes(
    connection: sqlite3.Connection, log: LogFile, reserve: Reserve
) -> None:
    gate = Gate()
    writer = quick(Writer(connection, log, reserve, gate))
    assert writer.append([(1, (told(TASK, 1),)), (2, (told(TASK, 2),))], here=True)
    assert connection.execute("SELECT wall_ms FROM story ORDER BY 1").fetchall() == [(1,), (2,)]
    assert not gate.answers
    gate.opened.set()
    writer.close()


@pytest.mark.parametrize("spoil", ["a slow disk", "a ticket just before", "not allowed", "too much", "a bad fact"])
def test_otherwise_the_thread_writes(
    connection: sqlite3.Connection, log: LogFile, reserve: Reserve, spoil: str
) -> None:
    gate = Gate()
    gate.opened.set()
    writer = quick(Writer(connection, log, reserve, gate))
    facts: tuple[Fact, ...] = (told(TASK, 1),)
    if spoil == "a slow disk":
        writer._commit_s = 1.0
    elif spoil == "a ticket just before":
        writer._appended_at = float("inf")
    elif spoil == "too much":
        facts = tuple(told(TASK, at) for at in range(100))
    elif spoil == "a bad fact":
        facts = (UNWRITABLE,)
    assert not writer.append([(1, facts)], here=spoil != "not allowed")
    writer.close()
    assert gate.answers == [("failed", (1,)) if spoil == "a bad fact" else ("written", 1)]


def test_what_is_promised_is_written_when_it_is_kept(
    connection: sqlite3.Connection, log: LogFile, reserve: Reserve
) -> None:
    gate = Gate()
    writer = quick(Writer(connection, log, reserve, gate))
    tickets = [(1, (told(TASK, 1),)), (2, (told(TASK, 2),))]
    assert writer.promise(tickets[:1])
    writer._appended_at = 0.0
    assert writer.promise(tickets[1:])
    assert connection.execute("SELECT wall_ms FROM story").fetchall() == []
    assert writer.keep()
    assert connection.execute("SELECT wall_ms FROM story ORDER BY 1").fetchall() == [(1,), (2,)]
    assert not gate.answers
    writer.close()


def test_what_is_prepared_is_seen_when_it_is_kept_with_what_followed(
    connection: sqlite3.Connection, log: LogFile, reserve: Reserve, tmp_path: Path
) -> None:
    writer = quick(Writer(connection, log, reserve, Gate()))
    assert writer.promise([(1, (told(TASK, 1),))])
    writer.prepare()
    writer._appended_at = 0.0
    assert writer.promise([(2, (told(TASK, 2),))])
    with closing(sqlite3.connect(tmp_path / "journal.db")) as other:
        assert other.execute("SELECT wall_ms FROM story").fetchall() == []
        assert writer.keep()
        assert other.execute("SELECT wall_ms FROM story ORDER BY 1").fetchall() == [(1,), (2,)]
    assert not connection.in_transaction
    writer.close()


def test_what_was_only_prepared_is_written_before_anything_else(
    connection: sqlite3.Connection, log: LogFile, reserve: Reserve
) -> None:
    writer = quick(Writer(connection, log, reserve, Gate()))
    assert writer.promise([(1, (told(TASK, 1),))])
    writer.prepare()
    assert not writer.append([(2, (UNWRITABLE,))], here=True)
    writer.close()
    assert connection.execute("SELECT wall_ms FROM story").fetchall() == [(1,)]


@pytest.mark.parametrize("spoil", ["a slow disk", "no room set aside"])
def test_what_may_take_long_or_find_no_room_is_not_promised(
    connection: sqlite3.Connection, log: LogFile, reserve: Reserve, spoil: str
) -> None:
    writer = quick(Writer(connection, log, reserve, Gate()))
    if spoil == "a slow disk":
        writer._commit_s = 1.0
    elif spoil == "no room set aside":
        reserve.give_up()
    assert not writer.promise([(1, (told(TASK, 1),))])
    writer.close()


@pytest.mark.parametrize(
    ("facts", "count"),
    [
        ((told(TASK, 1),) * 4, 8),
        ((ItemsStored(TASK, pack(0, [b"x" * 20_000])),), 3),
        ((large(1),), 1),
        ((large(1), large(2)), 0),
        ((FailureNoted(TASK, 1, attempt(1), Failure("no", detail="x" * 100_000)),), 0),
        ((StatesMerged(TASK, Elements({Done(attempt(1), NODE): RangeSet.from_bounds(range(80_000))})),), 0),
        ((RunForgotten(Tombstone(run_record().spec.id, stamp(1))),), 0),
        ((UNWRITABLE,), 0),
    ],
    ids=["many", "long", "one large", "two large", "a long reason", "many ranges", "a run that goes", "no fact at all"],
)
def test_only_what_is_small_with_all_that_was_promised_before_is_promised(
    connection: sqlite3.Connection, log: LogFile, reserve: Reserve, facts: tuple[Fact, ...], count: int
) -> None:
    gate = Gate()
    gate.opened.set()
    writer = quick(Writer(connection, log, reserve, gate))
    promised = []
    for ticket in range(1, count + 2):
        writer._appended_at = 0.0
        promised.append(writer.promise([(ticket, facts)]))
    assert promised == [*[True] * count, False]
    writer.close()


@pytest.mark.parametrize("prepared", ["before the disk is full", "after", "not"])
def test_what_finds_no_room_gets_what_was_set_aside(
    connection: sqlite3.Connection, log: LogFile, tmp_path: Path, prepared: str
) -> None:
    """SQLite's own limit plays the full disk: it ends when the reserve does."""

    class Room(Reserve):
        def give_up(self) -> None:
            super().give_up()
            connection.execute("PRAGMA max_page_count = 1000000").fetchone()

    reserve = Room(tmp_path / "journal.reserve")
    writer = quick(Writer(connection, log, reserve, Gate()))
    writer.promise([(1, tuple(ItemsStored(TaskId(f"5-kedova/{at}"), pack(0, [b"x" * 8_000])) for at in range(8)))])
    if prepared == "before the disk is full":
        writer.prepare()
    connection.execute("PRAGMA max_page_count = 1").fetchone()
    if prepared == "after":
        writer.prepare()
    writer._appended_at, writer._commit_s = 0.0, 0.0
    assert writer.promise([(2, (ItemsStored(TASK, pack(0, [b"x" * 1_000])),))])
    assert writer.keep()
    assert len(connection.execute("SELECT 1 FROM items").fetchall()) == 9
    assert not reserve.holds
    writer.close()


@pytest.mark.parametrize("prepared", [True, False])
def test_a_promise_that_cannot_be_kept_says_why(
    connection: sqlite3.Connection, log: LogFile, reserve: Reserve, prepared: bool
) -> None:
    gate = Gate()
    writer = quick(Writer(connection, log, reserve, gate))
    assert writer.promise(
        [(1, tuple(ItemsStored(TaskId(f"5-kedova/{at}"), pack(0, [b"x" * 8_000])) for at in range(8)))]
    )
    connection.execute("PRAGMA max_page_count = 1").fetchone()
    if prepared:
        writer.prepare()
    assert not writer.keep()
    assert "cannot be written" in gate.reasons[0]
    assert not writer.flush_here(), "nothing that rests on it may be said"
    writer.close()


class FailingLog(LogFile):
    """The log on a disk that breaks when the test says so."""

    def __init__(self) -> None:
        super().__init__(-1)
        self.flushes = 0
        self.broken = False

    def flush(self) -> None:
        if self.broken:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        self.flushes += 1


def test_what_the_caller_wrote_is_flushed_when_it_asks(connection: sqlite3.Connection, reserve: Reserve) -> None:
    gate, log = Gate(), FailingLog()
    gate.opened.set()
    writer = quick(Writer(connection, log, reserve, gate))
    assert writer.append([(1, (told(TASK, 1),))], here=True)
    assert log.flushes == 0
    assert writer.flush_here()
    assert log.flushes == 1
    writer.flush_beside(1)
    writer.close()
    assert (gate.answers, log.flushes) == ([("flushed", 1)], 2)


def test_a_thread_flushes_before_it_answers(connection: sqlite3.Connection, reserve: Reserve) -> None:
    log = FailingLog()
    seen: list[int] = []

    class Watching(Recorder):
        def on_written(self, ticket: int) -> None:
            seen.append(log.flushes)
            super().on_written(ticket)

    watching = Watching()
    writer = Writer(connection, log, reserve, watching)
    writer.append([(1, (told(TASK, 1),))], here=False)
    watching.wait_for(1)
    writer.close()
    assert seen == [1]


def test_a_disk_that_fails_to_flush_is_reported_once_and_nothing_is_answered_any_more(
    connection: sqlite3.Connection, reserve: Reserve
) -> None:
    gate, log = Gate(), FailingLog()
    gate.opened.set()
    writer = Writer(connection, log, reserve, gate)
    log.broken = True
    writer.append([(1, (told(TASK, 1),))], here=False)
    writer.archive([TASK])
    writer.wait_for_archive()
    log.broken = False
    assert not writer.flush_here(), "a disk that has failed once is not believed again"
    writer.append([(2, (told(TASK, 2),))], here=False)
    writer.close()
    assert (gate.answers, gate.reasons) == ([], ["the disk of the journal failed: Input/output error"])
