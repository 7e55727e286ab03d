"""References to values that are too large to travel with the records: the value is a file, named by the hash of it.

A reference is a pickle that loads the value (executors/worker/stored.py), so that whoever opens results need not know.
Its bytes are fixed but for the hash and the size, so that those who never open a pickle can find references in data.
"""

import re
from typing import Final, NamedTuple

#: How every reference begins. Protocol 3, which has no frames: the function that loads, and the beginning of its only
#: argument, a text.
REFERENCE_START: Final = b"\x80\x03croost.executors.worker.stored\nload_stored\nX"
#: The argument as a tuple, the call, and the end.
_END: Final = b"\x85R."
_REFERENCE: Final = re.compile(re.escape(REFERENCE_START) + rb"(?s:.{4})([0-9a-f]{32}):([0-9]{1,19})" + re.escape(_END))


class Stored(NamedTuple):
    """A value that is a file."""

    #: The hash of it, which is also its name on disk.
    content: str
    size: int


def reference_to(stored: Stored) -> bytes:
    """Return what stands for a stored value among others."""
    text = f"{stored.content}:{stored.size}".encode()
    return REFERENCE_START + len(text).to_bytes(4, "little") + text + _END


def reference_of(data: bytes) -> Stored | None:
    """Return what a value refers to; None if it is the value itself."""
    match = _REFERENCE.fullmatch(data) if data.startswith(REFERENCE_START) else None
    return None if match is None else _stored(match)


def references_in(data: bytes) -> list[Stored]:
    """Return all that is referred to in bytes that hold any number of values."""
    return [_stored(match) for match in _REFERENCE.finditer(data)] if REFERENCE_START in data else []


def parse_reference(text: str) -> Stored:
    """Read the argument of a reference. Raise ValueError if it is none."""
    content, _, size = text.partition(":")
    return Stored(content, int(size))


def _stored(match: re.Match[bytes]) -> Stored:
    return Stored(match[1].decode(), int(match[2]))
