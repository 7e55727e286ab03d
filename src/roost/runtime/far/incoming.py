"""A file that comes in pieces: it appears under its hash whole and on disk, or not at all."""

import asyncio
import os
from collections.abc import AsyncIterator
from hashlib import blake2b
from pathlib import Path
from types import TracebackType
from typing import Self

from roost.executors.worker.folder import HASH_BYTES
from roost.model.errors import InvalidInput, Unavailable
from roost.model.resources import format_size


async def take_in(folder: Path, pieces: AsyncIterator[bytes], bytes_max: int) -> tuple[str, int]:
    """Keep a file that is handed in, under the hash of its content; return the hash, and the size.

    Raise InvalidInput if it is larger than ``bytes_max``, and Unavailable if the disk refuses it.
    """
    try:
        with await asyncio.to_thread(Incoming, folder) as incoming:
            async for piece in pieces:
                if incoming.size + len(piece) > bytes_max:
                    raise InvalidInput(
                        f"the file is larger than {format_size(bytes_max)}, the most that can be handed in"
                    )
                await asyncio.to_thread(incoming.write, piece)
            await asyncio.to_thread(incoming.keep, folder / incoming.content)
            return incoming.content, incoming.size
    except OSError as error:
        raise Unavailable(f"the file cannot be kept here: {error.strerror or error}") from error


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

    @property
    def content(self) -> str:
        """The hash of what has come."""
        return self._digest.hexdigest()

    def keep(self, target: Path) -> bool:
        """Let it appear as ``target`` if its content has the hash that is the target's name; return whether it has."""
        if self.content != target.name:
            return False
        self._file.flush()
        os.fsync(self._file.fileno())
        self._path.chmod(0o444)
        self._path.replace(target)
        return True
