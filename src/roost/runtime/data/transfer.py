"""A transfer: one content comes from all nodes that have it, at once.

Rules
- Every node that may have it is asked whether it does, CONTENT_SOURCES_MAX at a time. Each that has it is asked for
  CONTENT_WINDOW_CHUNKS chunks at a time, in their order; so a quick one gives more than a slow one.
- What hashes chunks have to have, the first that is free is asked, a little ahead of those that are wanted.
- When nothing is left to ask for, a chunk that does not come for OVERDUE_S is asked for elsewhere, too; whichever comes
  first counts.
- A chunk with a wrong hash is missing, and is not asked for there again. A node that breaks off, stalls, no longer has
  the content, or gave WRONG_MAX wrong chunks is done with. What it was asked for others give.
- If hashes were wrong, what others give looks wrong, or the whole has another hash. Then nobody knows whose they were,
  and each node has to be asked alone (contents.py).
"""

import asyncio
from bisect import insort
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import suppress
from typing import Final, Protocol, TypeVar

from roost.model.errors import RoostError
from roost.model.ids import NodeId
from roost.model.limits import CONTENT_CHUNK_BYTES, CONTENT_LISTED_CHUNKS, CONTENT_SOURCES_MAX, CONTENT_WINDOW_CHUNKS
from roost.runtime.data.chunks import chunk_count
from roost.runtime.data.partial import Partial
from roost.wire.content import CHUNK_HASH_BYTES, NOT_HERE, ChunkOf, ContentQuestion, Given, HashesOf

#: How long a chunk may be on its way before another node is asked for it, too.
OVERDUE_S: Final = 1.0
#: After so many wrong chunks a node is not asked any more.
WRONG_MAX: Final = 3
#: When fewer chunks than these can be asked for, hashes of further ones are.
_AHEAD_CHUNKS: Final = CONTENT_LISTED_CHUNKS // 2

T = TypeVar("T")
#: Asks a node over a content stream. Raises a RoostError if no answer can be had.
Carry = Callable[[NodeId, ContentQuestion], Awaitable[Given]]
#: Tells whether a node has the content, as far as it says so.
HasIt = Callable[[NodeId], Awaitable[bool]]


class InThread(Protocol):
    """Does what waits for the disk in a thread."""

    def __call__(self, do: Callable[..., T], /, *args: object) -> Awaitable[T]: ...


class _Source:
    """A node that has the content."""

    def __init__(self, node: NodeId) -> None:
        self.node = node
        #: Whether nothing more is to be had of it.
        self.gone = False
        #: Chunks that were wrong.
        self.wrong: set[int] = set()


class Transfer:
    """Make one inside a running loop; ``bring`` once."""

    def __init__(self, content: str, size: int, partial: Partial, carry: Carry, in_thread: InThread) -> None:
        self.size = size
        #: Nodes that said that they have it, and whether one of them gave a chunk that is not what its hash says.
        self.holders: list[NodeId] = []
        self.is_disputed = False
        self._content = content
        self._partial = partial
        self._carry = carry
        self._in_thread = in_thread
        self._count = self._missing = chunk_count(size)
        #: The hashes of the first chunks.
        self._hashes: list[bytes] = [] if self._count > 1 else [b""]
        self._here: set[int] = set()
        #: Chunks with known hashes that nobody is asked for, in order; and those on their way: from whom, since when.
        self._unasked: list[int] = list(range(len(self._hashes)))
        self._coming: dict[int, dict[_Source, float]] = {}
        self._listing = asyncio.Lock()
        self._turns = asyncio.Semaphore(CONTENT_SOURCES_MAX)
        self._changed = asyncio.Event()
        self._over: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    @property
    def bytes_here(self) -> int:
        return min(len(self._here) * CONTENT_CHUNK_BYTES, self.size)

    async def bring(self, nodes: Sequence[NodeId], has_it: HasIt) -> bool:
        """Bring what is missing; return whether all of it came. Raise OSError if this disk refuses it."""
        drawing = asyncio.create_task(self._draw(nodes, has_it))
        try:
            await asyncio.wait((self._over, drawing), return_when=asyncio.FIRST_COMPLETED)
            if self._over.done():
                self._over.result()
            else:
                drawing.result()
            return not self._missing
        finally:
            drawing.cancel()
            await asyncio.gather(drawing, return_exceptions=True)

    async def _draw(self, nodes: Sequence[NodeId], has_it: HasIt) -> None:
        async with asyncio.TaskGroup() as group:
            for node in nodes:
                group.create_task(self._draw_from(_Source(node), has_it))

    async def _draw_from(self, source: _Source, has_it: HasIt) -> None:
        async with self._turns:
            if not await has_it(source.node):
                return
            self.holders.append(source.node)
            async with asyncio.TaskGroup() as group:
                for _ in range(min(CONTENT_WINDOW_CHUNKS, self._count)):
                    group.create_task(self._ask_on(source))

    async def _ask_on(self, source: _Source) -> None:
        """Ask a node for one chunk after the other, for as long as there is something that it can be asked for."""
        try:
            while (index := await self._next(source)) is not None:
                await self._bring_chunk(source, index)
        except OSError as error:
            if not self._over.done():
                self._over.set_exception(error)

    async def _next(self, source: _Source) -> int | None:
        """Return a chunk to ask a node for; wait while others may yet fail to give theirs. None: nothing is left."""
        while self._missing and not source.gone:
            if self._is_short() and not self._listing.locked():
                await self._list(source)
                continue
            index = next((index for index in self._unasked if index not in source.wrong), None)
            if index is not None:
                self._unasked.remove(index)
                return index
            if len(self._hashes) == self._count:
                index = next(self._overdue(source), None)
                if index is not None:
                    return index
                if not self._hopes(source):
                    return None
            await self._change()
        return None

    def _is_short(self) -> bool:
        return len(self._hashes) < self._count and len(self._unasked) < _AHEAD_CHUNKS

    def _overdue(self, source: _Source) -> Iterator[int]:
        """Yield chunks that one other node was asked for long ago."""
        now = asyncio.get_running_loop().time()
        for index, askers in self._coming.items():
            since = next(iter(askers.values()))
            is_mine = index in source.wrong or source in askers
            if not is_mine and len(askers) == 1 and now - since >= OVERDUE_S:
                yield index

    def _hopes(self, source: _Source) -> bool:
        """Whether a node may have to be asked for something that is on its way from another."""
        return any(index not in source.wrong for index in self._coming)

    async def _change(self) -> None:
        """Wait until something has changed, or may be overdue."""
        with suppress(TimeoutError):
            async with asyncio.timeout(OVERDUE_S / 2):
                await self._changed.wait()

    def _tell(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    async def _list(self, source: _Source) -> None:
        """Learn what hashes the next chunks have to have, and which of them are here already."""
        async with self._listing:
            first = len(self._hashes)
            given = await self._ask(source, HashesOf(self._content, first))
            expected = min(CONTENT_LISTED_CHUNKS, self._count - first) * CHUNK_HASH_BYTES
            if given.size != self.size or len(given.body) != expected:
                source.gone = True
                self._tell()
                return
            body = bytes(given.body)
            hashes = [body[at : at + CHUNK_HASH_BYTES] for at in range(0, expected, CHUNK_HASH_BYTES)]
            found = await self._in_thread(self._partial.find, first, hashes)
            self._hashes += hashes
            for index in range(first, len(self._hashes)):
                if index in found:
                    self._note(index)
                else:
                    self._unasked.append(index)
            self._tell()

    async def _bring_chunk(self, source: _Source, index: int) -> None:
        self._coming.setdefault(index, {})[source] = asyncio.get_running_loop().time()
        try:
            given = await self._ask(source, ChunkOf(self._content, index))
            if given.size is None or index in self._here:
                return
            if given.size == self.size and await self._in_thread(
                self._partial.write, index, given.body, self._hashes[index]
            ):
                self._note(index)
            else:
                source.wrong.add(index)
                self.is_disputed = True
                if len(source.wrong) >= WRONG_MAX:
                    source.gone = True
        finally:
            askers = self._coming[index]
            del askers[source]
            if not askers:
                del self._coming[index]
                if index not in self._here:
                    insort(self._unasked, index)
            self._tell()

    async def _ask(self, source: _Source, question: ContentQuestion) -> Given:
        """Ask a node; one that does not answer, or does not have the content any more, is done with."""
        try:
            given = await self._carry(source.node, question)
        except RoostError:
            given = NOT_HERE
        if given.size is None:
            source.gone = True
        return given

    def _note(self, index: int) -> None:
        """A chunk is here."""
        if index not in self._here:
            self._here.add(index)
            self._missing -= 1
            if not self._missing and not self._over.done():
                self._over.set_result(None)
