"""Files that are kept under the hash of their content are looked at before they are used or given to others.

A file whose content is not what its name says is damaged: it is moved aside, and is missing from then on. Then another
node is asked for it (far/output.py).
"""

import logging
import os
import time
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path
from typing import Final

from roost.executors.worker.folder import HASH_BYTES
from roost.model.limits import KIB, MIB

#: What stands before the names of files that were found damaged.
ASIDE: Final = ".damaged-"
#: How long a file that was found sound is taken for sound. Longer: less reading where many elements share a file.
CHECKED_FOR_S: Final = 60.0
#: Smaller files are looked at without leaving the event loop, which takes as long as asking a thread.
QUICK_BYTES: Final = 64 * KIB
_CHECKED_MAX: Final = 10_000
_READ_BYTES: Final = MIB

log = logging.getLogger(__name__)


def has_right_content(path: Path) -> bool:
    """Whether a file has the content that its name is the hash of. Raise OSError if it cannot be read."""
    digest = blake2b(digest_size=HASH_BYTES)
    with path.open("rb") as file:
        while data := file.read(_READ_BYTES):
            digest.update(data)
    return digest.hexdigest() == path.name


class FileCheck:
    """``is_sound`` waits for the disk, so that it is asked in a thread of its own; the others answer at once."""

    def __init__(self, on_damage: Callable[[str], None] = lambda _: None) -> None:
        """``on_damage`` gets the name of a file that was found damaged, in whatever thread found it."""
        self._on_damage = on_damage
        self._checked: dict[Path, tuple[os.stat_result, float]] = {}

    def was_checked(self, path: Path) -> bool:
        """Whether the file was found sound a moment ago, and has not been touched since."""
        known = self._checked.get(path)
        if known is None or time.monotonic() - known[1] > CHECKED_FOR_S:
            return False
        try:
            return _is_same(path.stat(), known[0])
        except OSError:
            return False

    def is_sound_for_sure(self, path: Path) -> bool:
        """Whether it is known, or can be found out in no time, that the file is sound."""
        try:
            return self.was_checked(path) or (path.stat().st_size <= QUICK_BYTES and self.is_sound(path))
        except OSError:
            return False

    def is_sound(self, path: Path) -> bool:
        """Whether the file is there and sound; a damaged one is moved aside."""
        if self.was_checked(path):
            return True
        try:
            found = path.stat()
            if not has_right_content(path):
                aside = path.with_name(f"{ASIDE}{path.name}")
                path.replace(aside)
                log.error("the file %s was damaged, and is %s now; another node that has it gives it", path, aside)
                self._on_damage(path.name)
                return False
        except FileNotFoundError:
            return False
        self._note(path, found)
        return True

    def was_made(self, path: Path) -> None:
        """The file has just appeared, and its content was looked at before it did."""
        self._note(path, path.stat())

    def _note(self, path: Path, found: os.stat_result) -> None:
        self._checked.pop(path, None)
        self._checked[path] = (found, time.monotonic())
        while len(self._checked) > _CHECKED_MAX:
            del self._checked[next(iter(self._checked))]


def _is_same(one: os.stat_result, other: os.stat_result) -> bool:
    return (one.st_ino, one.st_size, one.st_mtime_ns) == (other.st_ino, other.st_size, other.st_mtime_ns)
