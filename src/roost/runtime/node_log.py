"""The node's own log: a file of bounded size, and a few older ones beside it.

A node in the background writes to standard error, which is its home's ``node.log``. When that is full it becomes
``node.log.1``, that becomes ``node.log.2``, and so on; the oldest goes. The output of a node in a terminal, or under a
service manager, is no such file, and is left alone.
"""

import logging
import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import Final

_STANDARD_OUTPUT: Final = 1
_STANDARD_ERROR: Final = 2


class LogRotation(logging.Filter):
    """Looks after the file each time that something is about to be written. Add it to the handler that writes."""

    def __init__(self, path: Path, bytes_max: int, older: int) -> None:
        super().__init__()
        self._path = path
        self._bytes_max = bytes_max
        self._older = older

    def filter(self, record: logging.LogRecord) -> bool:  # noqa: ARG002 - the library's signature
        # A log that cannot be put aside now is written on, and looked at again with the next line.
        with suppress(OSError):
            if self._is_full():
                self._rotate()
        return True

    def _is_full(self) -> bool:
        written = os.fstat(_STANDARD_ERROR)
        if not stat.S_ISREG(written.st_mode) or written.st_size < self._bytes_max:
            return False
        named = self._path.stat()
        return (written.st_dev, written.st_ino) == (named.st_dev, named.st_ino)

    def _rotate(self) -> None:
        for number in range(self._older, 0, -1):
            newer = self._numbered(number - 1)
            if newer.exists():
                newer.replace(self._numbered(number))
        # Where no older ones are wanted, the full one is still there.
        self._path.unlink(missing_ok=True)
        self._drop_beyond()
        descriptor = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            for stream in (_STANDARD_OUTPUT, _STANDARD_ERROR):
                os.dup2(descriptor, stream)
        finally:
            os.close(descriptor)

    def _drop_beyond(self) -> None:
        """Remove what an earlier life kept that was allowed more."""
        number = self._older + 1
        while (beyond := self._numbered(number)).exists():
            beyond.unlink()
            number += 1

    def _numbered(self, number: int) -> Path:
        return self._path.with_name(f"{self._path.name}.{number}") if number else self._path
