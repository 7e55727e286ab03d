"""Text from elsewhere, made fit for a terminal: what would steer the terminal is written as an escape instead.

A terminal obeys what is printed on it. A name, a document or a log may hold sequences that move the cursor, paint over
what stands there, change the title, or turn the order of the letters round. Nothing of that is done here; people see
``\\x1b[2J`` and know what they have been sent.
"""

import codecs
import re
from typing import Final

#: Control characters (C0 without tab and line end, DEL, C1), what turns the direction of text or ends lines in some
#: terminals, and bytes that were no UTF-8 (lone surrogates, or as stray.py carries them).
_UNFIT: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\U0010fe80-\U0010feff]")
_UNFIT_IN_LINE: Final = re.compile("[\t\n]|" + _UNFIT.pattern)
_UNFIT_IN_JSON: Final = re.compile("[\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
#: Characters that stand for a byte: its number is their lowest eight bits.
_BYTES: Final = (range(0xDC80, 0xDD00), range(0x10FE80, 0x10FF00))
_SHORT: Final = {"\t": "\\t", "\n": "\\n", "\r": "\\r"}


def visible(text: str) -> str:
    """Return the text with all that would steer a terminal escaped; lines stay lines, and tabs stay tabs."""
    return _UNFIT.sub(_escaped, text)


def visible_line(text: str) -> str:
    """Do the same for what must stay on one line, such as a name."""
    return _UNFIT_IN_LINE.sub(_escaped, text)


def visible_json(text: str) -> str:
    """Return the same JSON, with what a terminal might obey as escapes; JSON itself leaves much of it as it is."""
    return _UNFIT_IN_JSON.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _escaped(match: re.Match[str]) -> str:
    letter = match[0]
    code = ord(letter)
    if any(code in block for block in _BYTES):
        code &= 0xFF
    return _SHORT.get(letter) or (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}")


class VisibleStream:
    """Makes the bytes that a program wrote visible, piece by piece; a character may be cut between two pieces.

    A carriage return, with which programs paint over their own progress, begins a new line: nothing is hidden.
    """

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        self._return_held = False

    def feed(self, data: bytes, *, final: bool = False) -> str:
        """Return what can be shown of what has come so far; ``final`` says that nothing follows."""
        text = "\r" * self._return_held + self._decoder.decode(data, final)
        # Whether a line feed follows is not known yet.
        self._return_held = text.endswith("\r") and not final
        if self._return_held:
            text = text[:-1]
        return visible(text.replace("\r\n", "\n").replace("\r", "\n"))


def quoted(text: str) -> str:
    """Quote what a person wrote, for a sentence: one line, and not longer than one can read."""
    shown = text if len(text) <= 60 else text[:57] + "..."
    return "'" + "".join(char if char.isprintable() else "?" for char in shown) + "'"
