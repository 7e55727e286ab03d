"""Runs that are forgotten: their rows go, a tombstone stays, and what only they used is noted to be removed.

Rules
- All rows of a run go in the transaction that writes its tombstone, but for votes: the run may come back, and a voter
  keeps its word (core/quorum/quorum.py). They go with the tombstone, unless the run is here again.
- Which files results and inputs name is noted when they are written. A file that none names any more is an orphan,
  until one names it again; whoever removes files asks for orphans (retention.py).
- Functions and arguments that no task names any more are removed when a journal is opened: then nobody can be about to
  name one of them.
"""

import sqlite3
from collections.abc import Iterable
from typing import Final

from roost.executors.worker.values import files_of
from roost.model.errors import PeerError
from roost.model.ids import BlobHash, RunId, run_number
from roost.model.limits import TOMBSTONE_KEPT_S
from roost.model.segments import Segment
from roost.model.task import TaskSpec, blobs_of
from roost.model.tombstones import Tombstone
from roost.runtime.journal.checksums import is_sound, selecting, sum_of
from roost.wire.codec import decode, encode
from roost.wire.stored import Stored, references_in

#: Every task's name begins with its run and a slash; this is the character after that.
_AFTER_SLASH: Final = "0"
_BY_TASK: Final = tuple(
    f"DELETE FROM {table} WHERE task > ? AND task < ?"  # noqa: S608 - the names are those below
    for table in ("deltas", "items", "results", "failures", "keys", "story")
)
_BY_RUN: Final = (
    "DELETE FROM story WHERE task = ?",
    "DELETE FROM tasks WHERE run = ?",
    "DELETE FROM spans WHERE run = ?",
    "DELETE FROM finishes WHERE run = ?",
    "DELETE FROM runs WHERE run = ?",
    "INSERT OR IGNORE INTO orphans (hash) SELECT hash FROM files WHERE run = ?",
    "DELETE FROM files WHERE run = ?",
)
_KEEP: Final = (
    "INSERT INTO tombstones (run, number, wall_ms, tombstone, crc) VALUES (?, ?, ?, ?, ?) ON CONFLICT (run) "
    "DO UPDATE SET wall_ms = excluded.wall_ms, tombstone = excluded.tombstone, crc = excluded.crc"
)
_TOO_OLD: Final = "SELECT run FROM tombstones WHERE wall_ms < ?"
_DROP_VOTES: Final = "DELETE FROM votes WHERE task > ? AND task < ? AND NOT EXISTS (SELECT 1 FROM runs WHERE run = ?)"
_SWEEP: Final = ("sweep", 1)
_SWEEP_NEXT: Final = "INSERT INTO meta (key, value, crc) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
#: Stands before the name of a blob where files name who needs them.
_BLOB: Final = "blob "
_LOST: Final = "FROM files WHERE run LIKE ?1 || '%' AND SUBSTR(run, LENGTH(?1) + 1) NOT IN (SELECT hash FROM blobs)"
_FILES_OF_LOST_BLOBS: Final = (f"INSERT OR IGNORE INTO orphans (hash) SELECT hash {_LOST}", f"DELETE {_LOST}")
#: What every result with a file has in it, by who made it: a command, or a person.
_SIGNS: Final = (b"files", b'"content"')


def handed_or_left(segment: Segment) -> list[Stored]:
    """Return the files that the results, or inputs, in a segment name as files: a person's, or a command's."""
    found: dict[Stored, None] = {}
    for value in segment.values() if any(sign in segment.payload for sign in _SIGNS) else ():
        try:
            found |= {Stored(content, size): None for content, size in files_of(value).values()}
        except PeerError:
            # Whoever reads it as a result will say so.
            continue
    return list(found)


def file_rows(run: RunId, segment: Segment) -> list[tuple[str, str]]:
    """Return which files the results, or inputs, in a segment name."""
    named = [*references_in(segment.payload), *handed_or_left(segment)]
    return [(content, run) for content in dict.fromkeys(stored.content for stored in named)]


def blob_file_rows(blob: BlobHash, content: bytes) -> list[tuple[str, str]]:
    """Return which files the arguments in a blob name; they stay as long as the blob does."""
    return [(stored.content, f"{_BLOB}{blob}") for stored in references_in(content)]


def blob_that_names(name: str) -> BlobHash | None:
    """Return the blob of which this is the name where files name who needs them; None if it is a run."""
    return BlobHash(name.removeprefix(_BLOB)) if name.startswith(_BLOB) else None


def forget_run(connection: sqlite3.Connection, tombstone: Tombstone) -> None:
    """Remove all rows of a run, and write down that it was forgotten."""
    run, at = tombstone.run, tombstone.at
    for statement in _BY_TASK:
        connection.execute(statement, _tasks_of(run))
    for statement in _BY_RUN:
        connection.execute(statement, (run,))
    row = (run, run_number(run), at.wall_ms, encode(tombstone))
    connection.execute(_KEEP, (*row, sum_of(row)))
    _drop_old_tombstones(connection, at.wall_ms - TOMBSTONE_KEPT_S * 1000)
    connection.execute(_SWEEP_NEXT, (*_SWEEP, sum_of(_SWEEP)))


def _drop_old_tombstones(connection: sqlite3.Connection, before_ms: float) -> None:
    for (run,) in connection.execute(_TOO_OLD, (before_ms,)).fetchall():
        connection.execute(_DROP_VOTES, (*_tasks_of(run), run))
    connection.execute("DELETE FROM tombstones WHERE wall_ms < ?", (before_ms,))


def _tasks_of(run: str) -> tuple[str, str]:
    """Return between which names those of all tasks of a run are."""
    return f"{run}/", f"{run}{_AFTER_SLASH}"


def drop_orphans(connection: sqlite3.Connection, contents: Iterable[str]) -> None:
    """These files are gone, or are named again."""
    connection.executemany("DELETE FROM orphans WHERE hash = ?", [(content,) for content in contents])


def sweep_blobs(connection: sqlite3.Connection) -> None:
    """Remove functions and arguments that no task names, if a run was forgotten since the last time."""
    if not connection.execute("SELECT 1 FROM meta WHERE key = 'sweep'").fetchone():
        return
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("CREATE TEMP TABLE used (hash TEXT PRIMARY KEY) WITHOUT ROWID")
    for row in connection.execute(selecting("tasks")):
        if not is_sound(row):
            # Nobody knows what a damaged task needs: all stays until it is mended.
            connection.execute("ROLLBACK")
            return
        rows = [(blob,) for blob in blobs_of(decode(row[-2], TaskSpec))]
        connection.executemany("INSERT OR IGNORE INTO used (hash) VALUES (?)", rows)
    connection.execute("DELETE FROM blobs WHERE hash NOT IN (SELECT hash FROM used)")
    for statement in _FILES_OF_LOST_BLOBS:
        connection.execute(statement, (_BLOB,))
    connection.execute("DELETE FROM meta WHERE key = 'sweep'")
    connection.execute("DROP TABLE used")
    connection.execute("COMMIT")
