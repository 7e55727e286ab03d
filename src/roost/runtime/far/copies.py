"""Copies: how many disks shall have a content, and that they do.

Rules
- What a person or a program hands in, nothing could make again: it is on COPIES disks before that is said, if there are
  so many nodes. What elements make is made again if it is lost. upkeep.py has it looked at again when nodes go.
- The nodes are those that the run's other data is kept on (whom.py), those that drain last. Each has as long as it
  needs at LEAST_RATE; one that does not keep it in time, or cannot, is left out for the next, of which SPARE are asked.
- A node that has the content says so at once, and counts.
- When it is looked at again, those who have it are found before anybody copies it. Nodes that drain do not count, this
  one among them. All who look ask in the same order, so that those who do so at a time choose the same node.
"""

import asyncio
from collections.abc import Iterable
from typing import Final

from roost.core.node import Node
from roost.model.errors import RoostError
from roost.model.ids import NodeId
from roost.model.limits import MIB
from roost.runtime.data.handed_in import HandedIn
from roost.runtime.far.inquiries import Inquiries
from roost.runtime.far.output import FarOutput
from roost.runtime.far.whom import whom_to_ask
from roost.wire.messages import HaveContent, KeepContent

#: Disks that shall have what was handed in.
COPIES: Final = 2
#: Nodes that are asked beyond those that are needed.
SPARE: Final = 1
#: Nodes beyond the likely ones that are asked whether they have a content, and nodes that are asked for a lacking copy.
#: More: it is found wherever it is, and whoever has room. Fewer: less is said in a large mesh.
SEARCHED_MAX: Final = 64
TRIED_MAX: Final = 8
#: How long a node has to copy a content, beside what its bytes take at the rate of a slow line.
KEEPING_S: Final = 20.0
LEAST_RATE: Final = 1 * MIB


class Copies:
    def __init__(self, node: Node, inquiries: Inquiries, output: FarOutput) -> None:
        self._node = node
        self._inquiries = inquiries
        self._output = output

    async def keep(self, given: HandedIn, copies: int = COPIES) -> int:
        """Have other nodes keep a content that is here, until so many disks have it; return how many do."""
        disks = 1
        order = whom_to_ask([], given.key, self._node.peers.others)
        staying = self._node.peers.staying
        for node in sorted(order, key=lambda node: node not in staying)[: copies - 1 + SPARE]:
            if disks >= copies:
                break
            disks += await self._keeps(node, given)
        return disks

    async def restore(self, given: HandedIn) -> bool:
        """Have so many disks of nodes that stay keep a content, wherever it is now.

        Return whether they do. If no disk that can be asked has it, there is nothing to copy, and nothing is lacking.
        """
        drains, here = self._node.draining.on, self._output.size_here(given.content) == given.size
        # When this node has gone, those who stay see to the rest.
        needed = COPIES - 1 if drains else COPIES
        nodes = [*self._node.peers.staying, *(() if drains else (self._node.name,))]
        order = whom_to_ask([] if given.at is None else [given.at], given.key, nodes)
        holders = await self._holders(given, order, needed)
        if not holders and not here:
            return True
        for node in [node for node in order if node not in holders][:TRIED_MAX]:
            if len(holders) >= needed:
                break
            if await self._comes_to(node, given):
                holders.append(node)
        return len(holders) >= needed

    async def _holders(self, given: HandedIn, order: list[NodeId], needed: int) -> list[NodeId]:
        """Return nodes that have a content: so many, if there are, of the likely ones, else all that are found."""
        likely, rest = order[: needed + SPARE], order[needed + SPARE :][:SEARCHED_MAX]
        holders: list[NodeId] = []
        for node in likely:
            holders += await self._which_have([node], given)
            if len(holders) >= needed:
                return holders
        return holders + await self._which_have(rest, given)

    async def _which_have(self, nodes: Iterable[NodeId], given: HandedIn) -> list[NodeId]:
        asked = list(nodes)
        have = await asyncio.gather(*(self._has(node, given) for node in asked))
        return [node for node, has in zip(asked, have, strict=True) if has]

    async def _has(self, node: NodeId, given: HandedIn) -> bool:
        """Whether a node has a content. It does not look at it first: a copy that is made is looked at."""
        if node == self._node.name:
            return self._output.size_here(given.content) == given.size
        try:
            told = await self._inquiries.ask(node, HaveContent(given.content))
        except RoostError:
            return False
        return told is not None and told.size == given.size

    async def _comes_to(self, node: NodeId, given: HandedIn) -> bool:
        if node != self._node.name:
            # It may have gone while others were asked.
            return node in self._node.peers.others and await self._keeps(node, given)
        try:
            await self._output.file(given.content, given.size, given.key, ())
        except RoostError:
            return False
        return True

    async def _keeps(self, node: NodeId, given: HandedIn) -> bool:
        patience_s = KEEPING_S + given.size / LEAST_RATE
        try:
            told = await self._inquiries.ask(node, KeepContent(given.content, given.size), patience_s)
        except RoostError:
            return False
        return told is not None and told.size == given.size
