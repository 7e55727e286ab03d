"""A log of one stream of one element: made when there is something to write, and never in anybody's way."""

import os
from collections.abc import Callable
from pathlib import Path

from roost.executors.worker.room import lacks_room
from roost.model.limits import OUTPUT_QUOTA_BYTES
from roost.model.resources import format_size


class LogFile:
    """Takes any amount of output, and keeps it up to a quota. What goes wrong is noted; it never disturbs the program.

    What is beyond the quota is not kept: whoever wrote it must not end well.
    """

    __slots__ = ("_descriptor", "_path", "_room", "is_over", "lacks_room", "trouble")

    def __init__(self, path: Callable[[], Path], quota_bytes: int = OUTPUT_QUOTA_BYTES) -> None:
        """``path`` is asked only if something is written: most elements say little or nothing."""
        self._path = path
        self._descriptor = -1
        self._room = quota_bytes
        #: Whether more was written than the quota allows.
        self.is_over = False
        #: Why something that should have been kept was not, or None.
        self.trouble: str | None = None
        #: Whether that was for want of room.
        self.lacks_room = False

    def write(self, data: bytes) -> None:
        if len(data) > self._room:
            self.is_over = True
            data = data[: self._room]
        self._room -= len(data)
        try:
            if self._descriptor < 0:
                self._descriptor = _create(self._path())
            _write_all(self._descriptor, data)
        except OSError as error:
            self.trouble = error.strerror or str(error)
            self.lacks_room = lacks_room(error)

    def close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def over_quota(stream: str, quota_bytes: int) -> str:
    """Say that a stream has become longer than the owner of the node allows."""
    name = "standard output" if stream == "stdout" else "standard error"
    return f"wrote more than {format_size(quota_bytes)} to its {name}, which the setting 'output' of this node forbids"


def _write_all(descriptor: int, data: bytes) -> None:
    # A disk that fills up takes a part first, and says why only to the next attempt.
    left = memoryview(data)
    while left:
        left = left[os.write(descriptor, left) :]


def _create(path: Path) -> int:
    path.parent.mkdir(parents=True, exist_ok=True)
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND | os.O_CLOEXEC, 0o600)
