"""Nodes that have a content, as a transfer sees them, and all that can be wrong with them."""

import asyncio
from collections.abc import Awaitable, Callable
from hashlib import blake2b
from pathlib import Path
from random import Random

from roost.model.errors import Unavailable
from roost.model.ids import NodeId
from roost.model.limits import CONTENT_CHUNK_BYTES
from roost.runtime.data.chunks import chunk_hash, chunk_length, read_chunk, read_hashes
from roost.wire.content import NOT_HERE, ChunkOf, ContentQuestion, Given, HashesOf

ELM, FIR, OAK = NodeId("elm"), NodeId("fir"), NodeId("oak")
#: Changes, delays or refuses an answer.
Fault = Callable[[ContentQuestion, Given], Awaitable[Given]]


def some_content(chunks: float, seed: int = 1) -> bytes:
    return Random(seed).randbytes(int(chunks * CONTENT_CHUNK_BYTES))


def name_of(content: bytes) -> str:
    return blake2b(content, digest_size=16).hexdigest()


class Supply:
    """``carry`` is what a transfer asks by."""

    def __init__(self, folder: Path, content: bytes) -> None:
        self._file = folder / "given"
        self._file.write_bytes(content)
        self._faults: dict[NodeId, Fault | None] = {}
        self.asked: list[tuple[NodeId, ContentQuestion]] = []
        #: Nodes that were asked to look at it.
        self.looked: set[NodeId] = set()

    def has(self, node: NodeId, fault: Fault | None = None) -> None:
        self._faults[node] = fault

    def lacks(self, node: NodeId) -> None:
        del self._faults[node]

    async def has_it(self, node: NodeId, /, *, look: bool = False) -> bool:
        self.looked |= {node} if look else set()
        return node in self._faults

    async def carry(self, node: NodeId, question: ContentQuestion) -> Given:
        self.asked.append((node, question))
        await asyncio.sleep(0)
        if node not in self._faults:
            raise Unavailable(f"{node} is gone")
        given = self._answer(question)
        fault = self._faults[node]
        return given if fault is None else await fault(question, given)

    def _answer(self, question: ContentQuestion) -> Given:
        match question:
            case HashesOf(first=first):
                return read_hashes(self._file, first)
            case ChunkOf(index=index):
                return read_chunk(self._file, index)
            case _:
                return NOT_HERE

    def chunks_of(self, node: NodeId) -> list[int]:
        """Return which chunks a node was asked for."""
        return [question.index for who, question in self.asked if who == node and isinstance(question, ChunkOf)]

    def dies_after(self, node: NodeId, chunks: int) -> Fault:
        """Give so many chunks, and be gone."""

        gave = 0

        async def fault(question: ContentQuestion, given: Given) -> Given:
            nonlocal gave
            gave += isinstance(question, ChunkOf)
            if gave > chunks:
                raise Unavailable(f"{node} died")
            return given

        return fault


async def stalls(question: ContentQuestion, given: Given) -> Given:
    """Tell the hashes, and never give a chunk."""
    if isinstance(question, ChunkOf):
        await asyncio.Event().wait()
    return given


def slow(delay_s: float) -> Fault:
    async def fault(question: ContentQuestion, given: Given) -> Given:
        await asyncio.sleep(delay_s)
        return given

    return fault


def wrong_at(*indices: int) -> Fault:
    """Give something else instead of these chunks."""

    async def fault(question: ContentQuestion, given: Given) -> Given:
        if isinstance(question, ChunkOf) and question.index in indices:
            return Given(given.size, bytes(len(given.body)))
        return given

    return fault


async def too_much(question: ContentQuestion, given: Given) -> Given:
    return Given(given.size, bytes(given.body) + b"x")


async def too_little(question: ContentQuestion, given: Given) -> Given:
    return Given(given.size, bytes(given.body)[:-1])


async def another_size(question: ContentQuestion, given: Given) -> Given:
    return Given((given.size or 0) + 1, given.body)


async def wrong_hashes(question: ContentQuestion, given: Given) -> Given:
    """Have something else, whole and with its own hashes: zeros."""
    if isinstance(question, ChunkOf):
        return Given(given.size, bytes(len(given.body)))
    assert isinstance(question, HashesOf)
    size, first = given.size or 0, question.first
    lengths = [chunk_length(size, index) for index in range(first, first + len(given.body) // 32)]
    return Given(size, b"".join(chunk_hash(bytes(length)) for length in lengths))
