"""From the bytes of a telnet to lines: whatever a terminal adds to what a person types is taken out again.

Lines end with CR LF, LF, CR or CR NUL; whoever reads them ignores the empty lines that this makes. Commands and
options of telnet (RFC 854: everything after a byte 255) are dropped unanswered, which refuses them. Clients that send
every key as it is pressed send the corrections too, so backspace erases.
"""

import re
from typing import Final

import msgspec

from roost.model.limits import LAN_LINE_BYTES_MAX

_LINE_END: Final = re.compile(rb"[\r\n]")
_ERASURES: Final = (0x08, 0x7F)
#: A whole command, or (``open``) the beginning of one whose rest is still on its way.
_COMMAND: Final = re.compile(
    rb"\xff(?:(?P<literal>\xff)|[\xfb-\xfe].|\xfa.*?\xff\xf0|(?P<open>[\xfb-\xfe]?\Z|\xfa.*\Z)|.)", re.DOTALL
)
#: The longest option that is waited for; what goes on longer was no option.
_OPTION_BYTES_MAX: Final = 512


class Line(msgspec.Struct, frozen=True):
    """What stood on a line, without its end; ``is_whole`` is False if it was too long, and only its start is here."""

    text: bytes
    is_whole: bool = True


class TelnetLines:
    """Feed a stream in pieces of any size; take out the lines that have ended."""

    def __init__(self) -> None:
        self._begun = b""
        self._is_whole = True
        self._option = b""

    @property
    def has_begun(self) -> bool:
        """Whether there is a line that has not ended."""
        return bool(self._begun.strip())

    def feed(self, data: bytes) -> list[Line]:
        data = self._without_options(data)
        first, *others = _LINE_END.split(data)
        self._begin(self._begun + first)
        ended = []
        for following in others:
            ended.append(Line(_corrected(self._begun), self._is_whole))
            self._is_whole = True
            self._begin(following)
        return ended

    def _begin(self, text: bytes) -> None:
        self._is_whole = self._is_whole and len(text) <= LAN_LINE_BYTES_MAX
        self._begun = text[:LAN_LINE_BYTES_MAX]

    def _without_options(self, data: bytes) -> bytes:
        def taken(match: re.Match[bytes]) -> bytes:
            if match["open"] is not None:
                self._option = match[0][: _OPTION_BYTES_MAX + 1]
            return match["literal"] or b""

        data, self._option = self._option + data, b""
        data = _COMMAND.sub(taken, data)
        if len(self._option) > _OPTION_BYTES_MAX:
            self._option = b""
        return data


def _corrected(line: bytes) -> bytes:
    """Erase what was erased, and the zero that may follow a CR."""
    line = line.strip(b"\0")
    if not any(erasure in line for erasure in _ERASURES):
        return line
    kept = bytearray()
    for byte in line:
        if byte not in _ERASURES:
            kept.append(byte)
        else:
            # A letter may have several bytes; all but the first begin with the bits 10.
            while kept and kept.pop() & 0xC0 == 0x80:
                pass
    return bytes(kept)
