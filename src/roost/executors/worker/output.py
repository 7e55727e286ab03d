"""What functions print: it goes to the log of the element that runs, opened when there is something to write.

Python's own output is taken as it is written. What libraries in C or programs of the function write goes to the
process's descriptors, which are a file of the node's each, and is moved to the element's logs when the element ends.
"""

import io
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Final

from roost.executors.worker.logfile import LogFile, over_quota
from roost.model.errors import RoostError
from roost.model.ids import TaskId
from roost.model.limits import MIB, OUTPUT_QUOTA_BYTES

#: The process's own standard output and standard error.
RAW_STDOUT: Final = 1
RAW_STDERR: Final = 2
#: What is held of a long output at a time.
_PIECE_BYTES: Final = 1 * MIB


class OverQuota(RoostError):
    """An element has written more than the owner of the node allows."""


class ElementLogs:
    """The logs of the element that runs; ``index`` says which, and is all that changes between most elements."""

    def __init__(self, log_path: Callable[[TaskId, int, str], Path], quota_bytes: int = OUTPUT_QUOTA_BYTES) -> None:
        self._log_path = log_path
        self._quota_bytes = quota_bytes
        #: The element that wrote more than the quota allows, and the stream.
        self._over: tuple[tuple[int, int], str] | None = None
        self._files: dict[str, LogFile] = {}
        self._owner: tuple[int, int] | None = None
        self.lease = -1
        self.task = TaskId("")
        self.index = -1

    def write(self, stream: str, data: bytes) -> None:
        owner = (self.lease, self.index)
        if owner != self._owner:
            self.close()
            self._owner = owner
        file = self._files.get(stream)
        if file is None:
            path = partial(self._log_path, self.task, self.index, stream)
            file = self._files[stream] = LogFile(path, self._quota_bytes)
        file.write(data)
        if file.is_over:
            self._over = (owner, stream)

    def settle(self) -> None:
        """Take all that the element that ends has written. Raise OverQuota if that was too much."""
        if os.lseek(RAW_STDERR, 0, os.SEEK_CUR) or os.lseek(RAW_STDOUT, 0, os.SEEK_CUR):
            self.collect_raw()
        if self._over is not None:
            self.check_quota()

    def check_quota(self) -> None:
        if self._over is not None and self._over[0] == (self.lease, self.index):
            raise OverQuota(over_quota(self._over[1], self._quota_bytes))

    def trim_raw(self) -> None:
        """Keep the process's descriptors from filling the disk while an element runs."""
        for stream, descriptor in (("stdout", RAW_STDOUT), ("stderr", RAW_STDERR)):
            if os.lseek(descriptor, 0, os.SEEK_CUR) > self._quota_bytes:
                self._over = ((self.lease, self.index), stream)
                _empty(descriptor)

    @property
    def no_room(self) -> str:
        """Say that something which the element at hand has printed was not kept for want of room; "" if it was."""
        if self._owner != (self.lease, self.index):
            return ""
        trouble = next((file.trouble for file in self._files.values() if file.lacks_room), None)
        return f"what it printed could not be kept: {trouble}" if trouble else ""

    def forget_earlier(self) -> None:
        """Remove what an earlier attempt at this element left."""
        for stream in ("stdout", "stderr"):
            with suppress(OSError):
                self._log_path(self.task, self.index, stream).unlink(missing_ok=True)

    def collect_raw(self) -> None:
        """Move what was written to the process's descriptors into the logs of the element that ends."""
        for stream, descriptor in (("stdout", RAW_STDOUT), ("stderr", RAW_STDERR)):
            taken = 0
            while data := os.pread(descriptor, _PIECE_BYTES, taken):
                self.write(stream, data)
                taken += len(data)
            _empty(descriptor)

    def close(self) -> None:
        for file in self._files.values():
            file.close()
        self._files.clear()
        self._owner = None


def _empty(descriptor: int) -> None:
    os.ftruncate(descriptor, 0)
    os.lseek(descriptor, 0, os.SEEK_SET)


class _Stream(io.RawIOBase):
    """What ``sys.stdout.buffer`` is inside a worker."""

    def __init__(self, logs: ElementLogs, name: str, descriptor: int) -> None:
        self._logs = logs
        self._name = name
        self._descriptor = descriptor

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._descriptor

    def write(self, data: "io.ReadableBuffer") -> int:  # type: ignore[name-defined]
        written = bytes(data)
        self._logs.write(self._name, written)
        self._logs.check_quota()
        return len(written)


def redirect(logs: ElementLogs) -> None:
    """Have everything that Python prints taken by ``logs``."""
    for name, descriptor in (("stdout", RAW_STDOUT), ("stderr", RAW_STDERR)):
        stream = _Stream(logs, name, descriptor)
        wrapper = io.TextIOWrapper(stream, "utf-8", "backslashreplace", write_through=True)  # type: ignore[type-var]
        setattr(sys, name, wrapper)
