"""The recorder: it writes down what this node's core is fed (core/recording.py), in a file of its home.

Rules
- Every life has a file, which only the owner can read. It is written from the first moment on, up to a bound; then it
  ends, and the node goes on. The file of the last life stays as well, and those of a few that ended because Roost
  itself had failed.
- It costs little: steps gather for a moment, are encoded together, and a thread packs and writes them. Nothing waits
  for the disk; what a power cut takes of it is no loss.
- Its troubles are not the node's. If something cannot be written, or not quickly enough, the recording ends.
"""

import logging
import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Final, TypeAlias

import msgspec

from roost.core.actions import Action
from roost.core.events import Event
from roost.core.recording import MAGIC, Beginning, Ending, Frames
from roost.model.limits import FAILED_LIVES_KEPT

log = logging.getLogger(__name__)

#: What is noted is encoded together, which takes a third of the time that it takes step by step; but soon, because it
#: may hold much data.
TOGETHER_S: Final = 0.02
TOGETHER_STEPS: Final = 64
#: Steps that are packed together. More: smaller files. Fewer: less is lost with a node that is killed.
CHUNK_STEPS: Final = 1024
#: One list of actions in so many has a checksum, which costs more than all the rest. Fewer: differences show sooner.
SUMMED_EVERY: Final = 16
#: Steps that may wait for a slow disk.
WAITING_STEPS_MAX: Final = 64 * CHUNK_STEPS
_LIFE: Final = "life-"
_FAILED: Final = "failed-"
#: Does something after so many seconds, in the thread of the caller.
Later: TypeAlias = Callable[[float, Callable[[], None]], object]
#: What cannot be encoded, such as texts that are none.
_UNWRITABLE: Final = (msgspec.MsgspecError, NotImplementedError, OverflowError, RecursionError, TypeError, ValueError)


def failed_lives(folder: Path) -> list[Path]:
    """Return the recordings of lives that ended because Roost itself had failed, the last one first."""
    return _newest_first(folder, _FAILED)


def _newest_first(folder: Path, prefix: str) -> list[Path]:
    return sorted(folder.glob(f"{prefix}*"), key=lambda path: path.stat().st_mtime, reverse=True)


class Recorder:
    """``note`` takes what the core is fed; ``flush`` it now and then; ``close`` it."""

    def __init__(self, folder: Path, bytes_max: int, beginning: Beginning, later: Later) -> None:
        """Begin with a life, in a folder that is there; of no bytes at all there is no recording."""
        boot = beginning.restored.boot
        self._path, self._failed_path = folder / f"{_LIFE}{boot}", folder / f"{_FAILED}{boot}"
        self._bytes_max = bytes_max
        self._later = later
        self._noted: list[tuple[Event | None, float, list[Action] | None]] = []
        self._frames = Frames()
        self._events = 0
        self._thread = ThreadPoolExecutor(1, "recorder")
        self._writing: Future[None] | None = None
        self._file: int | None = None
        self._written = 0
        #: Whether nothing more is noted. Either thread may say so, and it is never taken back.
        self._is_over = not bytes_max
        if self._is_over:
            return
        try:
            for old in (*_newest_first(folder, _LIFE)[1:], *failed_lives(folder)[FAILED_LIVES_KEPT:]):
                old.unlink()
            self._path.unlink(missing_ok=True)
            self._file = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL, 0o600)
            self._frames.add(beginning)
        except (OSError, *_UNWRITABLE) as error:
            self._end(error)
        self._put(MAGIC)
        self._flush()

    def note(self, event: Event | None, now: float, actions: list[Action] | None) -> None:
        """Note an event, or None for a stamp, and what the core did; None if it raised an error."""
        if self._is_over:
            return
        self._noted.append((event, now, actions))
        if len(self._noted) == 1:
            self._later(TOGETHER_S, self._encode)
        elif len(self._noted) >= TOGETHER_STEPS:
            self._encode()

    def _encode(self) -> None:
        noted, self._noted = self._noted, []
        try:
            for event, now, actions in noted:
                self._events += event is not None
                self._frames.add_step(event, now, actions, summed=self._events % SUMMED_EVERY == 0)
        except _UNWRITABLE as error:
            self._end(error)
        if self._frames.count >= CHUNK_STEPS:
            self._flush()

    def flush(self) -> None:
        """Have written what was noted, unless the disk is still busy with what was noted before."""
        self._encode()
        self._flush()

    def _flush(self) -> None:
        if self._writing is not None and not self._writing.done():
            if self._frames.count > WAITING_STEPS_MAX:
                self._end("the disk is too slow")
        elif self._frames.count and not self._is_over:
            frames, self._frames = self._frames, Frames()
            self._writing = self._thread.submit(self._write, frames)

    def close(self, reason: str = "") -> Path | None:
        """End the recording; ``reason`` says how Roost itself has failed. Return where it is, if there is one."""
        if self._file is None:
            return None
        self._encode()
        self._thread.submit(self._write, self._frames)
        self._thread.shutdown()
        ending = Frames()
        ending.add(Ending(reason.encode(errors="replace").decode(), is_cut=self._is_over))
        self._put(ending.chunk())
        self._is_over = True
        path = self._failed_path if reason else self._path
        with suppress(OSError):
            os.close(self._file)
            self._path.replace(path)
        self._file = None
        return path

    def _write(self, frames: Frames) -> None:
        """Pack frames and write them, if there is room; else end here. In the thread."""
        if self._is_over:
            return
        chunk = frames.chunk()
        if self._written + len(chunk) <= self._bytes_max:
            self._put(chunk)
        else:
            self._end("it is full")

    def _put(self, data: bytes) -> None:
        if self._file is None:
            return
        try:
            if os.write(self._file, data) == len(data):
                self._written += len(data)
                return
            self._end("the disk is full")
        except OSError as error:
            self._end(error)
        # What was written by half would make all of it unreadable.
        with suppress(OSError):
            os.ftruncate(self._file, self._written)

    def _end(self, why: object) -> None:
        log.info("%s ends, and the node goes on without it: %s", self._path, why)
        self._is_over = True
        self._frames = Frames()
