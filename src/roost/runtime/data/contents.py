"""Contents: the files of this node that are kept under their hashes. One way to bring one, and to give it to others.

Rules
- A content that several want at a time is brought once, and whoever loses patience does not take it from the others.
  CONTENT_TRANSFERS_MAX are brought at a time; further ones wait.
- What did not come whole is gone on with when it is wanted again, by this life of the node or by the next.
- What nodes do not agree on they are asked to look at. Then it is brought from each of them alone, until the hash of
  the whole is right.
- A content that is here is looked at before it is used; a damaged one is brought as if it were not here. Others get
  nothing of one of a single chunk before it was looked at. A larger one they check themselves, and ask that it be
  looked at if something is wrong.
"""

import asyncio
import errno
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple, Protocol, TypeVar

from roost.executors.places import Places
from roost.executors.worker.room import lacks_room
from roost.model.ids import NodeId
from roost.model.limits import (
    CONTENT_CHUNK_BYTES,
    CONTENT_CHUNKS_MAX,
    CONTENT_THREADS_MAX,
    CONTENT_TRANSFERS_MAX,
)
from roost.runtime.data.chunks import read_chunk, read_hashes, read_part
from roost.runtime.data.file_check import FileCheck
from roost.runtime.data.partial import Partial
from roost.runtime.data.transfer import Carry, HasIt, Transfer
from roost.wire.content import NOT_HERE, ChunkOf, Given, HashesOf

T = TypeVar("T")


class Asks(Protocol):
    """Asks a node whether it has a content; ``look``: whether it looks at it first."""

    def __call__(self, node: NodeId, /, *, look: bool) -> Awaitable[bool]: ...


class _Brought(NamedTuple):
    """What became of an attempt: where the content is; else who has it, and whether they do not agree on what it is."""

    path: Path | None
    holders: Sequence[NodeId] = ()
    is_disputed: bool = False


class Contents:
    """Make one inside a running loop, ``close`` it."""

    def __init__(self, places: Places, carry: Carry) -> None:
        self._places = places
        self._carry = carry
        self._check = FileCheck(self._was_damaged)
        #: Hears which content was damaged here, and is not here any more; in whatever thread found it.
        self.on_damage: Callable[[str], None] = lambda _: None
        self._pool = ThreadPoolExecutor(CONTENT_THREADS_MAX, thread_name_prefix="content")
        self._turns = asyncio.Semaphore(CONTENT_TRANSFERS_MAX)
        self._coming: dict[str, asyncio.Task[Path | None]] = {}
        self._transfers: dict[str, Transfer] = {}

    async def close(self) -> None:
        """End all transfers; what has come of them stays for the next life."""
        ending = list(self._coming.values())
        for task in ending:
            task.cancel()
        await asyncio.gather(*ending, return_exceptions=True)
        self._pool.shutdown(wait=False, cancel_futures=True)

    # Having.

    def is_sound_for_sure(self, content: str) -> bool:
        """Whether a content is here and sound for sure; a large one has to be looked at first (``here``)."""
        return self._check.is_sound_for_sure(self._places.blob_path(content))

    async def here(self, content: str) -> Path | None:
        """Return where a content is, if it is here and sound."""
        path = self._places.blob_path(content)
        if self._check.was_checked(path) or await self._in_thread(self._check.is_sound, path):
            return path
        return None

    def size_of(self, content: str) -> int | None:
        """Return the size of a content that is here, looked at or not."""
        try:
            return self._places.blob_path(content).stat().st_size
        except OSError:
            return None

    def _was_damaged(self, content: str) -> None:
        self.on_damage(content)

    # Wanting.

    async def want(self, content: str, size: int, nodes: Sequence[NodeId], has_it: Asks) -> Path | None:
        """Return where a content is; bring it first from those of the nodes that have it. None if they do not give it.

        Raise OSError if this disk refuses it.
        """
        path = await self.here(content)
        if path is not None:
            return path
        coming = self._coming.get(content)
        if coming is None:
            coming = self._coming[content] = asyncio.create_task(self._bring(content, size, nodes, has_it))
            coming.add_done_callback(lambda ended: self._came(content, ended))
        return await asyncio.shield(coming)

    def bytes_here(self, content: str) -> int:
        """Return how much has come of a content that is on its way."""
        transfer = self._transfers.get(content)
        return 0 if transfer is None else transfer.bytes_here

    def _came(self, content: str, ended: "asyncio.Task[Path | None]") -> None:
        del self._coming[content]
        if not ended.cancelled():
            # Those who wait are told; if nobody does any more, that is no error of the node's.
            ended.exception()

    async def _bring(self, content: str, size: int, nodes: Sequence[NodeId], has_it: Asks) -> Path | None:
        if size > CONTENT_CHUNKS_MAX * CONTENT_CHUNK_BYTES:
            raise OSError(errno.EFBIG, "it is too large")
        async with self._turns:
            together = await self._bring_from(nodes, content, size, partial(has_it, look=False))
            if together.path is not None or not together.is_disputed:
                return together.path
            for node in together.holders:
                alone = await self._bring_from([node], content, size, partial(has_it, look=True))
                if alone.path is not None:
                    return alone.path
        return None

    async def _bring_from(self, nodes: Sequence[NodeId], content: str, size: int, has_it: HasIt) -> _Brought:
        """Bring a content from some nodes, as far as they give it and agree on it."""
        target = self._places.blob_path(content)
        with await self._in_thread(Partial, target, size) as draft:
            transfer = self._transfers[content] = Transfer(content, size, draft, self._carry, self._in_thread)
            try:
                is_whole = await transfer.bring(nodes, has_it)
                if is_whole and await self._in_thread(draft.keep):
                    self._check.was_made(target)
                    return _Brought(target)
                if is_whole or draft.is_empty:
                    draft.discard()
                return _Brought(None, transfer.holders, is_whole or transfer.is_disputed)
            except OSError as error:
                if lacks_room(error):
                    draft.discard()
                raise
            finally:
                del self._transfers[content]

    # Giving.

    async def give(self, question: HashesOf | ChunkOf) -> Given:
        """Return what another node asks for of a content."""
        path, size = self._places.blob_path(question.content), self.size_of(question.content)
        if size is None:
            return NOT_HERE
        if size <= CONTENT_CHUNK_BYTES and not await self.here(question.content):
            return NOT_HERE
        if isinstance(question, HashesOf):
            return await self._in_thread(read_hashes, path, question.first)
        return await self._in_thread(read_chunk, path, question.index)

    async def give_part(self, path: Path, offset: int) -> Given:
        """Return what a file, which may still grow, has from a place on."""
        return await self._in_thread(read_part, path, offset)

    def _in_thread(self, do: Callable[..., T], /, *args: object) -> Awaitable[T]:
        return asyncio.get_running_loop().run_in_executor(self._pool, do, *args)
