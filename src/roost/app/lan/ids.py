"""Tasks under the names that LAN gives them: UUIDs (LAN 3.3), which are another spelling of Roost's own ids.

A UUID is computed from a task's id and leads back to its run, so that no table has to be kept, every node of a mesh
says the same, and a restart forgets nothing. It is of version 8 (RFC 9562: the maker says what its bits mean)::

    000000000012-8LLLLLLL-...     twelve decimal digits: the run's number, which people can read and type
                                  the run's letters, then a digest of the whole task id
"""

import re
from hashlib import blake2b
from typing import Final

from roost.model.errors import InvalidInput
from roost.model.ids import RUN_ID, RunId, TaskId, run_of

_UUID: Final = re.compile(r"[0-9a-f]{8}(-?)[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{12}")
_ALPHABET: Final = "abcdefghijklmnopqrstuvwxyz"
_LETTERS: Final = 6
#: Of the 74 bits that version and variant leave after the number, 29 hold the letters.
_DIGEST_BITS: Final = 45
_LOW_BITS: Final = 62
_VERSION: Final = "8"
_VARIANT: Final = 0b10


def is_uuid(text: str) -> bool:
    """Tell whether a text has the form of a UUID, whoever made it."""
    return _UUID.fullmatch(text.lower()) is not None


def uuid_of(task: TaskId) -> str:
    match = RUN_ID.fullmatch(run_of(task))
    if match is None:
        raise InvalidInput(f"'{task}' is not the id of a task")
    digest = int.from_bytes(blake2b(task.encode(), digest_size=8).digest()) & ((1 << _DIGEST_BITS) - 1)
    bits = _number_of(match["letters"]) << _DIGEST_BITS | digest
    low = _VARIANT << _LOW_BITS | bits & ((1 << _LOW_BITS) - 1)
    digits = f"{match['number']:0>12}{_VERSION}{bits >> _LOW_BITS:03x}{low:016x}"
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def run_of_uuid(text: str) -> RunId | None:
    """Return the run that a UUID leads to, or None if it is not one of Roost's. The digest is the caller's to check."""
    digits = text.lower().replace("-", "")
    if not is_uuid(text) or not digits[:12].isdecimal() or digits[12] != _VERSION:
        return None
    low = int(digits[16:], 16)
    if low >> _LOW_BITS != _VARIANT:
        return None
    bits = int(digits[13:16], 16) << _LOW_BITS | low & ((1 << _LOW_BITS) - 1)
    letters = _letters_of(bits >> _DIGEST_BITS)
    number = digits[:12].lstrip("0")
    return RunId(f"{number}-{letters}") if number and letters else None


def is_uuid_of(text: str, task: TaskId) -> bool:
    return text.lower().replace("-", "") == uuid_of(task).replace("-", "")


def _number_of(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * len(_ALPHABET) + _ALPHABET.index(letter)
    return number


def _letters_of(number: int) -> str | None:
    """Return the letters; None if the number is larger than any that letters make."""
    letters = ""
    for _ in range(_LETTERS):
        number, which = divmod(number, len(_ALPHABET))
        letters = _ALPHABET[which] + letters
    return None if number else letters
