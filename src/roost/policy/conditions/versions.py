"""The order of versions: 3.9 is before 3.12, 3.12rc1 before 3.12, and 3.12 is 3.12.0."""

import re
from itertools import zip_longest
from typing import Final, TypeAlias

#: A number; or letters, which stand for something that comes before the version without them.
_Piece: TypeAlias = tuple[int, int, str]
Version: TypeAlias = tuple[_Piece, ...]

_VERSION: Final = re.compile(r"v?[0-9][0-9a-z]*(?:[.+_-][0-9a-z]+)*", re.ASCII | re.IGNORECASE)
_PIECE: Final = re.compile(r"[0-9]+|[a-z]+", re.ASCII)
_NOTHING: Final[_Piece] = (1, 0, "")


def is_version(text: str) -> bool:
    return _VERSION.fullmatch(text) is not None


def parse_version(text: str) -> Version | None:
    """Read a version; None if it is none."""
    if not is_version(text):
        return None
    found = _PIECE.findall(text.lower().removeprefix("v"))
    return tuple((1, int(piece), "") if piece.isdigit() else (0, 0, piece) for piece in found)


def order_of(left: Version, right: Version) -> int:
    """Return a number below zero, zero or above, as ``left`` is before ``right``, the same, or after it."""
    for one, other in zip_longest(left, right, fillvalue=_NOTHING):
        if one != other:
            return -1 if one < other else 1
    return 0
