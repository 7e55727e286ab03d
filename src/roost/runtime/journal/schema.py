"""The journal's file: how it is made, recognised and opened.

A journal appears whole or not at all: it is built under another name and renamed. Its application id and version are in
the file's first hundred bytes, so a file that is not ours is refused before SQLite may touch it.
"""

import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

from roost.model.errors import InvalidInput, PeerError, Unavailable
from roost.model.limits import MIB

#: "Rost", in the field of SQLite's header that tells applications apart.
APPLICATION_ID = 0x526F7374
#: Grows with every change of the tables.
SCHEMA_VERSION = 4

#: The write-ahead log is cut back to this size once it has been carried over into the main file.
WAL_BYTES_KEPT = 64 * MIB
_LOG_HEADER_BYTES = 32
_FRAME_HEADER_BYTES = 24
#: Pages that the writing connection keeps in memory.
CACHE_BYTES = 8 * MIB

# Rows with large payloads live in rowid tables, appended at the end, beside a small index; a table WITHOUT ROWID would
# keep payloads inside its index pages. ``wall_ms`` and ``count`` are a stamp's, so that order does not need decoding.
# ``token`` is a fencing token as bytes, which are ordered as tokens are (model/token.py).
# ``crc`` is a row's checksum (checksums.py). A key is null where it no longer finds anything: the result was taken
# over from the element that it finds, or a later one was made. Lines of a story are counted, and cut, by ``drawer``
# (model/happenings.py), '' for what no report tells. ``damage`` tells what was found broken, and lost.
_TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value NOT NULL, crc INTEGER NOT NULL) WITHOUT ROWID;

CREATE TABLE runs (
    run TEXT PRIMARY KEY, number INTEGER NOT NULL, wall_ms INTEGER NOT NULL, count INTEGER NOT NULL,
    open INTEGER NOT NULL, record BLOB NOT NULL, crc INTEGER NOT NULL
);
CREATE INDEX runs_by_number ON runs (number);
CREATE INDEX runs_open ON runs (run) WHERE open;

CREATE TABLE finishes (
    run TEXT PRIMARY KEY, wall_ms INTEGER NOT NULL, count INTEGER NOT NULL, node TEXT NOT NULL, finish BLOB NOT NULL,
    crc INTEGER NOT NULL
);

CREATE TABLE tasks (
    seq INTEGER PRIMARY KEY, task TEXT NOT NULL UNIQUE, run TEXT NOT NULL, wall_ms INTEGER NOT NULL,
    count INTEGER NOT NULL, elements INTEGER NOT NULL, retries INTEGER NOT NULL, spec BLOB NOT NULL,
    crc INTEGER NOT NULL, ended INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX tasks_by_run ON tasks (run);
CREATE INDEX tasks_live ON tasks (run) WHERE ended = 0;

CREATE TABLE deltas (seq INTEGER PRIMARY KEY, task TEXT NOT NULL, delta BLOB NOT NULL, crc INTEGER NOT NULL);
CREATE INDEX deltas_by_task ON deltas (task);

CREATE TABLE items (
    task TEXT NOT NULL, start INTEGER NOT NULL, count INTEGER NOT NULL, payload BLOB NOT NULL, crc INTEGER NOT NULL,
    UNIQUE (task, start)
);

CREATE TABLE results (
    task TEXT NOT NULL, token BLOB NOT NULL, node TEXT NOT NULL, start INTEGER NOT NULL,
    count INTEGER NOT NULL, payload BLOB NOT NULL, crc INTEGER NOT NULL,
    UNIQUE (task, token, node, start)
);

CREATE TABLE failures (
    task TEXT NOT NULL, element INTEGER NOT NULL, token BLOB NOT NULL, failure BLOB NOT NULL,
    crc INTEGER NOT NULL,
    UNIQUE (task, element)
);

CREATE TABLE story (
    seq INTEGER PRIMARY KEY, task TEXT NOT NULL, wall_ms INTEGER NOT NULL, count INTEGER NOT NULL, node TEXT NOT NULL,
    ranges BLOB NOT NULL, what BLOB NOT NULL, cause TEXT NOT NULL, drawer TEXT NOT NULL, crc INTEGER NOT NULL,
    UNIQUE (task, wall_ms, count, node, what, cause, ranges)
);
CREATE INDEX story_reported ON story (drawer, task) WHERE drawer <> '';

CREATE TABLE blobs (hash TEXT NOT NULL UNIQUE, content BLOB NOT NULL, crc INTEGER NOT NULL);

CREATE TABLE spans (
    run TEXT NOT NULL, node TEXT NOT NULL, lane INTEGER NOT NULL, start REAL NOT NULL, span BLOB NOT NULL,
    crc INTEGER NOT NULL,
    PRIMARY KEY (run, node, lane, start)
) WITHOUT ROWID;

CREATE TABLE keys (
    task TEXT NOT NULL, element INTEGER NOT NULL, token BLOB NOT NULL, node TEXT NOT NULL, key BLOB,
    entry BLOB NOT NULL, crc INTEGER NOT NULL,
    PRIMARY KEY (task, element)
) WITHOUT ROWID;
CREATE INDEX keys_by_key ON keys (key) WHERE key IS NOT NULL;

CREATE TABLE tombstones (
    run TEXT PRIMARY KEY, number INTEGER NOT NULL, wall_ms INTEGER NOT NULL, tombstone BLOB NOT NULL,
    crc INTEGER NOT NULL
);
CREATE INDEX tombstones_by_number ON tombstones (number);

CREATE TABLE files (
    hash TEXT NOT NULL, run TEXT NOT NULL, crc INTEGER NOT NULL, PRIMARY KEY (hash, run)
) WITHOUT ROWID;
CREATE INDEX files_by_run ON files (run);
CREATE TABLE orphans (hash TEXT PRIMARY KEY) WITHOUT ROWID;

CREATE TABLE votes (seq INTEGER PRIMARY KEY, task TEXT NOT NULL, vote BLOB NOT NULL, crc INTEGER NOT NULL);
CREATE INDEX votes_by_task ON votes (task);

CREATE TABLE damage (seq INTEGER PRIMARY KEY, wall_ms INTEGER NOT NULL, what TEXT NOT NULL UNIQUE);
"""


class ReadingConnection(sqlite3.Connection):
    """A connection that has something done before each query: what counts as written is written then."""

    before_each: Callable[[], None] = staticmethod(lambda: None)

    def execute(self, sql: str, parameters: Sequence[Any] = (), /) -> sqlite3.Cursor:  # type: ignore[override]
        self.before_each()
        return super().execute(sql, parameters)


def open_file(path: Path) -> tuple[sqlite3.Connection, ReadingConnection]:
    """Open the journal at ``path``, a new one if there is none; return a connection to write and one to read.

    Raise InvalidInput if something else is there or it is damaged, Unavailable if it cannot be reached.
    """
    with explained(path):
        if not path.exists():
            check_alone(path)
            create(path)
        check_header(path)
        check_length(path)
        writer = connect(path, "rw", sqlite3.Connection)
        try:
            _prepare_writer(writer)
            reader = connect(path, "ro", ReadingConnection)
        except BaseException:
            writer.close()
            raise
    return writer, reader


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn what SQLite and the operating system say about the journal into one sentence for a person."""
    try:
        yield
    except PeerError as error:
        raise damaged(path, str(error)) from error
    except (sqlite3.OperationalError, OSError) as error:
        raise Unavailable(
            f"the journal {path} cannot be used: {_reason(error)}; check the folder and the disk"
        ) from error
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        # SQLite quotes damaged words, which need not be text.
        raise damaged(path, str(error)) from error


def damaged(path: Path, how: str) -> InvalidInput:
    return InvalidInput(
        f"the journal {path} is damaged ({how}); put it back from a backup, or move it away to start anew: "
        f"other nodes bring back what they have"
    )


def _reason(error: Exception) -> str:
    return error.strerror or str(error) if isinstance(error, OSError) else str(error)


def check_header(path: Path) -> None:
    """Raise InvalidInput if this file is not a journal that this Roost can read."""
    with path.open("rb") as file:
        header = file.read(100)
    application = int.from_bytes(header[68:72], "big")
    if len(header) < 100 or not header.startswith(b"SQLite format 3\0") or application != APPLICATION_ID:
        raise InvalidInput(f"{path} is not a journal of Roost, or its beginning is damaged; move it away to start anew")
    version = int.from_bytes(header[60:64], "big")
    if version != SCHEMA_VERSION:
        raise InvalidInput(
            f"the journal {path} has version {version} and this Roost reads version {SCHEMA_VERSION}; "
            f"use the Roost that wrote it, or move it away to start anew; if nothing else wrote it, it is damaged"
        )


def check_alone(path: Path) -> None:
    """Raise InvalidInput if the journal is missing and its log is not: SQLite would begin anew, and drop that."""
    log = path.with_name(f"{path.name}-wal")
    if log.exists() and log.stat().st_size:
        raise InvalidInput(
            f"the journal {path} is damaged: it is missing, and its log {log.name} is there; put the file back, or "
            f"move the log away, too, to start anew: other nodes bring back what they have"
        )


def check_length(path: Path) -> None:
    """Raise InvalidInput if the file is shorter than it says itself, and its log does not have the rest."""
    with path.open("rb") as file:
        header = file.read(100)
    page_bytes = int.from_bytes(header[16:18], "big")
    page_bytes = 65_536 if page_bytes == 1 else page_bytes
    # The length in the header counts if it was written with the last change.
    pages = int.from_bytes(header[28:32], "big") if header[24:28] == header[92:96] else 0
    there = path.stat().st_size // max(page_bytes, 512)
    if there < pages and not set(range(there + 1, pages + 1)) <= _pages_in_log(path, page_bytes):
        raise damaged(path, f"it is cut short: {there:,} of {pages:,} pages are there")


def _pages_in_log(path: Path, page_bytes: int) -> set[int]:
    """Return the numbers of the pages that the log has, if it belongs to an unfinished checkpoint."""
    found: set[int] = set()
    with suppress(FileNotFoundError), path.with_name(f"{path.name}-wal").open("rb") as log:
        salts = log.read(_LOG_HEADER_BYTES)[16:24]
        while len(frame := log.read(_FRAME_HEADER_BYTES)) == _FRAME_HEADER_BYTES and frame[8:16] == salts:
            found.add(int.from_bytes(frame[:4], "big"))
            log.seek(page_bytes, os.SEEK_CUR)
    return found


def has_right_tables(connection: sqlite3.Connection) -> bool:
    """Whether the tables are those that a journal is made with; their descriptions have no checksum of their own."""
    with closing(sqlite3.connect(":memory:")) as fresh:
        fresh.executescript(_TABLES)
        return _described(connection) == _described(fresh)


def _described(connection: sqlite3.Connection) -> set[tuple[str, ...]]:
    return set(connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master"))


def create(path: Path, fill: Callable[[sqlite3.Connection], None] = lambda _: None) -> None:
    """Make a journal, with what ``fill`` puts into it; it appears whole, in the place of whatever was there."""
    draft = path.with_name(f"{path.name}.new")
    for leftover in ("", "-wal", "-shm"):
        draft.with_name(f"{draft.name}{leftover}").unlink(missing_ok=True)
    os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    try:
        _fill(draft, fill)
        flush_file(draft)
    except BaseException:
        draft.unlink()
        raise
    draft.replace(path)
    flush_file(path.parent)


def _fill(draft: Path, fill: Callable[[sqlite3.Connection], None]) -> None:
    with closing(connect(draft, "rw", sqlite3.Connection)) as connection:
        # A draft that a power cut spoils is made anew: it is flushed once, when it is whole.
        connection.execute("PRAGMA synchronous = OFF")
        # So that what is removed can be given back to the disk, page by page.
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
        connection.executescript(f"BEGIN; {_TABLES} COMMIT;")
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        connection.execute("BEGIN")
        fill(connection)
        connection.execute("COMMIT")
        connection.execute("PRAGMA journal_mode = WAL")


def flush_file(path: Path) -> None:
    """Wait until a file or a folder is on disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


_Connection = TypeVar("_Connection", bound=sqlite3.Connection)


def connect(path: Path, mode: str, kind: type[_Connection]) -> _Connection:
    # Transactions are begun by hand, and the writer's connection moves to its own thread after the first words.
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={mode}",
        uri=True,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=256,
        factory=kind,
    )
    connection.text_factory = _text
    return connection


def _text(stored: bytes) -> str:
    """Damaged text need not be text; its row's checksum tells."""
    return stored.decode(errors="replace")


def _prepare_writer(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA journal_mode = WAL")
    # NORMAL: a commit returns when it is written. Flushing is our own matter (flush.py).
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute(f"PRAGMA journal_size_limit = {WAL_BYTES_KEPT}")
    connection.execute(f"PRAGMA cache_size = -{CACHE_BYTES // 1024}")
    connection.execute("SELECT COUNT(*) FROM meta").fetchone()
