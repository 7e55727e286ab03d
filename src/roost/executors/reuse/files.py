"""Files that a description names count with their content, programs that are found on the PATH with size and time.

Hashing is cheap next to running something: a file is read once and then known by what the system says of it. The
content of large files is not read, because the node would stand still for it; their size and their last change count.
"""

import os
import re
import shutil
import stat
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

from roost.executors.reuse.entries import digest
from roost.model.limits import REUSE_CONTENT_BYTES_MAX, REUSE_FOLDER_FILES_MAX

#: What separates words in the text of a shell, and names from values ("--config=a.toml").
_BETWEEN: Final = re.compile(r"[\s'\"();|&<>`=,:]+")
_WORD_LENGTH_MAX: Final = 1024
_WORDS_MAX: Final = 1000
_KNOWN_MAX: Final = 16_384
#: Programs see their element's index in this variable, if they look.
INDEX_VARIABLE: Final = b"ROOST_INDEX"

_Signature: TypeAlias = tuple[int, int, int, int]


class TooManyFiles(Exception):
    """A folder holds more than is looked at for each element."""


class _Known(NamedTuple):
    signature: _Signature
    digest: bytes
    asks_index: bool


class Files:
    """What files hold, as far as keys are concerned."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, _Known] = OrderedDict()

    def digest(self, path: str) -> bytes | None:
        """Return the digest of a file, or of what lies in a folder; None if there is neither."""
        try:
            status = os.stat(path)  # noqa: PTH116 -- for every word of every element
        except (OSError, ValueError):
            return None
        return _folder_digest(path) if stat.S_ISDIR(status.st_mode) else self._of_file(path, status)

    def file_digest(self, path: str) -> bytes | None:
        """Return the digest of a file; None if there is none."""
        try:
            return self._of_file(path, Path(path).stat())
        except (OSError, ValueError):
            return None

    def _of_file(self, path: str, status: os.stat_result) -> bytes | None:
        known = self._look_at(path, status) if stat.S_ISREG(status.st_mode) else None
        return None if known is None else known.digest

    def is_still(self, path: str, before: bytes | None) -> bool:
        """Whether a file holds what it held before; None: whether it is still not there."""
        try:
            return self.digest(path) == before
        except TooManyFiles:
            return False

    def asks_index(self, path: str) -> bool:
        """Whether a file that was just digested names the variable that holds an element's index."""
        known = self._known.get(path)
        return known is not None and known.asks_index

    def _look_at(self, path: str, status: os.stat_result) -> _Known | None:
        signature = (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
        known = self._known.get(path)
        if known is not None and known.signature == signature:
            return known
        known = _read(path, signature)
        if known is not None:
            self._known[path] = known
            if len(self._known) > _KNOWN_MAX:
                self._known.popitem(last=False)
        return known


def _read(path: str, signature: _Signature) -> _Known | None:
    size, changed, _, _ = signature
    if size > REUSE_CONTENT_BYTES_MAX:
        return _Known(signature, digest(b"large", str(size).encode(), str(changed).encode()), asks_index=False)
    try:
        content = Path(path).read_bytes()
    except OSError:
        return None
    return _Known(signature, digest(b"content", content), INDEX_VARIABLE in content)


def _folder_digest(path: str) -> bytes:
    """Digest the names, sizes and last changes of all that lies in a folder."""
    found: list[bytes] = []
    for folder, folders, names in os.walk(path):
        folders.sort()
        for name in sorted(names):
            place = Path(folder, name)
            try:
                status = place.lstat()
            except OSError:
                continue
            shown = os.fsencode(place.relative_to(path))
            found += (shown, str(status.st_size).encode(), str(status.st_mtime_ns).encode())
            if len(found) > 3 * REUSE_FOLDER_FILES_MAX:
                raise TooManyFiles(path)
    return digest(b"folder", *found)


def candidates(words: Iterable[str]) -> Iterator[str]:
    """Yield what may name a file in the words of a command: each word, and those in the text of a shell."""
    for word in dict.fromkeys([part for text in words for part in (text, *_parts_of(text))]):
        if word and len(word) <= _WORD_LENGTH_MAX and "\0" not in word and not word.startswith("-"):
            yield word


@lru_cache(maxsize=1024)
def _parts_of(word: str) -> tuple[str, ...]:
    return tuple(_BETWEEN.split(word, _WORDS_MAX)[:_WORDS_MAX])


def program_digest(name: str, search: str) -> bytes:
    """Digest where a program is found on the PATH, its size and its last change; its content may be large."""
    found = shutil.which(name, path=search)
    try:
        status = None if found is None else Path(found).stat()
    except OSError:
        status = None
    if found is None or status is None:
        return digest(b"absent")
    return digest(os.fsencode(found), str(status.st_size).encode(), str(status.st_mtime_ns).encode())
