"""A content of which chunks come in any order: it appears under its hash whole and on disk, or not at all.

Rules
- What has come is in a file beside, which stays if not all of it came. What is right of that is found out by the hashes
  of its chunks, so that no map of it can be wrong: what a power cut took is missing, and nothing else.
- A chunk with another hash is not written. The hash of the whole is made of what the disk gives back, from the
  beginning on, by whoever writes while nobody else does it.
- All methods wait for the disk, and may be called from several threads; after ``close`` they change nothing.
"""

import errno
import os
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Final, Self

from roost.executors.worker.folder import HASH_BYTES
from roost.model.limits import CONTENT_CHUNK_BYTES, MIB
from roost.runtime.data.chunks import chunk_count, chunk_hash, chunk_length

#: What stands before the names of contents of which parts have come.
PARTIAL: Final = ".partial-"
#: After so many bytes the disk is asked to write what has come, so that little is left to be written at the end.
_SYNC_BYTES: Final = 64 * MIB


class Partial:
    """Use it in a ``with``."""

    def __init__(self, target: Path, size: int) -> None:
        """Open what has come of ``target`` before. Raise OSError if there is no room for the rest."""
        self._target = target
        self._size = size
        self._path = target.with_name(f"{PARTIAL}{target.name}")
        self._descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        self._lock, self._front_lock = Lock(), Lock()
        self._closed = False
        self._here = bytearray(chunk_count(size))
        self._digest = blake2b(digest_size=HASH_BYTES)
        self._front = 0
        try:
            self._begun = self._make_room()
        except OSError:
            os.close(self._descriptor)
            self._path.unlink()
            raise

    def _make_room(self) -> int:
        found = os.fstat(self._descriptor)
        if found.st_size > self._size:
            os.ftruncate(self._descriptor, self._size)
        disk = os.fstatvfs(self._descriptor)
        if self._size - found.st_blocks * 512 > disk.f_bavail * disk.f_frsize:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return min(found.st_size, self._size)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def is_empty(self) -> bool:
        """Whether nothing has come, neither now nor before."""
        return not self._begun and not any(self._here)

    def find(self, first: int, hashes: Sequence[bytes]) -> set[int]:
        """Return which of some chunks came before and are right."""
        found = set()
        for index, expected in enumerate(hashes, first):
            if index * CONTENT_CHUNK_BYTES >= self._begun:
                break
            chunk = self._read(index)
            if len(chunk) == chunk_length(self._size, index) and chunk_hash(chunk) == expected:
                self._here[index] = True
                found.add(index)
        return found

    def write(self, index: int, chunk: bytes | bytearray, expected: bytes) -> bool:
        """Keep a chunk that has the right length and hash; return whether it has."""
        if len(chunk) != chunk_length(self._size, index) or not self._is_right(chunk, expected):
            return False
        with self._lock:
            if self._closed:
                return False
            view = memoryview(chunk)
            at = index * CONTENT_CHUNK_BYTES
            while view:
                written = os.pwrite(self._descriptor, view, at)
                view, at = view[written:], at + written
            self._here[index] = True
        if self._front_lock.acquire(blocking=False):
            try:
                self._follow()
            finally:
                self._front_lock.release()
        return True

    def _is_right(self, chunk: bytes | bytearray, expected: bytes) -> bool:
        if len(self._here) == 1:
            # The only chunk is the whole, whose hash everybody knows.
            return blake2b(chunk, digest_size=HASH_BYTES).hexdigest() == self._target.name
        return chunk_hash(chunk) == expected

    def _follow(self) -> None:
        """Add to the hash of the whole what has come next to it. One thread at a time does."""
        while self._front < len(self._here) and self._here[self._front]:
            chunk = self._read(self._front)
            if len(chunk) != chunk_length(self._size, self._front):
                return
            self._digest.update(chunk)
            self._front += 1
            if self._front * CONTENT_CHUNK_BYTES % _SYNC_BYTES == 0:
                self._sync()

    def _sync(self) -> bool:
        """Have the disk write what has come; return False if all is over."""
        with self._lock:
            if self._closed:
                return False
            # A copy, so that nobody who writes has to wait.
            descriptor = os.dup(self._descriptor)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        return True

    def _read(self, index: int) -> bytes:
        """Return a chunk; nothing, if all is over."""
        with self._lock:
            if self._closed:
                return b""
            return os.pread(self._descriptor, CONTENT_CHUNK_BYTES, index * CONTENT_CHUNK_BYTES)

    def keep(self) -> bool:
        """Let the content appear, if all of it is here and has the hash that is its name; return whether it does."""
        with self._front_lock:
            self._follow()
        if self._front < len(self._here) or self._digest.hexdigest() != self._target.name:
            return False
        if not self._sync():
            return False
        self._path.chmod(0o444)
        self._path.replace(self._target)
        return True

    def discard(self) -> None:
        """Leave nothing of it for another time."""
        self._path.unlink(missing_ok=True)

    def close(self) -> None:
        with self._lock:
            if not self._closed:
                self._closed = True
                os.close(self._descriptor)
