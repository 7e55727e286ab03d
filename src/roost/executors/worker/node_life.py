"""Whether the node still lives, as a process that it started sees it.

A node that was killed keeps its channels open for milliseconds, in which whoever killed it may end well and be
forgotten, and others begin. The kernel knows it from the start.
"""

import os
from contextlib import suppress
from typing import Final

#: Places in /proc/PID/stat after the name: the flags, and the signals that are to be taken.
_FLAGS: Final = 6
_PENDING: Final = 28
_EXITING: Final = 0x4
_KILL: Final = 1 << 8
_STAT_BYTES: Final = 1024


class NodeLife:
    def __init__(self, pid: int) -> None:
        self._stat = -1
        with suppress(OSError):
            self._stat = os.open(f"/proc/{pid}/stat", os.O_RDONLY)

    @property
    def is_over(self) -> bool:
        """Whether it is dying or dead. What cannot be known is no; this takes a few microseconds."""
        try:
            fields = os.pread(self._stat, _STAT_BYTES, 0).rpartition(b")")[2].split()
            return bool(int(fields[_FLAGS]) & _EXITING or int(fields[_PENDING]) & _KILL)
        except ProcessLookupError:
            return True
        except (OSError, ValueError, IndexError):
            return False
