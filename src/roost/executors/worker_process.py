"""One worker process for functions or scripts, seen from the node: its leases, what it is at, and how it ends."""

import asyncio
import fcntl
import os
import secrets
import signal
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import Final

import msgspec

from roost.core.actions import StopMode
from roost.executors.lease_process import LeaseProcess
from roost.executors.order import Order
from roost.executors.places import Places
from roost.executors.port import Report
from roost.executors.process import Ending
from roost.executors.worker import notes
from roost.executors.worker.messages import FromChild, Hold, Stop, Stopped
from roost.executors.worker.notes import Note
from roost.model.ids import LeaseId
from roost.model.limits import FAILURE_LINES_MAX, FAILURE_TEXT_MAX
from roost.model.ranges import RangeSet
from roost.model.task import Failure

#: A worker answers a stop at once, unless its function keeps Python's lock; it is not waited for longer than this.
_ANSWER_S: Final = 0.05
#: After so long a lease that was to be held is held, or runs an element that must be frozen.
_HOLD_S: Final = 0.02


class _AskedStop(msgspec.Struct, frozen=True, eq=False):
    """A stop that the worker has not answered yet."""

    lease: LeaseId
    ranges: RangeSet
    mode: StopMode


class WorkerProcess(LeaseProcess):
    """A worker process. ``on_idle`` is called when its last lease is answered, ``on_gone`` when it has ended."""

    name = "the worker process"

    def __init__(
        self,
        module: str,
        places: Places,
        report: Report,
        niceness: int,
        on_idle: Callable[["WorkerProcess"], None],
        on_gone: Callable[["WorkerProcess"], None],
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._on_idle = on_idle
        self._on_gone = on_gone
        #: Ending or ended.
        self._doomed = False
        self._asked: list[_AskedStop] = []
        self._frozen_at: float | None = None
        #: The element that was frozen last, and for how long in all: that time does not count.
        self._pause: tuple[Note | None, float] = (None, 0.0)
        self._overtime: Note | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._output = (_nameless_file(places.scratch), _nameless_file(places.scratch))
        lifeline, self._lifeline = os.pipe()
        mark = f"worker-{secrets.token_hex(8)}"
        arguments = (lifeline, places.logs, places.blobs, places.output_bytes_max, niceness)
        try:
            super().__init__(module, mark, places, report, arguments, lent=(lifeline,), output=self._output)
        except OSError:
            self._let_go()
            raise
        finally:
            os.close(lifeline)

    def _let_go(self) -> None:
        for descriptor in (*self._output, self._lifeline):
            os.close(descriptor)

    @property
    def usable(self) -> bool:
        return not self._doomed

    @property
    def has_answered(self) -> bool:
        """Whether every lease that it was given is answered."""
        return not self._leases

    @property
    def _note(self) -> Note | None:
        """What it runs now."""
        return next(iter(notes.running(self._notes)), None)

    def start(self, order: Order) -> None:
        super().start(order)
        self._watch_time()

    # Stopping.

    def stop(self, lease: LeaseId, ranges: RangeSet, mode: StopMode) -> None:
        """Ask the worker for what has not begun; if that is not enough, end it."""
        asked = _AskedStop(lease, ranges, mode)
        self._asked.append(asked)
        self._thaw()
        self._child.send(Stop(lease, ranges, mode))
        self._loop.call_later(_ANSWER_S, self._unanswered, asked)

    def _stopped(self, lease: int, returned: RangeSet) -> None:
        asked = self._asked.pop(0) if self._asked else None
        self._leases.give_back(lease, returned)
        if asked is not None and asked.mode is StopMode.KILL:
            self._kill_if_open(asked)
        self._settle()

    def _unanswered(self, asked: _AskedStop) -> None:
        if not self.ended.is_set() and any(other is asked for other in self._asked):
            if asked.mode is StopMode.KILL:
                self._kill_if_open(asked)
            self._settle()

    def _kill_if_open(self, asked: _AskedStop) -> None:
        entry = self._leases.get(asked.lease)
        if entry is not None and entry.open & asked.ranges:
            self.kill()

    def kill(self) -> None:
        """End the process and all it has started; its elements come back."""
        self._doomed = self._killed = True
        self._child.signal(signal.SIGKILL)

    # Freezing.

    def pause(self, lease: LeaseId) -> None:
        entry = self._leases.get(lease)
        if entry is not None:
            entry.paused = True
            self._child.send(Hold(lease, on=True))
            self._settle()
            self._loop.call_later(_HOLD_S, self._settle)

    def resume(self, lease: LeaseId) -> None:
        entry = self._leases.get(lease)
        if entry is not None:
            entry.paused = False
            self._thaw()
            self._child.send(Hold(lease, on=False))

    def _settle(self) -> None:
        """Freeze the process if the element that runs is to be frozen and no answer is waited for."""
        if self.ended.is_set():
            # A timer was late.
            return
        note = self._note
        entry = None if note is None else self._leases.get(note.lease)
        if entry is not None and entry.paused and self._frozen_at is None and not self._asked and not self._doomed:
            self._frozen_at = monotonic()
            self._child.signal(signal.SIGSTOP)

    def _thaw(self) -> None:
        if self._frozen_at is None:
            return
        note = self._note
        before, seconds = self._pause
        self._pause = (note, monotonic() - self._frozen_at + (seconds if before == note else 0.0))
        self._frozen_at = None
        self._child.signal(signal.SIGCONT)

    # Time limits.

    def _watch_time(self) -> None:
        """End the process if its element has run too long; look again when that may be so next."""
        self._forget_timer()
        limits = [entry.time_limit_s for entry in self._leases if entry.time_limit_s is not None]
        if not limits or self._doomed:
            return
        wait_s = min(limits)
        note = self._note
        entry = None if note is None else self._leases.get(note.lease)
        if note is not None and entry is not None and entry.time_limit_s is not None and self._frozen_at is None:
            # What waits behind it may begin at any moment, and have a shorter limit.
            wait_s = min(wait_s, entry.time_limit_s - self._ran_s(note))
            if wait_s <= 0:
                self._overtime = note
                self.kill()
                return
        self._timer = self._loop.call_later(wait_s, self._watch_time)

    def _forget_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _ran_s(self, note: Note) -> float:
        paused_note, paused_s = self._pause
        return monotonic() - note.started - (paused_s if paused_note == note else 0.0)

    # What the process says, and its end.

    def _heard(self, messages: list[FromChild]) -> None:
        super()._heard(messages)
        if not self._leases and not self._doomed:
            self._on_idle(self)

    def _hear(self, message: FromChild) -> None:
        if isinstance(message, Stopped):
            self._stopped(message.lease, message.ranges)
        else:
            super()._hear(message)

    def _dead(self, ending: Ending) -> None:
        self._doomed = True
        super()._dead(ending)

    def _gone(self, ending: Ending) -> None:
        self._forget_timer()
        super()._gone(ending)
        self._let_go()
        self._on_gone(self)

    def _judge(self, ending: Ending) -> None:
        """The element it was at has failed, if nobody ended the process on purpose."""
        note = self._note
        if note is not None and note == self._overtime:
            self._leases.fail(note.lease, note.index, self._overtime_failure(note))
        elif note is not None and not self._killed:
            self._leases.fail(note.lease, note.index, self._crash_failure(note, ending))

    def _overtime_failure(self, note: Note) -> Failure:
        entry = self._leases.get(note.lease)
        limit = 0.0 if entry is None else entry.time_limit_s
        return Failure(f"took longer than {limit:g} s", duration_s=round(self._ran_s(note), 6))

    def _crash_failure(self, note: Note, ending: Ending) -> Failure:
        return Failure(
            f"{self.name} {ending} while running this element",
            exit_code=ending.exit_code,
            signal=ending.signal,
            peak_memory_bytes=ending.peak_memory_bytes,
            duration_s=round(self._ran_s(note), 6),
            detail=self._last_words(),
        )

    def _last_words(self) -> str:
        """What the process wrote to its descriptors last, such as where it was when it crashed."""
        stdout, stderr = self._output
        return _end_of(stderr) or _end_of(stdout)


def _end_of(output: int) -> str:
    size = os.fstat(output).st_size
    start = max(0, size - FAILURE_TEXT_MAX)
    text = os.pread(output, size - start, start).decode(errors="replace")
    return "\n".join(text.splitlines()[-FAILURE_LINES_MAX:])


def _nameless_file(folder: Path) -> int:
    """Return a file that goes with its last descriptor, and to which everybody appends."""
    descriptor, path = tempfile.mkstemp(dir=folder)
    Path(path).unlink()
    fcntl.fcntl(descriptor, fcntl.F_SETFL, fcntl.fcntl(descriptor, fcntl.F_GETFL) | os.O_APPEND)
    return descriptor
