"""One worker process for functions or scripts, seen from the node: its leases, what it is at, and how it ends."""

import asyncio
import fcntl
import os
import secrets
import signal
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Final, NamedTuple

import msgspec

from roost.core.actions import StopMode
from roost.core.events import ElementFailed, ElementsDone, ElementsReturned, Progressed
from roost.executors import orphans
from roost.executors.element_reports import Answers
from roost.executors.kept import SentBefore
from roost.executors.leases import Ledger, OpenLease, in_parts, shared_key
from roost.executors.places import Places
from roost.executors.port import Order, Report
from roost.executors.process import Child, Ending
from roost.executors.worker import notes, page
from roost.executors.worker.messages import FromChild, Hold, Ready, Stop, Stopped, ToChild
from roost.model.ids import LeaseId
from roost.model.limits import FAILURE_LINES_MAX, FAILURE_TEXT_MAX, KIB
from roost.model.ranges import RangeSet
from roost.model.task import Failure

#: A worker answers a stop at once, unless its function keeps Python's lock; it is not waited for longer than this.
_ANSWER_S: Final = 0.05
#: Functions and values up to this size travel in one message with the lease that names them.
_TOGETHER_BYTES: Final = 64 * KIB
#: After so long a lease that was to be held is held, or runs an element that must be frozen.
_HOLD_S: Final = 0.02


class WorkerKind(NamedTuple):
    """What a kind of work needs of its workers."""

    #: The program that such a worker runs.
    module: str
    #: The beginning of the marks of its processes.
    mark: str
    #: How a lease, or a part of one, is told to a worker.
    message: Callable[[Order], ToChild]


class _AskedStop(msgspec.Struct, frozen=True, eq=False):
    """A stop that the worker has not answered yet."""

    lease: LeaseId
    ranges: RangeSet
    mode: StopMode


class WorkerProcess:
    """A worker process. ``on_idle`` is called when its last lease is answered, ``on_gone`` when it has ended."""

    def __init__(
        self,
        kind: WorkerKind,
        places: Places,
        report: Report,
        niceness: int,
        on_idle: Callable[["WorkerProcess"], None],
        on_gone: Callable[["WorkerProcess"], None],
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._ledger = Ledger()
        self._answers = Answers(self._ledger, self._say)
        self._report: Report | None = report
        self._kept = SentBefore()
        self._on_idle = on_idle
        self._on_gone = on_gone
        self._ready = False
        #: Ending or ended; and whether that was our wish.
        self._doomed = False
        self._killed = False
        self._asked: list[_AskedStop] = []
        self._frozen_at: float | None = None
        #: The element that was frozen last, and for how long in all: that time does not count.
        self._pause: tuple[page.Note | None, float] = (None, 0.0)
        self._overtime: page.Note | None = None
        self._timer: asyncio.TimerHandle | None = None
        self.ended = asyncio.Event()
        self._kind = kind
        self._mark = f"{kind.mark}-{secrets.token_hex(8)}"
        self._notes = places.life / self._mark
        self._output = (_nameless_file(places.scratch), _nameless_file(places.scratch))
        try:
            self._child = self._start_process(places, niceness)
        except OSError:
            for descriptor in self._output:
                os.close(descriptor)
            raise

    def _start_process(self, places: Places, niceness: int) -> Child:
        lifeline, self._lifeline = os.pipe()
        shared, self._page = page.make(self._notes)
        try:
            arguments = [
                str(shared),
                str(lifeline),
                *map(str, (places.logs, places.blobs, places.output_bytes_max, niceness)),
            ]
            return Child(
                self._kind.module,
                arguments,
                places.home,
                self._mark,
                self._heard,
                self._dead,
                lent=(shared, lifeline),
                output=self._output,
            )
        except OSError:
            self._forget_notes()
            os.close(self._lifeline)
            raise
        finally:
            os.close(shared)
            os.close(lifeline)

    @property
    def usable(self) -> bool:
        return not self._doomed

    @property
    def has_answered(self) -> bool:
        """Whether every lease that it was given is answered."""
        return not self._ledger

    def __contains__(self, lease: LeaseId) -> bool:
        return lease in self._ledger

    def start(self, order: Order) -> None:
        self._ledger.add(OpenLease(order))
        named: list[tuple[str, tuple[bytes, ...]]] = [(name, (data,)) for name, data in order.blobs]
        if not order.behind:
            named += [(shared_key(shared.key), shared.values) for shared in order.shared]
        kept = self._kept.provide(named)
        if sum([len(value) for _, values in named for value in values]) > _TOGETHER_BYTES:
            for message in kept:
                self._child.send(message)
            kept = []
        for part in in_parts(order):
            self._child.send(*kept, self._kind.message(part))
            kept = []
        if self._timer is None:
            self._watch_time()

    # Stopping.

    def stop(self, lease: LeaseId, ranges: RangeSet, mode: StopMode) -> None:
        """Ask the worker for what has not begun; if that is not enough, end it."""
        asked = _AskedStop(lease, ranges, mode)
        self._asked.append(asked)
        self._thaw()
        self._child.send(Stop(lease, ranges.bounds, mode))
        self._loop.call_later(_ANSWER_S, self._unanswered, asked)

    def _stopped(self, lease: int, returned: RangeSet) -> None:
        asked = self._asked.pop(0) if self._asked else None
        self._answers.give_back(lease, returned)
        if asked is not None and asked.mode is StopMode.KILL:
            self._kill_if_open(asked)
        self._settle()

    def _unanswered(self, asked: _AskedStop) -> None:
        if not self.ended.is_set() and any(other is asked for other in self._asked):
            if asked.mode is StopMode.KILL:
                self._kill_if_open(asked)
            self._settle()

    def _kill_if_open(self, asked: _AskedStop) -> None:
        entry = self._ledger.get(asked.lease)
        if entry is not None and entry.open & asked.ranges:
            self.kill()

    def kill(self) -> None:
        """End the process and all it has started; its elements come back."""
        self._doomed = self._killed = True
        self._child.signal(signal.SIGKILL)

    # Freezing.

    def pause(self, lease: LeaseId) -> None:
        entry = self._ledger.get(lease)
        if entry is not None:
            entry.paused = True
            self._child.send(Hold(lease, on=True))
            self._settle()
            self._loop.call_later(_HOLD_S, self._settle)

    def resume(self, lease: LeaseId) -> None:
        entry = self._ledger.get(lease)
        if entry is not None:
            entry.paused = False
            self._thaw()
            self._child.send(Hold(lease, on=False))

    def _settle(self) -> None:
        """Freeze the process if the element that runs is to be frozen and no answer is waited for."""
        if self.ended.is_set():
            # A timer was late.
            return
        note = page.read(self._page)
        entry = None if note is None else self._ledger.get(note.lease)
        if entry is not None and entry.paused and self._frozen_at is None and not self._asked and not self._doomed:
            self._frozen_at = monotonic()
            self._child.signal(signal.SIGSTOP)

    def _thaw(self) -> None:
        if self._frozen_at is None:
            return
        note = page.read(self._page)
        before, seconds = self._pause
        self._pause = (note, monotonic() - self._frozen_at + (seconds if before == note else 0.0))
        self._frozen_at = None
        self._child.signal(signal.SIGCONT)

    # Time limits.

    def _watch_time(self) -> None:
        """End the process if its element has run too long; look again when that may be so next."""
        self._timer = None
        limits = [entry.time_limit_s for entry in self._ledger if entry.time_limit_s is not None]
        if not limits or self._doomed:
            return
        wait_s = min(limits)
        note = page.read(self._page)
        entry = None if note is None else self._ledger.get(note.lease)
        if note is not None and entry is not None and entry.time_limit_s is not None and self._frozen_at is None:
            wait_s = entry.time_limit_s - self._ran_s(note)
            if wait_s <= 0:
                self._overtime = note
                self.kill()
                return
        self._timer = self._loop.call_later(wait_s, self._watch_time)

    def _ran_s(self, note: page.Note) -> float:
        paused_note, paused_s = self._pause
        return monotonic() - note.started - (paused_s if paused_note == note else 0.0)

    # What the process says, and its end.

    def _say(self, event: ElementsDone | ElementFailed | ElementsReturned | Progressed) -> None:
        if self._report is not None:
            self._report(event)

    def _heard(self, messages: list[FromChild]) -> None:
        for message in messages:
            match message:
                case Ready():
                    self._ready = True
                case Stopped(lease, bounds):
                    self._stopped(lease, RangeSet(bounds))
                case _:
                    self._answers.pass_on(message)
        if not self._ledger and not self._doomed:
            self._on_idle(self)

    def _dead(self, ending: Ending) -> None:
        self._doomed = True
        orphans.when_gone(partial(self._gone, ending), self._mark, self._child.pid)

    def _gone(self, ending: Ending) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._answer_all(ending)
        self._forget_notes()
        for descriptor in self._output:
            os.close(descriptor)
        os.close(self._lifeline)
        self.ended.set()
        self._on_gone(self)

    def _forget_notes(self) -> None:
        self._page.close()
        notes.forget(self._notes)

    def _answer_all(self, ending: Ending) -> None:
        """The element it was at has failed, if nobody ended the process on purpose; all others come back."""
        if not self._ready and not self._killed:
            failure = Failure(f"the worker process could not be started: it {ending}", detail=self._last_words())
            self._answers.fail_all(failure)
        note = page.read(self._page)
        if note is not None and note == self._overtime:
            self._answers.fail(note.lease, note.index, self._overtime_failure(note))
        elif note is not None and not self._killed:
            self._answers.fail(note.lease, note.index, self._crash_failure(note, ending))
        self._answers.give_back_all()

    def _overtime_failure(self, note: page.Note) -> Failure:
        entry = self._ledger.get(note.lease)
        limit = 0.0 if entry is None else entry.time_limit_s
        return Failure(f"took longer than {limit:g} s", duration_s=round(self._ran_s(note), 6))

    def _crash_failure(self, note: page.Note, ending: Ending) -> Failure:
        return Failure(
            f"the worker process {ending} while running this element",
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

    def silence(self) -> None:
        """Report nothing any more."""
        self._report = None


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
