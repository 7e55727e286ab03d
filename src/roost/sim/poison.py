"""Poison: elements that kill the node on which they run, soon after they have begun there, each time.

Which ones do is decided by their names, so that everybody who looks on knows it (checkers/poison_only.py).
"""

from typing import Final
from zlib import crc32

import msgspec

from roost.model.ids import LeaseId, TaskId

#: How long after its start it happens at the latest: far less than what counts as just begun.
SOON_S: Final = 3.0
_ALL: Final = 2**32


class Kill(msgspec.Struct, frozen=True):
    """An element kills its node now, if it still runs."""

    lease: LeaseId
    index: int


def is_poison(task: TaskId, index: int, share: float) -> bool:
    """Whether an element is one of those that kill, of which there is this share."""
    return crc32(f"{task}[{index}]/poison".encode()) < share * _ALL
