"""A page of memory that a worker and its node share: the worker notes there what it is about to do.

When the worker dies, in whatever way, the note tells which element it was at; nothing has to be sent for that.
"""

import mmap
import os
import struct
from typing import Final

import msgspec

_NOTE: Final = struct.Struct("=qqd")
_NOBODY: Final = -1
SIZE: Final = mmap.PAGESIZE

#: ``pack_into(page, 0, lease, index, started)``: bound once, because it is called before every element.
pack_into = _NOTE.pack_into


class Note(msgspec.Struct, frozen=True):
    """The element that runs, and since when on the clock that all processes of a machine share."""

    lease: int
    index: int
    started: float


def make() -> tuple[int, mmap.mmap]:
    """Return a fresh page, and a descriptor by which another process can map it."""
    descriptor = os.memfd_create("roost-page")
    os.ftruncate(descriptor, SIZE)
    page = mmap.mmap(descriptor, SIZE)
    clear(page)
    return descriptor, page


def clear(page: mmap.mmap) -> None:
    pack_into(page, 0, _NOBODY, 0, 0.0)


def read(page: mmap.mmap) -> Note | None:
    """Return what runs now; None is nothing. A note that is being written is read again."""
    before = None
    while before != (note := _NOTE.unpack_from(page, 0)):
        before = note
    return None if note[0] == _NOBODY else Note(*note)
