"""Outcomes of elements that ran elsewhere: results and failures are brought here for good.

Rules
- What comes is checked: it is of the elements that were asked for, and of the token and the node that their state
  names. Then it goes through the core to the journal, as everything does that other nodes send.
- Whom to ask is in whom.py. A node that has more than one answer holds is asked on. All together has BRING_S.
- For one task one question is open at a time; whoever else wants of it waits, and then often has it.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress

from roost.core.events import Heard
from roost.core.node import Node
from roost.model.errors import PeerError, Unavailable
from roost.model.ids import NodeId, TaskId, name_of, run_of
from roost.model.limits import RANGES_MAX
from roost.model.paths import shown_in
from roost.model.ranges import RangeSet
from roost.model.segments import Segment
from roost.model.states import Done
from roost.runtime.data.shelf import Shelf
from roost.runtime.driver import Driver
from roost.runtime.far.inquiries import Inquiries
from roost.runtime.far.whom import away, whom_to_ask
from roost.wire.messages import Facts, FailuresOf, ResultsOf

#: How long bringing one answer's worth may take, however many nodes are silent.
BRING_S = 20.0
#: Elements that one question names: more than one answer holds of anything but the smallest values.
_ASKED_MAX = min(20_000, RANGES_MAX)


class FarOutcomes:
    def __init__(self, node: Node, driver: Driver, shelf: Shelf, inquiries: Inquiries) -> None:
        self._node = node
        self._driver = driver
        self._shelf = shelf
        self._inquiries = inquiries
        self._turns: dict[TaskId, asyncio.Lock] = {}

    async def bring_results(self, task: TaskId, ranges: RangeSet) -> RangeSet:
        """Return the first of these done elements, as far as their results are here; at least one is brought.

        Raise Unavailable if nobody who is there has the first.
        """
        absent = await self._absent(task, ranges)
        if absent and absent.first == ranges.first:
            absent = await self._bring(task, ranges, lambda absent: absent.first != ranges.first)
        return ranges & RangeSet.span(0, absent.first) if absent else ranges

    async def bring_any(self, task: TaskId, ranges: RangeSet) -> RangeSet:
        """Return those of these done elements whose results are here; if none is, some are brought.

        Raise Unavailable if nobody who is there has any of them.
        """
        absent = await self._absent(task, ranges)
        if absent == ranges:
            absent = await self._bring(task, ranges, lambda absent: absent != ranges)
        return ranges - absent

    async def _absent(self, task: TaskId, ranges: RangeSet) -> RangeSet:
        """Return what is not here. What others sent counts before it is written, and now it is about to be read."""
        await self._driver.written()
        return self._shelf.absent_results(task, ranges)

    async def _bring(self, task: TaskId, ranges: RangeSet, enough: Callable[[RangeSet], bool]) -> RangeSet:
        """Ask until it is enough what came; return what is still absent then."""
        async with self._turn(task):
            absent = self._shelf.absent_results(task, ranges)
            if absent and not enough(absent):
                maker = self._maker(task, absent.first)
                with suppress(TimeoutError):
                    async with asyncio.timeout(BRING_S):
                        for node in self._order(task, [maker]):
                            await self._fetch_results(node, task, absent.take(_ASKED_MAX))
                            absent = self._shelf.absent_results(task, ranges)
                            if not absent or enough(absent):
                                return absent
                raise Unavailable(self._sorry(task, absent.first, maker))
            return absent

    async def bring_failures(self, task: TaskId, ranges: RangeSet) -> None:
        """Bring why these elements failed, as far as anybody who is there knows."""
        missing = self._shelf.absent_failures(task, ranges)
        if not missing or not self._node.peers.others:
            return
        makers = list(dict.fromkeys(maker for _, maker in missing.values()))
        with suppress(TimeoutError):
            async with self._turn(task), asyncio.timeout(BRING_S):
                for node in self._order(task, makers):
                    while missing and await self._fetch_failures(node, task, RangeSet.of(missing)):
                        missing = self._shelf.absent_failures(task, ranges)

    async def _fetch_results(self, sender: NodeId, task: TaskId, asked: RangeSet) -> None:
        """Ask a node, and take what is sound of its answer."""
        told = await self._inquiries.ask(sender, ResultsOf(task, asked))
        if told is None:
            return
        elements = self._shelf.elements(task)
        sound = []
        for of_task, token, maker, segment in told.results:
            accepted = elements.made(token, maker) & asked
            if of_task == task and segment.count and segment.ranges.issubset(accepted) and _is_whole(segment):
                sound.append((of_task, token, maker, segment))
        if sound:
            await self._take(sender, Facts(results=tuple(sound)))

    def _maker(self, task: TaskId, index: int) -> NodeId:
        state = self._shelf.state(task, index)
        assert isinstance(state, Done), "only a done element has a result"
        return state.node

    async def _fetch_failures(self, sender: NodeId, task: TaskId, asked: RangeSet) -> bool:
        """Ask a node; return whether it brought something."""
        told = await self._inquiries.ask(sender, FailuresOf(task, asked.take(_ASKED_MAX)))
        if told is None:
            return False
        missing = self._shelf.absent_failures(task, asked)
        sound = tuple(
            noted for noted in told.failures if noted[0] == task and missing.get(noted[1], (None,))[0] == noted[2]
        )
        return bool(sound) and await self._take(sender, Facts(failures=sound))

    async def _take(self, sender: NodeId, facts: Facts) -> bool:
        """Let the core take what a node told; return whether the disk has taken it, too."""
        self._driver.feed(Heard(sender, self._node.stamp_at(self._node.now), facts))
        await self._driver.written()
        return self._node.tickets.trouble is None

    def _order(self, task: TaskId, makers: list[NodeId]) -> list[NodeId]:
        submitter = self._shelf.spec(task).submitted.node
        return whom_to_ask([*makers, submitter], run_of(task), self._node.peers.others)

    def _sorry(self, task: TaskId, index: int, maker: NodeId) -> str:
        path = shown_in(self._shelf.spec(task), index)
        what = f"the result of element {path} of task '{name_of(task)}' of run {run_of(task)}"
        trouble = self._node.tickets.trouble
        if trouble is not None:
            return f"{what} cannot be brought here, for this node cannot write its journal ({trouble})"
        if maker == self._node.name:
            return (
                f"{what} was damaged on this disk or forgotten there, and no node that is here has a copy; "
                f"'roost retry {run_of(task)}' makes it again, with what was made of it"
            )
        return f"{what} {away(maker, self._node.peers.others)}"

    @asynccontextmanager
    async def _turn(self, task: TaskId) -> AsyncIterator[None]:
        lock = self._turns.setdefault(task, asyncio.Lock())
        try:
            async with lock:
                yield
        finally:
            if not lock.locked() and self._turns.get(task) is lock:
                del self._turns[task]


def _is_whole(segment: Segment) -> bool:
    """Whether a segment holds as many values as it says."""
    try:
        segment.values()
    except PeerError:
        return False
    return True
