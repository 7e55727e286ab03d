"""One output stream of a running command: its beginning in memory, all of it in a log file if it is long or slow."""

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

from roost.executors.worker.logfile import LogFile
from roost.model.limits import FAILURE_LINES_MAX, FAILURE_TEXT_MAX, OUTPUT_INLINE_BYTES_MAX


class Capture:
    """Take what a program writes. It never blocks and never refuses: a program must not notice how it is kept."""

    __slots__ = ("_log", "_log_path", "_name", "_tail", "descriptor", "head", "size")

    def __init__(self, descriptor: int, log_path: Callable[[str], Path], name: str) -> None:
        """``log_path(name)`` is where the log is, if there will be one."""
        self.descriptor = descriptor
        self.size = 0
        self._log_path = log_path
        self._name = name
        self.head = b""
        self._tail = b""
        self._log: LogFile | None = None

    @property
    def cut(self) -> bool:
        return self.size > OUTPUT_INLINE_BYTES_MAX

    @property
    def trouble(self) -> str | None:
        """Why a part of the output that only the log has is lost, or None."""
        return self._log.trouble if self.cut and self._log is not None else None

    def take(self, data: bytes) -> None:
        room = OUTPUT_INLINE_BYTES_MAX - len(self.head)
        self.head += data[:room]
        self.size += len(data)
        if self.cut:
            self._tail = (self._tail + data)[-FAILURE_TEXT_MAX:]
        if self._log is not None:
            self._log.write(data)
        elif self.cut:
            self.spill()
            self._log_now(data[room:])

    def spill(self) -> None:
        """From now on all output goes to the log at once, so that it can be followed."""
        if self._log is None:
            self._log = LogFile(partial(self._log_path, self._name))
            self._log_now(self.head)

    def _log_now(self, data: bytes) -> None:
        if self._log is not None and data:
            self._log.write(data)

    def forget_earlier(self) -> None:
        """Remove what an earlier attempt left, so that its output is not taken for this one's."""
        self._log_path(self._name).unlink(missing_ok=True)

    def last_lines(self, count: int = FAILURE_LINES_MAX) -> list[str]:
        text = (self._tail if self.cut else self.head).decode(errors="replace")
        return text.splitlines()[-count:] if count > 0 else []

    def close_stream(self) -> None:
        os.close(self.descriptor)
        self.descriptor = -1

    def close_log(self) -> None:
        if self._log is not None:
            self._log.close()
