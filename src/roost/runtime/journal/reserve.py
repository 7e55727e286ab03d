"""Room set aside on the disk, which is given up so that what was promised can be written when nothing else fits.

A file of a fixed size, beside the journal. While it is there, a small ticket is sure to find room, whoever fills the
disk or lowers a quota in between. It is made again when there is room again.
"""

import os
import resource
from pathlib import Path
from time import monotonic

from roost.model.limits import MIB

#: Many times what the largest ticket that is promised can take, with the pages of the database that it touches.
RESERVE_BYTES = 4 * MIB
#: The pause before a full disk is asked for room again.
_TRY_EVERY_S = 10.0


class Reserve:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._is_there = False
        self._try_at = 0.0
        self._make()

    @property
    def holds(self) -> bool:
        """Whether there is room for sure. No reserve helps against a limit on the size of a process's files."""
        if not self._is_there and monotonic() >= self._try_at:
            self._make()
        return self._is_there and resource.getrlimit(resource.RLIMIT_FSIZE)[0] == resource.RLIM_INFINITY

    def give_up(self) -> None:
        """Let the room go to whatever is written next."""
        self._path.unlink(missing_ok=True)
        self._is_there = False
        self._try_at = monotonic() + _TRY_EVERY_S

    def _make(self) -> None:
        try:
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                os.posix_fallocate(descriptor, 0, RESERVE_BYTES)
            finally:
                os.close(descriptor)
        except OSError:
            self.give_up()
        else:
            self._is_there = True
