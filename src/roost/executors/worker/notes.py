"""Notes of what a process of ours is about to run, in a file of the home that it and its node have in memory.

Nothing has to be sent or written for a note, and the kernel keeps it whoever dies: the process, the node, or both. The
disk need not have it, because after a power cut nobody asks. A worker has one note, a launcher one for each lane.
"""

import mmap
import os
import struct
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from roost.model.ids import TaskId

#: The lease, the elements that ran since the node was last seen to live (the first, and the one that runs), and when
#: that one began, on the clock that all processes of a machine share.
HEAD: Final = struct.Struct("=qqqd")
#: A task's id is shorter; what is not is noted without a name.
_TASK_BYTES: Final = 88
NOTE_BYTES: Final = HEAD.size + _TASK_BYTES
#: No lease has this number: nothing runs.
NOBODY: Final = 0

#: ``pack_into(notes, 0, lease, first, index, started)``: bound once, because it is called before every element.
pack_into = HEAD.pack_into


class Note(msgspec.Struct, frozen=True):
    """An element that runs, and since when on the clock that all processes of a machine share."""

    lease: int
    index: int
    started: float


class Ran(msgspec.Struct, frozen=True):
    """The elements of a task of which one ran when the note was last written: all from one to another."""

    task: TaskId
    first: int
    last: int
    started: float


def make(path: Path, count: int = 1) -> tuple[int, mmap.mmap]:
    """Return fresh memory for so many notes, and a descriptor by which another process can map it.

    Where the disk has no room for the file, the notes outlive the process, and not the node.
    """
    descriptor, size = -1, count * NOTE_BYTES
    with suppress(OSError):
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        # Memory for which the disk has no room would kill whoever writes to it.
        os.posix_fallocate(descriptor, 0, size)
        return descriptor, mmap.mmap(descriptor, size)
    if descriptor >= 0:
        os.close(descriptor)
    descriptor = os.memfd_create("roost-notes")
    os.ftruncate(descriptor, size)
    return descriptor, mmap.mmap(descriptor, size)


def forget(path: Path) -> None:
    """The process has ended, and what it ran is known."""
    with suppress(OSError):
        path.unlink()


def name(shared: mmap.mmap, task: str, start: int = 0) -> None:
    """Note whose elements come next in the note that begins there; nothing may run meanwhile."""
    text = task.encode()
    known = text if len(text) <= _TASK_BYTES else b""
    shared[start + HEAD.size : start + NOTE_BYTES] = known.ljust(_TASK_BYTES, b"\0")


def clear(shared: mmap.mmap, start: int = 0) -> None:
    pack_into(shared, start, NOBODY, 0, 0, 0.0)


def running(shared: mmap.mmap) -> list[Note]:
    """Return what runs now. Notes that are being written are read again."""
    before = b""
    while before != (content := shared[:]):
        before = content
    heads = [HEAD.unpack_from(content, start) for start in range(0, len(content), NOTE_BYTES)]
    return [Note(lease, index, started) for lease, _, index, started in heads if lease != NOBODY]


def read(path: Path) -> Iterator[Ran]:
    """Yield what a process ran that has died since, with its node."""
    try:
        content = path.read_bytes()
    except OSError:
        return
    for start in range(0, len(content) - NOTE_BYTES + 1, NOTE_BYTES):
        lease, first, last, started = HEAD.unpack_from(content, start)
        if lease != NOBODY:
            name = content[start + HEAD.size : start + NOTE_BYTES].rstrip(b"\0")
            yield Ran(TaskId(name.decode(errors="replace")), min(first, last), last, started)
