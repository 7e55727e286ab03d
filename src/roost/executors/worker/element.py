"""A program that runs for one element: what it has said so far, when it needs attention, and how its end is judged."""

import os
import signal
from contextlib import suppress
from enum import Enum, auto
from math import inf
from typing import Final

import msgspec

from roost.executors.lines import (
    CANCEL,
    LAN_MARKS,
    PLAIN_MARKS,
    CancelledLine,
    ErrorLine,
    MarkedLines,
    ProgressLine,
    TerminatedLine,
    parse_lan,
    parse_plain,
)
from roost.executors.signals import signal_name
from roost.executors.worker.capture import Capture
from roost.executors.worker.folder import FileState, Folder
from roost.executors.worker.logfile import over_quota
from roost.executors.worker.room import NoRoom
from roost.model.limits import FAILURE_LINES_MAX, FAILURE_TEXT_MAX, KIB, OUTPUT_QUOTA_BYTES
from roost.model.task import Failure
from roost.wire.values import CommandResult

#: A program that is told to end has so long until it is told more firmly.
GRACE_S: Final = 2.0
#: A program that ends sooner has its output read at its end: watching it would cost as much as the shortest ones do.
WATCH_S: Final = 0.01
#: Output of a program that runs longer than this goes to its log at once.
SPILL_S: Final = 0.3
#: Progress of an element is passed on so often at most.
PROGRESS_INTERVAL_S: Final = 0.2


class Why(Enum):
    """Why we end a program."""

    STOPPED = auto()
    TIME = auto()
    #: It has written more than it may.
    OUTPUT = auto()
    #: A LAN program has said its last word, and should leave by itself.
    SAID_ALL = auto()


#: It is we who end it, and all that it has started.
ENDED_BY_US: Final = frozenset({Why.STOPPED, Why.TIME, Why.OUTPUT})


class Prepared(msgspec.Struct, frozen=True):
    """What is needed to judge and clean up after a program, settled before it starts."""

    folder: Folder
    cwd: str
    outputs: dict[str, str]
    #: What lay there in the user's folder before; None: it runs in ``folder``, which is its own.
    earlier: dict[str, FileState] | None
    mark: str
    #: Whether a pool maps what it prints, which therefore must be a list.
    is_mapped: bool = False
    #: What it may write to each stream.
    output_bytes_max: int = OUTPUT_QUOTA_BYTES


class Element:
    """A running program. The launcher feeds it output and time; it signals its own process group."""

    def __init__(
        self, lease: int, index: int, pid: int, stdout: Capture, stderr: Capture, prepared: Prepared, now: float
    ) -> None:
        self.lease = lease
        self.index = index
        self.pid = pid
        self.stdout = stdout
        self.stderr = stderr
        self.prepared = prepared
        self.why: Why | None = None
        self.limit_s: float | None = None
        self._started = now
        self._channel = -1
        self._lan = False
        self._lines: MarkedLines | None = None
        self._watch_at = now + WATCH_S
        self._spill_at = now + SPILL_S
        self._firmer_at = inf
        self._firmer = signal.SIGTERM
        self._paused_at: float | None = None
        self._paused_s = 0.0
        self._progress: ProgressLine | None = None
        self._progress_at = -inf
        self._last_word: TerminatedLine | ErrorLine | CancelledLine | None = None

    def speak_lan(self, channel: int) -> None:
        """Listen for LAN's messages; ``channel`` is the other end of its standard input."""
        self._channel = channel
        self._lan = True

    def take(self, capture: Capture, data: bytes, now: float) -> None:
        """Take what it wrote to one of its streams."""
        capture.take(data)
        if capture.is_over and self.why not in ENDED_BY_US:
            self.why = Why.OUTPUT
            self._insist(now)
        if capture is self.stdout:
            if self._lines is None:
                self._lines = MarkedLines(LAN_MARKS if self._lan else PLAIN_MARKS)
            for line in self._lines.feed(data):
                self._hear_line(line, now)

    def _hear_line(self, line: bytes, now: float) -> None:
        match parse_lan(line) if self._lan else parse_plain(line):
            case ProgressLine() as progress:
                self._progress = progress
            case TerminatedLine() | ErrorLine() | CancelledLine() as word:
                self._last_word = word
                self.close_channel()
                if self.why is None:
                    self.why = Why.SAID_ALL
                    self._firmer_at = now + GRACE_S
            case None:
                pass

    def take_progress(self, now: float) -> ProgressLine | None:
        """Return progress to pass on now, if there is any and the last is long enough ago."""
        if self._progress is None or now < self._progress_at:
            return None
        progress, self._progress = self._progress, None
        self._progress_at = now + PROGRESS_INTERVAL_S
        return progress

    @property
    def due(self) -> float:
        """When it next needs attention."""
        progress_at = inf if self._progress is None else self._progress_at
        return min(self._watch_at, self._spill_at, self._firmer_at, self._limit_at(), progress_at)

    def is_to_be_watched(self, now: float) -> bool:
        """Whether from now on its output is to be read as it comes; says so once."""
        if now < self._watch_at:
            return False
        self._watch_at = inf
        return True

    def _limit_at(self) -> float:
        if self.limit_s is None or self.why is not None or self._paused_at is not None:
            return inf
        return self._started + self._paused_s + self.limit_s

    def attend(self, now: float) -> None:
        """Do what is due by now, except for what concerns its output."""
        if now >= self._spill_at:
            self._spill_at = inf
            self.stdout.spill()
            self.stderr.spill()
        if now >= self._limit_at():
            self.why = Why.TIME
            self._insist(now)
        elif now >= self._firmer_at:
            self._insist(now)

    def _insist(self, now: float) -> None:
        """Tell it to end, each time more firmly."""
        self.signal(self._firmer)
        # A frozen program could not obey.
        self.resume(now)
        self._firmer_at = inf if self._firmer is signal.SIGKILL else now + GRACE_S
        self._firmer = signal.SIGKILL

    def signal(self, number: int) -> None:
        try:
            os.killpg(self.pid, number)
        except (ProcessLookupError, PermissionError):
            return

    def stop(self, now: float) -> None:
        """Tell it to end: with LAN's CANCEL if it knows it, else with SIGTERM."""
        told = self.why in ENDED_BY_US
        self.why = Why.STOPPED
        if self._channel >= 0 and not told:
            with suppress(OSError):
                os.write(self._channel, CANCEL)
            self.resume(now)
            self._firmer_at = now + GRACE_S
        elif not told:
            self._insist(now)

    def pause(self, now: float) -> None:
        if self._paused_at is None and self.why is None:
            self._paused_at = now
            self.signal(signal.SIGSTOP)

    def resume(self, now: float) -> None:
        if self._paused_at is not None:
            self._paused_s += now - self._paused_at
            self._paused_at = None
            self.signal(signal.SIGCONT)

    def close_channel(self) -> None:
        if self._channel >= 0:
            os.close(self._channel)
            self._channel = -1

    def judge(self, status: int, peak_kib: int | None, now: float) -> CommandResult | Failure | NoRoom:
        """Say how it ended, as far as its files do not matter."""
        for line in self._lines.rest() if self._lines is not None else ():
            self._hear_line(line, now)
        duration = round((self._paused_at or now) - self._started - self._paused_s, 6)
        code = os.waitstatus_to_exitcode(status)
        reason = self._complaint(code)
        trouble = self.stdout.trouble or self.stderr.trouble
        if trouble is not None and reason is None:
            reason = f"its output could not be kept: {trouble}"
            if self.stdout.lacks_room or self.stderr.lacks_room:
                return NoRoom(reason)
        if reason is not None:
            return Failure(
                reason,
                exit_code=code if code >= 0 else None,
                signal=-code if code < 0 else None,
                peak_memory_bytes=None if peak_kib is None else peak_kib * KIB,
                duration_s=duration,
                detail=self.last_lines(),
            )
        return CommandResult(
            stdout=self.stdout.head,
            stderr=self.stderr.head,
            stdout_whole=self.stdout.whole,
            stderr_whole=self.stderr.whole,
            duration_s=duration,
            peak_memory_bytes=(peak_kib or 0) * KIB,
            datasets=self._last_word.datasets if isinstance(self._last_word, TerminatedLine) else (),
        )

    def _complaint(self, code: int) -> str | None:
        """Return why the element failed, or None."""
        if self.why is Why.TIME:
            return f"took longer than {self.limit_s:g} s"
        for capture in (self.stdout, self.stderr):
            if capture.is_over:
                return over_quota(capture.name, self.prepared.output_bytes_max)
        if isinstance(self._last_word, ErrorLine):
            return self._last_word.message
        if isinstance(self._last_word, CancelledLine):
            return "said CANCELLED, though nobody had asked it to end"
        if code > 0:
            return f"exit code {code}"
        if code < 0 and not isinstance(self._last_word, TerminatedLine):
            return f"killed by signal {-code} ({signal_name(-code)})"
        if self._lan and self._last_word is None:
            return "ended without saying TERMINATED, as a LAN program must"
        return None

    def last_lines(self) -> str:
        """What a person wants to see of a failure: the end of what it said, complaints first."""
        errors = self.stderr.last_lines()
        lines = errors + self.stdout.last_lines(FAILURE_LINES_MAX - len(errors))
        return "\n".join(lines)[-FAILURE_TEXT_MAX:]
