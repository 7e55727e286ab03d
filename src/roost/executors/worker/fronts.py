"""What each lane of a launcher is about to run, in the notes that the launcher and its node share (notes.py)."""

import mmap
from time import monotonic
from typing import Final

from roost.executors.worker import notes

#: Lanes of one launcher that are noted; what runs in more is not known after its death.
LANES_MAX: Final = 1024


class Fronts:
    """The launcher's side."""

    def __init__(self, descriptor: int) -> None:
        self._shared = mmap.mmap(descriptor, 0)
        self._places: dict[int, int] = {}
        self._free = list(range(len(self._shared) - notes.NOTE_BYTES, -1, -notes.NOTE_BYTES))

    def begin(self, lane: int, lease: int, index: int, task: str) -> None:
        """A lane is about to run an element."""
        place = self._places.get(lane)
        if place is None:
            if not self._free:
                return
            place = self._places[lane] = self._free.pop()
        notes.name(self._shared, task, place)
        notes.pack_into(self._shared, place, lease, index, index, monotonic())

    def end(self, lane: int) -> None:
        """What a lane ran has ended, or could not be started."""
        place = self._places.pop(lane, None)
        if place is not None:
            notes.clear(self._shared, place)
            self._free.append(place)
