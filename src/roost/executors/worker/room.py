"""Room on the disk: whether something could not be kept only because there is none."""

import errno
import os
from pathlib import Path
from typing import Final

from roost.model.errors import Unavailable
from roost.model.limits import KIB

#: What a disk without room, or a user's quota without any, says.
_NO_ROOM: Final = (errno.ENOSPC, errno.EDQUOT)
#: A disk with less is full: what a program could not write was larger than this, or nearly so.
_FULL_BYTES: Final = 64 * KIB


class NoRoom(Unavailable):
    """An element ended, and what it left could not be kept for want of room: it has to be run again."""


def lacks_room(error: OSError) -> bool:
    return error.errno in _NO_ROOM


def is_full(folder: Path) -> bool:
    """Whether the disk of a folder has no room left for this user."""
    disk = os.statvfs(folder)
    free = disk.f_bfree if os.geteuid() == 0 else disk.f_bavail
    return free * disk.f_frsize < _FULL_BYTES
