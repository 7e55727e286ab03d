"""What came out of cells, kept on disk by what was asked, so that the same is not run twice.

A result is found again under the function, its argument and the code that it ran (fingerprint.py). It is a convenience:
a file that is damaged or of another form is made anew, and what nobody has asked for in KEPT_S is dropped.
"""

import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, TypeVar, get_type_hints

import msgspec

from roost.lab.experiment import Cell
from roost.lab.running.fingerprint import fingerprint_of
from roost.model.errors import Unavailable
from roost.model.hashing import fingerprint

#: How long a result is kept that nobody asks for.
KEPT_S: Final = 90 * 86_400.0
_FORM: Final = 1

R = TypeVar("R")


def key_of(cell: Cell[Any]) -> bytes:
    """Return what a cell's result is kept under: the same for the same question to the same code."""
    call = cell.call
    asked = msgspec.json.encode(cell.argument, order="deterministic")
    name = f"{call.__module__}.{call.__qualname__}({type(cell.argument).__qualname__})"
    return fingerprint(b"\0".join([name.encode(), asked, fingerprint_of(call.__module__)]))


class Kept:
    def __init__(self, path: Path, now: float) -> None:
        """Open the file, or make it. Raise Unavailable if that is impossible."""
        self._now = now
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                self._connection = _opened(path)
            except sqlite3.DatabaseError:
                path.unlink()
                self._connection = _opened(path)
        except (OSError, sqlite3.Error) as error:
            raise Unavailable(f"{path} cannot be used: {error}; check its folder, or set ROOST_HOME") from error
        with self._connection:
            self._connection.execute("DELETE FROM results WHERE asked_s < ?", (now - KEPT_S,))

    def close(self) -> None:
        self._connection.close()

    def get(self, cell: Cell[R]) -> R | None:
        """Return the result of a cell, or None if it has to be run."""
        if cell.is_measured:
            return None
        key = key_of(cell)
        row = self._connection.execute("SELECT result FROM results WHERE key = ?", (key,)).fetchone()
        if row is None:
            return None
        with self._connection:
            self._connection.execute("UPDATE results SET asked_s = ? WHERE key = ?", (self._now, key))
        try:
            result: R = msgspec.msgpack.decode(row[0], type=_type_of(cell))
        except msgspec.MsgspecError:
            return None
        return result

    def put(self, cell: Cell[R], result: R) -> None:
        if cell.is_measured:
            return
        row = (key_of(cell), self._now, msgspec.msgpack.encode(result))
        with self._connection:
            self._connection.execute("INSERT OR REPLACE INTO results VALUES (?, ?, ?)", row)

    def forget(self) -> int:
        """Drop everything; return how many results that were."""
        with self._connection:
            return self._connection.execute("DELETE FROM results").rowcount


def _opened(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=30.0)
    try:
        if connection.execute("PRAGMA user_version").fetchone()[0] != _FORM:
            connection.executescript(
                f"DROP TABLE IF EXISTS results; PRAGMA user_version = {_FORM};"
                "CREATE TABLE results (key BLOB PRIMARY KEY, asked_s REAL NOT NULL, result BLOB NOT NULL) WITHOUT ROWID"
            )
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _type_of(cell: Cell[Any]) -> Any:
    hints: Mapping[str, Any] = get_type_hints(cell.call)
    return hints["return"]
