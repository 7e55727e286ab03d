"""Checksums of rows: what a disk changes by itself is seen when it is read, and never taken for what was written.

SQLite checks the frames of its log, not the pages of its main file. So every row carries a CRC over its columns, made
when the row is written and looked at whenever it is read. CRC-32 finds every damage of up to 32 bits in a row, and of
others all but one in four thousand million; against people, who could make a right one, the home folder is private.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final
from zlib import crc32

#: The columns of each table over which a row's checksum is made, in this order. Columns that change by themselves are
#: left out: they say again what is in another column, or cost no more than work if they are wrong.
COVERED: Final[dict[str, tuple[str, ...]]] = {
    "meta": ("key", "value"),
    "runs": ("run", "number", "wall_ms", "count", "open", "record"),
    "finishes": ("run", "wall_ms", "count", "node", "finish"),
    "tasks": ("task", "run", "wall_ms", "count", "elements", "retries", "spec"),
    "deltas": ("task", "delta"),
    "items": ("task", "start", "count", "payload"),
    "results": ("task", "token", "node", "start", "count", "payload"),
    "failures": ("task", "element", "token", "failure"),
    "story": ("task", "wall_ms", "count", "node", "ranges", "what", "cause", "drawer"),
    "blobs": ("hash", "content"),
    "spans": ("run", "node", "lane", "start", "span"),
    "keys": ("task", "element", "token", "node", "entry"),
    "votes": ("task", "vote"),
    "tombstones": ("run", "number", "wall_ms", "tombstone"),
    "files": ("hash", "run"),
}


def sum_of(values: Iterable[Any]) -> int:
    """Return the checksum of a row's covered values, in their order."""
    total = 0
    for value in values:
        total = crc32(value if type(value) is bytes else str(value).encode(), total)
    return total


def is_sound(row: Sequence[Any]) -> bool:
    """Whether the last value of a row is the checksum of the others."""
    return bool(sum_of(row[:-1]) == row[-1])


def selecting(table: str, *more: str) -> str:
    """Return the beginning of a query that reads whole rows, with their checksums; ``more`` columns come first."""
    return " ".join(("SELECT", ", ".join((*more, *COVERED[table], "crc")), "FROM", table))
