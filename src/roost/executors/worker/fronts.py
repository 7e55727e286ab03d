"""Memory that a launcher and its node share: the launcher notes there which element each of its lanes is about to run.

When the launcher dies, in whatever way, the notes tell what ran under it; nothing has to be sent for that.
"""

import mmap
import os
import struct
from typing import Final

_NOTE: Final = struct.Struct("=qq")
#: Lanes of one launcher that are noted; what runs in more is not known after its death.
_LANES_MAX: Final = 1024
_SIZE: Final = _LANES_MAX * _NOTE.size
#: No lease has this number.
_NOBODY: Final = 0


def make() -> tuple[int, mmap.mmap]:
    """Return fresh memory without a note, and a descriptor by which another process can map it."""
    descriptor = os.memfd_create("roost-fronts")
    os.ftruncate(descriptor, _SIZE)
    return descriptor, mmap.mmap(descriptor, _SIZE)


def read(shared: mmap.mmap) -> list[tuple[int, int]]:
    """Return the lease and the index of each element that runs."""
    return [(lease, index) for lease, index in _NOTE.iter_unpack(shared[:]) if lease != _NOBODY]


class Fronts:
    """The launcher's side."""

    def __init__(self, descriptor: int) -> None:
        self._shared = mmap.mmap(descriptor, _SIZE)
        self._places: dict[int, int] = {}
        self._free = list(range(_LANES_MAX - 1, -1, -1))

    def begin(self, lane: int, lease: int, index: int) -> None:
        """A lane is about to run an element."""
        place = self._places.get(lane)
        if place is None:
            if not self._free:
                return
            place = self._places[lane] = self._free.pop()
        _NOTE.pack_into(self._shared, place * _NOTE.size, lease, index)

    def end(self, lane: int) -> None:
        """What a lane ran has ended, or could not be started."""
        place = self._places.pop(lane, None)
        if place is not None:
            _NOTE.pack_into(self._shared, place * _NOTE.size, _NOBODY, 0)
            self._free.append(place)
