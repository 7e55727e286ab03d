"""Inquiries: questions to other nodes, each with its answer, or with none in time.

Rules
- A question goes to one node by stream and waits PATIENCE_S for the answer; what comes later, or from another node
  than was asked, is dropped.
- Nothing depends on an answer: whoever asks asks another node, or tells the person who is away.
"""

import asyncio
from collections.abc import Callable

from roost.model.errors import Unavailable
from roost.model.ids import NodeId
from roost.model.limits import INQUIRIES_MAX
from roost.wire.messages import Ask, Question, Told

#: How long a node has to answer. Long enough for a new stream and a busy disk; a node that is gone is noticed earlier.
PATIENCE_S = 3.0

#: Sends to one node by stream.
Say = Callable[[NodeId, Ask | Told], None]


class Inquiries:
    def __init__(self, say: Say) -> None:
        self._say = say
        self._last_number = 0
        self._open: dict[int, tuple[NodeId, asyncio.Future[Told]]] = {}

    def __len__(self) -> int:
        return len(self._open)

    async def ask(self, node: NodeId, question: Question, patience_s: float = PATIENCE_S) -> Told | None:
        """Return the answer of a node; None if none came in time."""
        if len(self._open) >= INQUIRIES_MAX:
            raise Unavailable(f"this node waits for {INQUIRIES_MAX:,} answers of other nodes already; ask again later")
        self._last_number += 1
        number = self._last_number
        answer: asyncio.Future[Told] = asyncio.get_running_loop().create_future()
        self._open[number] = node, answer
        try:
            self._say(node, Ask(number, question))
            async with asyncio.timeout(patience_s):
                return await answer
        except TimeoutError:
            return None
        finally:
            del self._open[number]

    def told(self, sender: NodeId, told: Told) -> None:
        """A node answers."""
        node, answer = self._open.get(told.number, (None, None))
        if answer is not None and node == sender and not answer.done():
            answer.set_result(told)
