"""Rescue: what can still be read of a journal whose file is damaged goes into a new one.

SQLite keeps rows in pages that point at each other. If a page is damaged, rows may be out of reach, an index may lead
to the wrong ones, and writing on would spoil more. So a journal is looked through when it is opened (``damage_of``). If
something is wrong, all rows whose checksums are right are copied, and the damaged file is kept beside the new one.

Rules
- A table is read from its beginning and from its end, each until it cannot be read on: what lies between is lost.
- A run whose end says something else of its tasks than is left of them has lost some. All its tasks are marked as
  damaged then: people are told so, and others who know the run tell it again (damage.py).
- If votes may be lost, this node has no voice any more on the tasks that it may have voted on.
- What names the node and counts its lives must be readable; without it there is nothing to go on from.
"""

import itertools
import logging
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, Final

from roost.core.facts import RunFinished
from roost.core.queue.digests import digest_of_tasks
from roost.model.errors import InvalidInput
from roost.model.record import TaskRecord
from roost.model.task import TaskSpec
from roost.runtime.journal.checksums import COVERED, is_sound, selecting
from roost.runtime.journal.rows import merge_deltas
from roost.runtime.journal.schema import connect, create, damaged, has_right_tables
from roost.wire.codec import decode

log = logging.getLogger(__name__)

#: The checksum of no row.
_NO_SUM: Final = -1
_COUNT: Final = "SELECT COUNT(*) FROM"
#: What must be readable: without the first the node has no name, without the second its tokens could repeat.
_NEEDED: Final = ("node", "boot")
#: That a task has ended follows from its states: it is found out anew.
_UNCOVERED: Final = {"keys": ("key",)}
_IN_ORDER_OF: Final = {"meta": "key", "spans": "run, node, lane, start", "keys": "task, element", "files": "hash, run"}


def damage_of(connection: sqlite3.Connection) -> str | None:
    """Return what SQLite finds wrong with the pages of a journal; None if nothing is."""
    try:
        if not has_right_tables(connection):
            return "the descriptions of its tables are not what they were"
        (said,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    except sqlite3.DatabaseError as error:
        return str(error)
    return None if said == "ok" else str(said).splitlines()[-1]


def mend(path: Path, how: str) -> None:
    """Make a new journal of what is left of a damaged one, which stays beside it under another name.

    Raise InvalidInput if too little is left.
    """
    with closing(connect(path, "rw", sqlite3.Connection)) as old:
        if not has_right_tables(old):
            raise damaged(path, how)
        old.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        aside = _free_name(path)
        aside.hardlink_to(path)
        lost: list[str] = []
        try:
            create(path, lambda new: lost.extend(rescue(old, new)))
        except (sqlite3.Error, InvalidInput) as error:
            aside.unlink()
            raise damaged(path, f"{how}; {error}") from error
    words = f"lost of it, as far as is known: {', '.join(lost)}" if lost else "nothing of it seems to be lost"
    log.error("the journal %s was damaged (%s) and is mended; %s. The damaged file is %s", path, how, words, aside)


def _free_name(path: Path) -> Path:
    numbers = itertools.count(1)
    return next(name for number in numbers if not (name := path.with_name(f"{path.name}.damaged-{number}")).exists())


def rescue(old: sqlite3.Connection, new: sqlite3.Connection) -> list[str]:
    """Copy all sound rows from one journal into an empty one; return what was lost, in words."""
    lost = []
    for table in COVERED:
        rows, whole = _sound_rows(old, table)
        if not whole:
            lost.append(table)
        if table == "meta" and not {*_NEEDED} <= {row[0] for row in rows}:
            raise InvalidInput("its name and the number of its lives cannot be read any more")
        _insert(new, table, rows)
    with suppress(sqlite3.DatabaseError):
        _note(new, old.execute("SELECT wall_ms, what FROM damage").fetchall())
    _mark_tasks(new, votes="votes" in lost)
    now = int(time.time() * 1000)
    _note(new, [(now, f"a page of the journal, with {_WORDS[table]},") for table in lost or ["meta"]])
    return [_WORDS[table] for table in lost]


def _mark_tasks(new: sqlite3.Connection, *, votes: bool) -> None:
    """Add rows that are damaged for sure to tasks of which something is lost, so that it is told when they are read."""
    tasks: dict[str, list[TaskSpec]] = {}
    records: dict[str, list[TaskRecord]] = {}
    for (spec_bytes,) in new.execute("SELECT spec FROM tasks").fetchall():
        spec = decode(spec_bytes, TaskSpec)
        tasks.setdefault(spec.run, []).append(spec)
        deltas = new.execute("SELECT delta FROM deltas WHERE task = ?", (spec.id,)).fetchall()
        records.setdefault(spec.run, []).append(TaskRecord(spec, merge_deltas(row[0] for row in deltas)))
        if votes and spec.voters:
            new.execute("INSERT INTO votes (task, vote, crc) VALUES (?, ?, ?)", (spec.id, b"", _NO_SUM))
    for (finish,) in new.execute("SELECT finish FROM finishes").fetchall():
        ended = decode(finish, RunFinished)
        if digest_of_tasks(records.get(ended.run, [])) != ended.digest:
            for spec in tasks.get(ended.run, []):
                new.execute("INSERT INTO deltas (task, delta, crc) VALUES (?, ?, ?)", (spec.id, b"", _NO_SUM))


_WORDS: Final = {
    "meta": "notes of the node about itself",
    "runs": "records of runs",
    "finishes": "ends of runs",
    "tasks": "records of tasks",
    "deltas": "states of elements",
    "items": "inputs",
    "results": "results",
    "failures": "reasons of failures",
    "story": "lines of stories",
    "blobs": "functions and arguments",
    "spans": "pieces of timelines",
    "keys": "keys for reuse",
    "votes": "votes of this node",
    "tombstones": "notes of forgotten runs",
    "files": "notes of which files are needed",
}


def _insert(new: sqlite3.Connection, table: str, rows: list[tuple[Any, ...]]) -> None:
    columns = (*_UNCOVERED.get(table, ()), *COVERED[table], "crc")
    marks = ", ".join("?" for _ in columns)
    statement = " ".join(("INSERT OR IGNORE INTO", table, f"({', '.join(columns)})", "VALUES", f"({marks})"))
    new.executemany(statement, rows)


def _note(new: sqlite3.Connection, notes: list[tuple[int, str]]) -> None:
    new.executemany("INSERT OR IGNORE INTO damage (wall_ms, what) VALUES (?, ?)", notes)


def _sound_rows(old: sqlite3.Connection, table: str) -> tuple[list[tuple[Any, ...]], bool]:
    """Return the rows of a table that are sound, and whether that is all of them."""
    first = len(_UNCOVERED.get(table, ()))
    found: dict[tuple[Any, ...], None] = {}
    whole = True
    for direction in ("ASC", "DESC"):
        try:
            for row in _rows(old, table, direction):
                if is_sound(row[first:]):
                    found[row] = None
                else:
                    whole = False
            break
        except sqlite3.DatabaseError:
            whole = False
    return list(found), whole and _count(old, table) == len(found)


def _count(old: sqlite3.Connection, table: str) -> int:
    """Count the rows as an index has them, where there is one; -1 if they cannot be counted."""
    try:
        count: int = old.execute(f"{_COUNT} {table}").fetchone()[0]
    except sqlite3.DatabaseError:
        return -1
    return count


def _rows(old: sqlite3.Connection, table: str, direction: str) -> Iterator[tuple[Any, ...]]:
    """Read the table itself, without its indices, which may lead elsewhere."""
    order = ", ".join(f"{column} {direction}" for column in _IN_ORDER_OF.get(table, "rowid").split(", "))
    indexed = "" if table in _IN_ORDER_OF else "NOT INDEXED"
    query = f"{selecting(table, *_UNCOVERED.get(table, ()))} {indexed} ORDER BY {order}"
    with closing(old.execute(query)) as cursor:
        yield from cursor
