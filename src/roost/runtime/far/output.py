"""Output of elements that ran elsewhere: logs are read where they are, files are brought here for good.

Rules
- A log is where its element ran last. What somebody cancelled, or tried again, does not say where that was: then all
  are asked, and the longest counts.
- A file is brought from all nodes that have it (data/contents.py). Which those are, they are asked: first those that
  are likely to have it (whom.py).
"""

import asyncio
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from roost.core.node import Node
from roost.executors.places import Places
from roost.executors.worker.room import lacks_room
from roost.model.errors import Damaged, NotFound, RoostError, Unavailable
from roost.model.ids import NodeId, RunId, TaskId, name_of, run_of
from roost.model.paths import shown_in
from roost.model.resources import format_size
from roost.model.states import Absent, Cancelled, Retried
from roost.runtime.data.contents import Contents
from roost.runtime.data.shelf import Shelf
from roost.runtime.data.transfer import Carry
from roost.runtime.far.inquiries import Inquiries
from roost.runtime.far.whom import away, whom_to_ask
from roost.wire.content import Given, LogPart
from roost.wire.messages import HaveContent, HaveLog, OutputStream


class NoRoomHere(Unavailable):
    """The disk of this node is full."""


class Piece(NamedTuple):
    """A part of a log, and the size that the whole has now."""

    content: bytes
    size: int


class FarOutput:
    def __init__(
        self, node: Node, places: Places, shelf: Shelf, inquiries: Inquiries, contents: Contents, carry: Carry
    ) -> None:
        self._node = node
        self._places = places
        self._shelf = shelf
        self._inquiries = inquiries
        self._contents = contents
        #: Asks a node for a part of a log.
        self.log_part = carry

    async def log(self, task: TaskId, index: int, stream: OutputStream, offset: int) -> Piece | None:
        """Return what an element wrote, from a place on; None if there is no log of it.

        Raise Unavailable if the node that has it is away.
        """
        state = self._shelf.state(task, index)
        if state is None or isinstance(state, Absent):
            return None
        part = LogPart(task, index, stream, offset)
        if isinstance(state, Cancelled | Retried):
            return await self._wherever(part)
        if state.node == self._node.name:
            return await self._here(part)
        is_there = state.node in self._node.peers.others
        try:
            if is_there:
                return piece_of(await self.log_part(state.node, part))
        except Unavailable:
            pass
        where = "does not answer" if is_there else "is away"
        path = shown_in(self._shelf.spec(task), index)
        raise Unavailable(
            f"what element {path} of task '{name_of(task)}' of run {run_of(task)} wrote is on {state.node}, "
            f"which {where}; ask again later"
        )

    async def _here(self, part: LogPart) -> Piece | None:
        path = self._places.log_path(part.task, part.index, part.stream)
        return piece_of(await self._contents.give_part(path, part.offset))

    async def _wherever(self, part: LogPart) -> Piece | None:
        piece = await self._here(part)
        others, question = self._node.peers.others, HaveLog(part.task, part.index, part.stream)
        if piece is not None or not others:
            return piece
        sizes = await asyncio.gather(*(self._size_at(node, question) for node in others))
        longest, size = max(zip(others, sizes, strict=True), key=lambda found: -1 if found[1] is None else found[1])
        return None if size is None else piece_of(await self.log_part(longest, part))

    async def _size_at(self, node: NodeId, question: HaveLog | HaveContent) -> int | None:
        """Return how much a node has of something; None if it has none, or does not say."""
        try:
            told = await self._inquiries.ask(node, question)
        except RoostError:
            return None
        return None if told is None else told.size

    def has_file(self, content: str) -> bool:
        """Whether a file is here and sound for sure; a large one has to be looked at first (``file``)."""
        return self._contents.is_sound_for_sure(content)

    async def file(
        self, content: str, size: int, run: RunId, makers: Iterable[NodeId], patience_s: float | None = None
    ) -> Path:
        """Return where a file is; bring it here first if it is not, or damaged.

        Raise Unavailable if nobody has it, or if it takes longer than ``patience_s``; it comes nevertheless.
        """
        likely = list(makers)
        try:
            async with asyncio.timeout(patience_s):
                path = await self._want(content, size, whom_to_ask(likely, run, self._node.peers.others))
        except TimeoutError:
            came = f"{format_size(self.bytes_here(content))} of {format_size(size)} have come"
            raise Unavailable(f"the file with the content {content} is on its way here, {came}; ask again") from None
        if path is None:
            if not likely:
                raise NotFound(f"no file with the content {content} is kept here, or on another node that is there")
            if likely[0] == self._node.name:
                raise Damaged(f"the file with the content {content} was damaged on this disk, and no other node has it")
            raise Unavailable(f"the file with the content {content} {away(likely[0], self._node.peers.others)}")
        return path

    def size_here(self, content: str) -> int | None:
        """Return the size of a file that is here, looked at or not."""
        return self._contents.size_of(content)

    async def bring_from(self, content: str, size: int, node: NodeId) -> None:
        """Bring a content that a node has, or else from the others. Raise Unavailable if nobody gives it."""
        if await self._want(content, size, [node]) is None:
            others = [other for other in self._node.peers.others if other != node]
            if await self._want(content, size, others) is None:
                raise Unavailable(f"{node} does not give the content {content}, and nobody else does")

    def bytes_here(self, content: str) -> int:
        """Return how much has come of a file that is on its way."""
        return self._contents.bytes_here(content)

    async def _want(self, content: str, size: int, nodes: Sequence[NodeId]) -> Path | None:
        async def has_it(node: NodeId, /, *, look: bool) -> bool:
            return await self._size_at(node, HaveContent(content, look)) == size

        try:
            return await self._contents.want(content, size, nodes, has_it)
        except OSError as error:
            reason = error.strerror or str(error)
            kind = NoRoomHere if lacks_room(error) else Unavailable
            raise kind(f"the file with the content {content} cannot be kept here: {reason}") from error


def piece_of(given: Given) -> Piece | None:
    """Return a part of a log as people get it; None if there is no such log."""
    return None if given.size is None else Piece(bytes(given.body), given.size)
