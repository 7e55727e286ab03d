"""Results that other nodes keep under the keys of elements that are about to run here (executors/reuse).

Rules
- All living nodes are asked at once, at most ASKED_MAX: first those that had something last time. Each has PATIENCE_S;
  who was silent is not asked again for REST_S, so that a node that hangs costs one lease its patience, not every lease.
- What a node gives counts if its hash is right, and if this node knows nothing else of the element that made it.
- Files and logs that belong to a result come as for people (output.py), within BRING_S for a whole lease.
"""

import asyncio
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import NamedTuple, TypeAlias

from roost.core.node import Node
from roost.executors.places import Places
from roost.executors.reuse.entries import digest
from roost.executors.worker.values import files_of
from roost.model.elements import Elements
from roost.model.errors import RoostError
from roost.model.ids import NodeId, RunId, TaskId, run_of
from roost.model.states import Done
from roost.runtime.data.shelf import Shelf
from roost.runtime.far.inquiries import Inquiries
from roost.runtime.far.output import FarOutput
from roost.wire.content import LogPart
from roost.wire.messages import KeptResult, KeptUnder, OutputStream, Told

PATIENCE_S = 2.0
REST_S = 10.0
BRING_S = 10.0
ASKED_MAX = 16
#: Results whose files are brought at a time.
_AT_A_TIME = 8


#: Files that belong to a result: name -> (hash of the content, size in bytes).
Files: TypeAlias = dict[str, tuple[str, int]]


class FoundElsewhere(NamedTuple):
    """A result, and the node that gives it."""

    node: NodeId
    kept: KeptResult


class Asked(NamedTuple):
    """What became of a question: what may be taken over by index, who was asked, and who did not answer in time."""

    offers: dict[int, FoundElsewhere]
    nodes: tuple[NodeId, ...] = ()
    silent: tuple[NodeId, ...] = ()


class FarKept:
    def __init__(self, node: Node, shelf: Shelf, places: Places, output: FarOutput, inquiries: Inquiries) -> None:
        self._node = node
        self._shelf = shelf
        self._places = places
        self._output = output
        self._inquiries = inquiries
        #: Until when nodes that were silent are left alone.
        self._resting: dict[NodeId, float] = {}
        #: Nodes that had something, the last first.
        self._helpful: list[NodeId] = []

    @property
    def is_alone(self) -> bool:
        return not self._node.peers.others

    async def ask(self, run: RunId, wanted: Mapping[int, bytes]) -> Asked:
        """Ask the others for what they keep under these keys of elements."""
        nodes = self._whom()
        answers = await asyncio.gather(*(self._ask_one(node, run, dict(wanted)) for node in nodes))
        known = self._known({one.task for kept in answers for one in kept or ()})
        offers: dict[int, FoundElsewhere] = {}
        for node, kept in zip(nodes, answers, strict=True):
            for one in kept or ():
                if one.index in wanted and one.index not in offers and _counts(one, known.get(one.task)):
                    offers[one.index] = FoundElsewhere(node, one)
        silent = tuple(node for node, kept in zip(nodes, answers, strict=True) if kept is None)
        self._learn(silent, [offer.node for offer in offers.values()])
        return Asked(offers, tuple(nodes), silent)

    def _whom(self) -> list[NodeId]:
        now = asyncio.get_running_loop().time()
        others = [node for node in self._node.peers.others if self._resting.get(node, 0.0) <= now]
        return sorted(others, key=lambda node: (node not in self._helpful, node))[:ASKED_MAX]

    def _learn(self, silent: tuple[NodeId, ...], givers: list[NodeId]) -> None:
        now = asyncio.get_running_loop().time()
        resting = {node: end for node, end in self._resting.items() if end > now}
        self._resting = resting | dict.fromkeys(silent, now + REST_S)
        self._helpful = list(dict.fromkeys([*givers, *self._helpful]))[:ASKED_MAX]

    async def _ask_one(self, node: NodeId, run: RunId, wanted: dict[int, bytes]) -> list[KeptResult] | None:
        """Return what a node has; None if it was silent. An answer that was cut is asked on."""
        found: list[KeptResult] = []
        told: Told | None = Told(0, more=True)
        while told is not None and told.more and wanted:
            try:
                told = await self._inquiries.ask(node, KeptUnder(run, tuple(wanted.items())), PATIENCE_S)
            except RoostError:
                told = None
            if told is not None:
                found += told.kept
                if not any(wanted.pop(one.index, None) for one in told.kept):
                    break
        return found if found or told is not None else None

    def _known(self, tasks: Iterable[TaskId]) -> dict[TaskId, Elements]:
        """Return the states of those tasks that this node has heard of."""
        known = {}
        for task in tasks:
            with suppress(RoostError):
                known[task] = self._shelf.elements(task)
        return known

    async def bring(self, offers: Mapping[int, FoundElsewhere], task: TaskId) -> dict[int, FoundElsewhere]:
        """Bring what belongs to results, for elements of a task; return those of which all is here in time."""
        turns = asyncio.Semaphore(_AT_A_TIME)

        async def whole(index: int, offer: FoundElsewhere, files: Files) -> bool:
            async with turns:
                return await self._bring_one(offer, files, task, index)

        files = {index: found for index, offer in offers.items() if (found := _files(offer.kept)) is not None}
        bringing = {
            index: asyncio.ensure_future(whole(index, offers[index], found))
            for index, found in files.items()
            if found or offers[index].kept.logs
        }
        try:
            if bringing:
                await asyncio.wait(bringing.values(), timeout=BRING_S)
            late = {index for index, one in bringing.items() if not one.done() or not one.result()}
            return {index: offers[index] for index in files if index not in late}
        finally:
            for one in bringing.values():
                one.cancel()

    async def _bring_one(self, offer: FoundElsewhere, files: Files, task: TaskId, index: int) -> bool:
        kept = offer.kept
        try:
            for content, size in files.values():
                await self._output.file(content, size, run_of(kept.task), [offer.node])
            for stream in kept.logs:
                if not await self._bring_log(offer, stream, task, index):
                    return False
        except (RoostError, OSError):
            return False
        return True

    async def _bring_log(self, offer: FoundElsewhere, stream: OutputStream, task: TaskId, index: int) -> bool:
        """Let an element have the log of the one whose result it takes over; return whether it is whole."""
        target = self._places.log_path(task, index, stream)
        target.parent.mkdir(parents=True, exist_ok=True)
        incoming = target.parent / f".incoming-{os.urandom(8).hex()}"
        try:
            with incoming.open("xb") as file:
                while True:
                    part = LogPart(offer.kept.task, offer.kept.element, stream, file.tell())
                    given = await self._output.log_part(offer.node, part)
                    if given.size is None:
                        return False
                    file.write(given.body)
                    if file.tell() >= given.size or not given.body:
                        break
            incoming.replace(target)
        finally:
            incoming.unlink(missing_ok=True)
        return True


def _counts(one: KeptResult, known: Elements | None) -> bool:
    if digest(one.value).hex() != one.content:
        return False
    # Of a run that this node has not heard of, the other one keeps what was accepted.
    state = None if known is None else known.at(one.element)
    return known is None or (isinstance(state, Done) and (state.token, state.node) == (one.token, one.node))


def _files(kept: KeptResult) -> Files | None:
    """Return the files that belong to a result; None if it is none that can be read."""
    try:
        return files_of(kept.value)
    except RoostError:
        return None
