"""One output stream of a running command: its beginning in memory, all of it in a log file if it is long or slow."""

import os
from collections.abc import Callable
from functools import partial
from hashlib import blake2b
from pathlib import Path

from roost.executors.worker.folder import HASH_BYTES
from roost.executors.worker.logfile import LogFile
from roost.model.limits import FAILURE_LINES_MAX, FAILURE_TEXT_MAX, OUTPUT_INLINE_BYTES_MAX, OUTPUT_QUOTA_BYTES


class Capture:
    """Take what a program writes. It never blocks and never refuses: a program must not notice how it is kept."""

    __slots__ = ("_digest", "_log", "_log_path", "_quota_bytes", "_tail", "descriptor", "head", "name", "size")

    def __init__(
        self,
        descriptor: int,
        log_path: Callable[[str], Path],
        name: str,
        quota_bytes: int = OUTPUT_QUOTA_BYTES,
    ) -> None:
        """``log_path(name)`` is where the log is, if there will be one; it holds ``quota_bytes`` at most."""
        self.descriptor = descriptor
        self.size = 0
        self.name = name
        self._log_path = log_path
        self._quota_bytes = quota_bytes
        #: Of all that came, as soon as that is more than the head.
        self._digest = blake2b(digest_size=HASH_BYTES)
        self.head = b""
        self._tail = b""
        self._log: LogFile | None = None

    @property
    def cut(self) -> bool:
        return self.size > OUTPUT_INLINE_BYTES_MAX

    @property
    def whole(self) -> tuple[str, int] | None:
        """The hash and the size of all that came, if only the log has all of it."""
        return (self._digest.hexdigest(), self.size) if self.cut else None

    @property
    def is_over(self) -> bool:
        """Whether more came than the quota allows."""
        return self._log is not None and self._log.is_over

    @property
    def trouble(self) -> str | None:
        """Why a part of the output that only the log has is lost, or None."""
        return self._log.trouble if self.cut and self._log is not None else None

    @property
    def lacks_room(self) -> bool:
        """Whether that is for want of room."""
        return self._log is not None and self._log.lacks_room

    def take(self, data: bytes) -> None:
        room = OUTPUT_INLINE_BYTES_MAX - len(self.head)
        if len(data) > room:
            if not self.cut:
                self._digest.update(self.head)
            self._digest.update(data)
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
            self._log = LogFile(partial(self._log_path, self.name), self._quota_bytes)
            self._log_now(self.head)

    def _log_now(self, data: bytes) -> None:
        if self._log is not None and data:
            self._log.write(data)

    def forget_earlier(self) -> None:
        """Remove what an earlier attempt left, so that its output is not taken for another one's."""
        self._log_path(self.name).unlink(missing_ok=True)

    def last_lines(self, count: int = FAILURE_LINES_MAX) -> list[str]:
        text = (self._tail if self.cut else self.head).decode(errors="replace")
        return text.splitlines()[-count:] if count > 0 else []

    def close_stream(self) -> None:
        os.close(self.descriptor)
        self.descriptor = -1

    def close_log(self) -> None:
        if self._log is not None:
            self._log.close()
