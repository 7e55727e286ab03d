"""Memory that a launcher and its node share: the launcher notes there which element each of its lanes is about to run.

When the launcher dies, in whatever way, the notes (notes.py) tell what ran under it; nothing has to be sent for that.
"""

import mmap
from pathlib import Path
from time import monotonic
from typing import Final

from roost.executors.worker import notes

#: Lanes of one launcher that are noted; what runs in more is not known after its death.
_LANES_MAX: Final = 1024
_SIZE: Final = _LANES_MAX * notes.NOTE_BYTES


def make(path: Path | None = None) -> tuple[int, mmap.mmap]:
    """Return fresh memory without a note, in a file if a path is given, and a descriptor by which another process can
    map it."""
    return notes.make(path, _SIZE)


def read(shared: mmap.mmap) -> list[tuple[int, int]]:
    """Return the lease and the index of each element that runs."""
    heads = [notes.HEAD.unpack_from(shared, start) for start in range(0, _SIZE, notes.NOTE_BYTES)]
    return [(lease, index) for lease, _, index, _ in heads if lease != notes.NOBODY]


class Fronts:
    """The launcher's side."""

    def __init__(self, descriptor: int) -> None:
        self._shared = mmap.mmap(descriptor, _SIZE)
        self._places: dict[int, int] = {}
        self._free = list(range(_LANES_MAX - 1, -1, -1))

    def begin(self, lane: int, lease: int, index: int, task: str) -> None:
        """A lane is about to run an element."""
        place = self._places.get(lane)
        if place is None:
            if not self._free:
                return
            place = self._places[lane] = self._free.pop()
        start = place * notes.NOTE_BYTES
        self._shared[start + notes.HEAD.size : start + notes.NOTE_BYTES] = notes.named(task)
        notes.HEAD.pack_into(self._shared, start, lease, index, index, monotonic())

    def end(self, lane: int) -> None:
        """What a lane ran has ended, or could not be started."""
        place = self._places.pop(lane, None)
        if place is not None:
            notes.HEAD.pack_into(self._shared, place * notes.NOTE_BYTES, notes.NOBODY, 0, 0, 0.0)
            self._free.append(place)
