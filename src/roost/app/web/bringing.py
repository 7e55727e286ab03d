"""Outcomes that lie on other nodes, brought beside a session and told when they are here.

Rules
- Nobody waits for a node that is slow but those who want what it has.
- What nobody who is there can give is asked for again and again while the client stays: it was accepted, and is back
  when its node is.
- Why an element failed is asked for once; if nobody knows, that is what is told.
"""

import asyncio
from collections.abc import Callable
from typing import Final

from roost.model.errors import NotFound, Unavailable
from roost.model.ids import TaskId
from roost.model.ranges import EMPTY, RangeSet
from roost.runtime.service import NodeService

#: How long it takes until the others are asked again for what none of them could give.
ASK_AGAIN_S: Final = 2.0

#: Told when outcomes of a task's elements in a state are here.
Ready = Callable[[TaskId, str, RangeSet], None]


class Bringing:
    def __init__(self, service: NodeService, ready: Ready, ask_again_s: float = ASK_AGAIN_S) -> None:
        self._service = service
        self._ready = ready
        self._ask_again_s = ask_again_s
        self._far: dict[tuple[TaskId, str], RangeSet] = {}
        #: Failures that were asked for.
        self._asked: dict[TaskId, RangeSet] = {}
        self._work: asyncio.Task[None] | None = None

    def far_of(self, task: TaskId, state: str, ranges: RangeSet) -> RangeSet:
        """Return those of the elements whose outcomes are not here; they are brought from now on."""
        if state == "done":
            far = self._service.absent(task, ranges)
        elif state == "failed":
            far = self._service.unexplained(task, ranges) - self._asked.get(task, EMPTY)
        else:
            return EMPTY
        if far:
            self._far[task, state] = self._far.get((task, state), EMPTY) | far
            if self._work is None:
                self._work = asyncio.get_running_loop().create_task(self._bring_all())
        return far

    async def close(self) -> None:
        if self._work is not None:
            self._work.cancel()
            await asyncio.gather(self._work, return_exceptions=True)

    async def _bring_all(self) -> None:
        while self._far:
            brought = [await self._bring(task, state) for task, state in list(self._far)]
            if not any(brought):
                await asyncio.sleep(self._ask_again_s)
        self._work = None

    async def _bring(self, task: TaskId, state: str) -> bool:
        """Bring some of a task's outcomes; return whether there was anything to be had."""
        wanted = self._far[task, state]
        try:
            if state == "done":
                here = await self._service.bring_any(task, wanted)
            else:
                await self._service.bring_failures(task, wanted)
                self._asked[task] = self._asked.get(task, EMPTY) | wanted
                here = wanted
        except Unavailable:
            return False
        except NotFound:
            here = wanted
        left = self._far.pop((task, state)) - here
        if left:
            self._far[task, state] = left
        self._ready(task, state, here)
        return True
