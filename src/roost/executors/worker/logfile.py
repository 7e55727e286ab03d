"""A log of one stream of one element: made when there is something to write, cut at a limit, never in anybody's way."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

from roost.model.limits import MIB, OUTPUT_KEPT_BYTES_MAX

_DROPPED: Final = f"\n[output beyond {OUTPUT_KEPT_BYTES_MAX // MIB} MiB was dropped]\n".encode()


class LogFile:
    """Takes any amount of output and keeps the beginning. What goes wrong is noted; it never disturbs the program."""

    __slots__ = ("_descriptor", "_kept", "_path", "trouble")

    def __init__(self, path: Callable[[], Path]) -> None:
        """``path`` is asked only if something is written: most elements say little or nothing."""
        self._path = path
        self._descriptor = -1
        self._kept = 0
        #: Why something that should have been kept was not, or None.
        self.trouble: str | None = None

    def write(self, data: bytes) -> None:
        if self._kept > OUTPUT_KEPT_BYTES_MAX:
            return
        room = OUTPUT_KEPT_BYTES_MAX - self._kept
        self._kept += len(data)
        try:
            if self._descriptor < 0:
                self._descriptor = _create(self._path())
            _write_all(self._descriptor, data if len(data) <= room else data[:room] + _DROPPED)
        except OSError as error:
            self.trouble = error.strerror or str(error)

    def close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def _write_all(descriptor: int, data: bytes) -> None:
    # A disk that fills up takes a part first, and says why only to the next attempt.
    left = memoryview(data)
    while left:
        left = left[os.write(descriptor, left) :]


def _create(path: Path) -> int:
    path.parent.mkdir(parents=True, exist_ok=True)
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND | os.O_CLOEXEC, 0o600)
