"""Bytes that are no UTF-8, in texts that must be: names of files, folders, words and variables may hold any bytes.

Unix takes any bytes but zero for these, and JSON, the journal and the wire hold Unicode. So a byte that is not UTF-8
travels as one of 128 private characters, U+10FE80 to U+10FEFF. Where such a character was written by somebody, its four
bytes travel so. Every text of bytes has one carried form, and that gives the same bytes again.

Inside a process such a text is what Python makes of a file's name: stray bytes are lone surrogates.
"""

import re
from typing import Any, Final

import msgspec

_FIRST, _LAST = "\U0010fe80", "\U0010feff"
#: From Python's lone surrogate for a byte to ours.
_SHIFT: Final = 0x10FE80 - 0xDC80
_LONE: Final = re.compile("[\udc80-\udcff]")
_CARRIED: Final = re.compile(f"[{_FIRST}-{_LAST}]")


def carried(text: bytes) -> str:
    """Return bytes as a text that can be sent and stored."""
    return carried_text(text.decode(errors="surrogateescape"))


def carried_text(text: str) -> str:
    """Return a file's name, as Python has it, as a text that can be sent and stored."""
    if text.isascii():
        return text
    text = _CARRIED.sub(lambda match: match[0].encode().decode("ascii", "surrogateescape"), text)
    return _lone_carried(text)


def _lone_carried(text: str) -> str:
    return _LONE.sub(lambda match: chr(ord(match[0]) + _SHIFT), text)


def with_escapes(text: str) -> str:
    """Return a file's name, as Python has it, for a sentence: its stray bytes are written as ``\\xff``."""
    shown = _LONE.sub(lambda match: f"\\x{ord(match[0]) - 0xDC00:02x}", text)
    return shown.encode(errors="backslashreplace").decode()


def native(text: str) -> str:
    """Return a text that was carried as Python has the names of files, for a system whose names are UTF-8."""
    if text.isascii():
        return text
    # What is next to each other may have been one character.
    lone = _CARRIED.sub(lambda match: chr(ord(match[0]) - _SHIFT), text)
    return text if lone == text else lone.encode(errors="surrogateescape").decode(errors="surrogateescape")


def native_bytes(text: str) -> bytes:
    """Return the bytes of a text that was carried."""
    return native(text).encode(errors="surrogateescape")


def carried_json(value: Any) -> bytes:
    """Write a value as JSON; stray bytes that are in its texts are carried, and what is carried already stays so."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        return msgspec.json.encode(_carried_value(msgspec.to_builtins(value)))


def _carried_value(value: Any) -> Any:
    match value:
        case str():
            return _lone_carried(value)
        case dict():
            return {_carried_value(name): _carried_value(inner) for name, inner in value.items()}
        case list() | tuple():
            return [_carried_value(inner) for inner in value]
        case _:
            return value
