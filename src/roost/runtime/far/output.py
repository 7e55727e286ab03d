"""Output of elements that ran elsewhere: logs are read where they are, files are brought here for good.

Rules
- A log is where its element ran last. What somebody cancelled, or tried again, does not say where that was: then all
  are asked.
- A file comes in pieces of at most ANSWER_BYTES_MAX, straight to the disk, and counts when its hash is right.
- A file that several want at a time is brought once.
- A file that is here is looked at before it is used or given away; a damaged one is brought as if it were not here.
- A file that a person hands in has no program that could make it again: another node is asked to keep a copy, one
  after the other, until one has it.
"""

import asyncio
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from roost.core.node import Node
from roost.executors.places import Places
from roost.executors.worker.room import lacks_room
from roost.model.errors import Damaged, NotFound, Unavailable
from roost.model.ids import NodeId, RunId, TaskId, name_of, run_of
from roost.model.limits import ANSWER_BYTES_MAX
from roost.model.paths import shown_in
from roost.model.states import Absent, Cancelled, Retried
from roost.runtime.data.file_check import FileCheck
from roost.runtime.data.shelf import Shelf
from roost.runtime.far.incoming import Incoming
from roost.runtime.far.inquiries import Inquiries
from roost.runtime.far.whom import away, whom_to_ask
from roost.wire.messages import FileOf, FileToKeep, LogOf, OutputStream

#: How long a node has to copy a file that it is asked to keep, and how many are asked.
KEEPING_S = 20.0
KEEPERS_ASKED = 2


class NoRoomHere(Unavailable):
    """The disk of this node is full."""


class Piece(NamedTuple):
    """A part of a log or a file, and the size that the whole has now."""

    content: bytes
    size: int


def read_piece(path: Path, offset: int) -> Piece | None:
    """Read from a place on, as much as one answer holds; None if there is no such file."""
    try:
        with path.open("rb") as file:
            size = file.seek(0, 2)
            file.seek(offset)
            return Piece(file.read(ANSWER_BYTES_MAX), size)
    except FileNotFoundError:
        return None


class FarOutput:
    def __init__(self, node: Node, places: Places, shelf: Shelf, inquiries: Inquiries) -> None:
        self._node = node
        self._places = places
        self._shelf = shelf
        self._inquiries = inquiries
        self._check = FileCheck()
        self._coming: dict[str, asyncio.Task[Path | None]] = {}

    async def log(self, task: TaskId, index: int, stream: OutputStream, offset: int) -> Piece | None:
        """Return what an element wrote, from a place on; None if there is no log of it.

        Raise Unavailable if the node that has it is away.
        """
        state = self._shelf.state(task, index)
        if state is None or isinstance(state, Absent):
            return None
        if isinstance(state, Cancelled | Retried):
            return await self._wherever(task, index, stream, offset)
        if state.node == self._node.name:
            return await self._here(task, index, stream, offset)
        told = None
        if state.node in self._node.peers.others:
            told = await self._inquiries.ask(state.node, LogOf(task, index, stream, offset))
        if told is None:
            where = "does not answer" if state.node in self._node.peers.others else "is away"
            path = shown_in(self._shelf.spec(task), index)
            raise Unavailable(
                f"what element {path} of task '{name_of(task)}' of run {run_of(task)} wrote is on {state.node}, "
                f"which {where}; ask again later"
            )
        return None if told.size is None else Piece(told.content, told.size)

    async def _here(self, task: TaskId, index: int, stream: str, offset: int) -> Piece | None:
        return await asyncio.to_thread(read_piece, self._places.log_path(task, index, stream), offset)

    async def _wherever(self, task: TaskId, index: int, stream: OutputStream, offset: int) -> Piece | None:
        piece = await self._here(task, index, stream, offset)
        if piece is not None:
            return piece
        question = LogOf(task, index, stream, offset)
        answers = await asyncio.gather(*(self._inquiries.ask(node, question) for node in self._node.peers.others))
        found = [Piece(told.content, told.size) for told in answers if told is not None and told.size is not None]
        return max(found, key=lambda found_there: found_there.size, default=None)

    def has_file(self, content: str) -> bool:
        """Whether a file is here and sound for sure; a large one has to be looked at first (``file``)."""
        return self._check.is_sound_for_sure(self._places.blob_path(content))

    async def file(self, content: str, size: int, run: RunId, makers: Iterable[NodeId]) -> Path:
        """Return where a file is; bring it here first if it is not, or damaged. Raise Unavailable if nobody has it."""
        target = self._places.blob_path(content)
        if await self._is_sound(target):
            return target
        likely = list(makers)
        coming = self._coming.get(content)
        if coming is None:
            order = whom_to_ask(likely, run, self._node.peers.others)
            coming = self._coming[content] = asyncio.create_task(self._bring_from_any(order, target, size))
            coming.add_done_callback(lambda ended: self._came(content, ended))
        # Whoever loses patience does not take the file from the others who wait for it.
        path = await asyncio.shield(coming)
        if path is None:
            if not likely:
                raise NotFound(f"no file with the content {content} is kept here, or on another node that is there")
            if likely[0] == self._node.name:
                raise Damaged(f"the file with the content {content} was damaged on this disk, and no other node has it")
            raise Unavailable(f"the file with the content {content} {away(likely[0], self._node.peers.others)}")
        return path

    async def piece(self, content: str, offset: int) -> Piece | None:
        """Return a part of a file for another node; None if it is not here. It is looked at before the first part."""
        path = self._places.blob_path(content)
        if not offset and not await self._is_sound(path):
            return None
        return await asyncio.to_thread(read_piece, path, offset)

    async def _is_sound(self, path: Path) -> bool:
        return self._check.was_checked(path) or await asyncio.to_thread(self._check.is_sound, path)

    async def keep_elsewhere(self, content: str, size: int, run: RunId) -> bool:
        """Have another node keep a copy of a file that is here; return whether one does."""
        for node in whom_to_ask([], run, self._node.peers.others)[:KEEPERS_ASKED]:
            told = await self._inquiries.ask(node, FileToKeep(content, size, run), KEEPING_S)
            if told is not None and told.size == size:
                return True
        return False

    def _came(self, content: str, ended: "asyncio.Task[Path | None]") -> None:
        del self._coming[content]
        if not ended.cancelled():
            # Those who wait are told; if nobody does any more, that is no error of the node's.
            ended.exception()

    async def close(self) -> None:
        for coming in list(self._coming.values()):
            coming.cancel()
        await asyncio.gather(*self._coming.values(), return_exceptions=True)

    async def _bring_from_any(self, order: list[NodeId], target: Path, size: int) -> Path | None:
        for node in order:
            try:
                if await self._bring(node, target, size):
                    return target
            except OSError as error:
                reason = error.strerror or str(error)
                kind = NoRoomHere if lacks_room(error) else Unavailable
                raise kind(f"the file with the content {target.name} cannot be kept here: {reason}") from error
        return None

    async def _bring(self, node: NodeId, target: Path, size: int) -> bool:
        """Bring a file from a node; return whether it came whole."""
        told = await self._inquiries.ask(node, FileOf(target.name, 0))
        if told is None or told.size != size:
            return False
        with await asyncio.to_thread(Incoming, target.parent) as incoming:
            while told is not None and told.content and (end := incoming.size + len(told.content)) <= size:
                writing = asyncio.to_thread(incoming.write, told.content)
                if end == size:
                    await writing
                    break
                # The next piece is on its way while this one is written.
                _, told = await asyncio.gather(writing, self._inquiries.ask(node, FileOf(target.name, end)))
            return incoming.size == size and await asyncio.to_thread(incoming.keep, target)
