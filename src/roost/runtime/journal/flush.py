"""Flushing: what makes a written transaction outlive a power cut.

SQLite writes a commit to its log (the file ``-wal``) without waiting for the disk; the log is flushed here, when
somebody waits for it. So the node goes on from what is written while the disk is still at work, and speaks of it later.
A log that is moved into the database is flushed by SQLite itself first (``synchronous = NORMAL``).
"""

import os
from pathlib import Path
from time import perf_counter
from typing import Self

from roost.runtime.journal.schema import flush_file

#: A flush that takes less may be made in the event loop's thread.
QUICK_S = 0.001
_WEIGHT_OF_NEWEST = 0.2


class LogFile:
    """The log of an open database, from its first transaction until the last connection closes."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        #: How long a flush takes, on a running average; at first it is not known to be quick.
        self._flush_s = 2 * QUICK_S

    @classmethod
    def of(cls, database: Path) -> Self:
        log = cls(os.open(f"{database}-wal", os.O_RDWR | os.O_CLOEXEC))
        # The log is a new file after a clean end; its name has to outlive a power cut, too.
        flush_file(database.parent)
        log.flush()
        return log

    @property
    def is_quick(self) -> bool:
        return self._flush_s < QUICK_S

    def flush(self) -> None:
        """Wait until all that was written is on disk. After an OSError nobody knows what is: stop then."""
        began = perf_counter()
        os.fdatasync(self._descriptor)
        self._flush_s += _WEIGHT_OF_NEWEST * (perf_counter() - began - self._flush_s)

    def close(self) -> None:
        os.close(self._descriptor)
