"""Copies: how many disks shall have a content, and that they do.

Rules
- What a person or a program hands in, nothing could make again: it is on COPIES disks before that is said, if there are
  so many nodes. What elements make is made again if it is lost.
- The nodes are those that the run's other data is kept on (whom.py). Each has as long as it needs at LEAST_RATE; one
  that does not keep it in time, or cannot, is left out for the next, of which SPARE are asked.
- A node that has the content says so at once, and counts.
"""

from typing import Final

from roost.core.node import Node
from roost.model.errors import RoostError
from roost.model.ids import NodeId, RunId
from roost.model.limits import MIB
from roost.runtime.far.inquiries import Inquiries
from roost.runtime.far.whom import whom_to_ask
from roost.wire.messages import KeepContent

#: Disks that shall have what was handed in.
COPIES: Final = 2
#: Nodes that are asked beyond those that are needed.
SPARE: Final = 1
#: How long a node has to copy a content, beside what its bytes take at the rate of a slow line.
KEEPING_S: Final = 20.0
LEAST_RATE: Final = 1 * MIB


class Copies:
    def __init__(self, node: Node, inquiries: Inquiries) -> None:
        self._node = node
        self._inquiries = inquiries

    async def keep(self, content: str, size: int, run: RunId, copies: int = COPIES) -> int:
        """Have other nodes keep a content that is here, until so many disks have it; return how many do."""
        disks = 1
        for node in whom_to_ask([], run, self._node.peers.others)[: copies - 1 + SPARE]:
            if disks >= copies:
                break
            disks += await self._keeps(node, content, size)
        return disks

    async def _keeps(self, node: NodeId, content: str, size: int) -> bool:
        try:
            told = await self._inquiries.ask(node, KeepContent(content, size), KEEPING_S + size / LEAST_RATE)
        except RoostError:
            return False
        return told is not None and told.size == size
