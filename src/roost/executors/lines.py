"""Lines by which a running program talks to its node: ``::progress 40`` of any script, and LAN's messages (LAN 3.5)."""

from math import isnan
from typing import Final, TypeAlias

import msgspec

PLAIN_MARKS: Final = (b"::progress",)
LAN_MARKS: Final = (b"PROGRESS", b"TERMINATED", b"CANCELLED", b"ERROR")
#: LAN's only message in the other direction.
CANCEL: Final = b"CANCEL\n"
#: A message longer than this is cut: it is output, not something to be remembered.
LINE_BYTES_MAX: Final = 4096


class ProgressLine(msgspec.Struct, frozen=True):
    """So much is done, between 0 and 1."""

    fraction: float
    note: str = ""


class TerminatedLine(msgspec.Struct, frozen=True):
    """The task has completed; these are its output datasets, in order."""

    datasets: tuple[str, ...]


class CancelledLine(msgspec.Struct, frozen=True):
    """The task has given up, as it was asked to."""


class ErrorLine(msgspec.Struct, frozen=True):
    """The task cannot go on."""

    message: str


LineMessage: TypeAlias = ProgressLine | TerminatedLine | CancelledLine | ErrorLine


class MarkedLines:
    """Feed a stream in pieces of any size; take out the whole lines that begin with one of the marks."""

    def __init__(self, marks: tuple[bytes, ...]) -> None:
        self._marks = marks
        self._begun = b""

    def feed(self, data: bytes) -> list[bytes]:
        if not self._begun and not any(mark in data for mark in self._marks):
            # Nearly all output: nothing but the start of the line that is still open matters.
            self._begun = data[data.rfind(b"\n") + 1 :][:LINE_BYTES_MAX]
            return []
        *lines, begun = (self._begun + data).split(b"\n")
        self._begun = begun[:LINE_BYTES_MAX]
        return [line[:LINE_BYTES_MAX] for line in lines if line.startswith(self._marks)]

    def rest(self) -> list[bytes]:
        """Return the last line, if the stream ended without a line end."""
        return [self._begun] if self._begun.startswith(self._marks) else []


def parse_plain(line: bytes) -> LineMessage | None:
    """Read ``::progress 40`` or ``::progress 40% fold 2 of 5``."""
    word, _, rest = line.decode(errors="replace").strip().partition(" ")
    if word != "::progress":
        return None
    return _progress(rest)


def parse_lan(line: bytes) -> LineMessage | None:
    """Read one of the messages of LAN's table 3.4; None is a line that merely looks like one."""
    word, _, rest = line.decode(errors="replace").strip().partition(" ")
    match word:
        case "PROGRESS":
            return _progress(rest)
        case "TERMINATED":
            return TerminatedLine(tuple(rest.split()))
        case "CANCELLED":
            return CancelledLine()
        case "ERROR":
            return ErrorLine(rest.strip() or "the program reported an error without a message")
        case _:
            return None


def _progress(rest: str) -> ProgressLine | None:
    number, _, note = rest.strip().partition(" ")
    try:
        percent = float(number.removesuffix("%"))
    except ValueError:
        return None
    if isnan(percent):
        return None
    return ProgressLine(min(max(percent, 0.0), 100.0) / 100, note.strip())
