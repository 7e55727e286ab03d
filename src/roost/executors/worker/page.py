"""A page of memory that a worker and its node share: the worker notes there what it is about to do (notes.py).

When the worker dies, in whatever way, the note tells which element it was at; nothing has to be sent for that.
"""

import mmap
from pathlib import Path
from typing import Final

import msgspec

from roost.executors.worker import notes

SIZE: Final = mmap.PAGESIZE

#: ``pack_into(page, 0, lease, first, index, started)``: bound once, because it is called before every element.
pack_into = notes.HEAD.pack_into


class Note(msgspec.Struct, frozen=True):
    """The element that runs, and since when on the clock that all processes of a machine share."""

    lease: int
    index: int
    started: float


def make(path: Path | None = None) -> tuple[int, mmap.mmap]:
    """Return a fresh page, in a file if a path is given, and a descriptor by which another process can map it."""
    return notes.make(path, SIZE)


def name(page: mmap.mmap, task: str) -> None:
    """Note whose elements come next; nothing may run meanwhile."""
    page[notes.HEAD.size : notes.NOTE_BYTES] = notes.named(task)


def clear(page: mmap.mmap) -> None:
    pack_into(page, 0, notes.NOBODY, 0, 0, 0.0)


def read(page: mmap.mmap) -> Note | None:
    """Return what runs now; None is nothing. A note that is being written is read again."""
    before = None
    while before != (note := notes.HEAD.unpack_from(page, 0)):
        before = note
    lease, _, index, started = note
    return None if lease == notes.NOBODY else Note(lease, index, started)
