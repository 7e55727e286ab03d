"""A file that comes in pieces: it appears under its hash whole and on disk, or not at all."""

import os
from hashlib import blake2b
from pathlib import Path
from types import TracebackType
from typing import Self

from roost.executors.worker.folder import HASH_BYTES


class Incoming:
    """Use it in a ``with``: what was not kept by its end is removed. All methods wait for the disk."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / f".incoming-{os.getpid()}-{os.urandom(8).hex()}"
        self._digest = blake2b(digest_size=HASH_BYTES)
        self._file = self._path.open("xb")
        self.size = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()
        self._path.unlink(missing_ok=True)

    def write(self, piece: bytes) -> None:
        self._file.write(piece)
        self._digest.update(piece)
        self.size += len(piece)

    def keep(self, target: Path) -> bool:
        """Let it appear as ``target`` if its content has the hash that is the target's name; return whether it has."""
        if self._digest.hexdigest() != target.name:
            return False
        self._file.flush()
        os.fsync(self._file.fileno())
        self._path.chmod(0o444)
        self._path.replace(target)
        return True
