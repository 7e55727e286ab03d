"""Probation: elements that ran when the node died run one at a time, while nothing else runs on the node.

Otherwise nobody would know which of them it was (suspects.py). All other leases wait meanwhile, or are frozen. A
trial is short: until the element ends, or until it has outlived the time after which the node died. What has failed by
its deaths is answered, and not started.

A node whose last life ended politely has no suspects, and nothing of this is in its way.
"""

import asyncio
import heapq
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final, NamedTuple

from roost.core.actions import StopMode
from roost.core.events import ElementFailed, ElementsDone, ElementsReturned, Progressed
from roost.executors.holding import HeldOrder, HoldingExecutor
from roost.executors.order import Order
from roost.executors.port import Executor, Report
from roost.model.ids import LeaseId, TaskId
from roost.model.ranges import RangeSet
from roost.runtime.probation.last_life import LastLife
from roost.runtime.probation.suspects import WAIT_S, NodeSuspect
from roost.runtime.probation.tracking import Tracking

#: After so long what was to be frozen is frozen, and all leases have come that come together.
_SETTLE_S: Final = 0.1


class Trials:
    """One trial at a time, for all executors of a node; the one with the most deaths first."""

    def __init__(self, last_life: LastLife) -> None:
        self._last_life = last_life
        self._suspects = list(last_life.suspects)
        self._executors: list[Tracking] = []
        self._queue: list[tuple[int, int, asyncio.Future[None]]] = []
        self._asked = 0
        self._over = asyncio.Event()
        # All leases that come at the start of the node wait: a suspect may be among the last of them.
        asyncio.get_running_loop().call_later(_SETTLE_S, self._next)

    def add(self, executor: Tracking) -> None:
        """Have an executor's leases freeze during trials."""
        self._executors.append(executor)

    @property
    def in_session(self) -> bool:
        return not self._over.is_set()

    async def over(self) -> None:
        while self.in_session:
            await self._over.wait()

    def suspect_in(self, task: TaskId, ranges: RangeSet) -> tuple[NodeSuspect, int] | None:
        """Return a suspect among these elements, and which of them it is."""
        for suspect in sorted(self._suspects, key=lambda suspect: -suspect.deaths):
            common = suspect.elements & ranges if suspect.task == task else ()
            if common:
                return suspect, common.first
        return None

    def acquit(self, task: TaskId, index: int) -> None:
        """An element is a suspect no more, or has failed for that."""
        left = [one.without(index) if one.task == task else one for one in self._suspects]
        self._suspects = [one for one in left if one.bounds]
        self._last_life.remember(self._suspects)

    @asynccontextmanager
    async def trial(self, suspect: NodeSuspect, index: int) -> AsyncIterator[None]:
        """While this lasts, nothing runs but what is started meanwhile."""
        self._asked += 1
        turn = asyncio.get_running_loop().create_future()
        heapq.heappush(self._queue, (-suspect.deaths, self._asked, turn))
        if not self.in_session:
            self._over.clear()
            asyncio.get_running_loop().call_later(_SETTLE_S, self._next)
        try:
            await turn
            fresh = [executor.freeze() for executor in self._executors]
            if any(fresh):
                await asyncio.sleep(_SETTLE_S)
            await asyncio.sleep(suspect.deaths * WAIT_S)
            self._last_life.tries(suspect.task, index)
            yield
        finally:
            if turn.done() and not turn.cancelled():
                self._last_life.tried()
                # Whoever tries several asks for the next at once, and others need not run in between.
                asyncio.get_running_loop().call_soon(self._next)

    def _next(self) -> None:
        while self._queue:
            turn = heapq.heappop(self._queue)[2]
            if not turn.done():
                turn.set_result(None)
                return
        for executor in self._executors:
            executor.thaw()
        self._over.set()


class _Tried(NamedTuple):
    lease: LeaseId
    task: TaskId
    element: int


class Probation(HoldingExecutor):
    """See Executor. ``make`` makes the one behind it, which gets its report."""

    def __init__(self, make: Callable[[Report], Executor], report: Report, trials: Trials) -> None:
        self._tracking = Tracking(self._heard)
        super().__init__(self._tracking, report)
        self._tracking.inner = make(self._tracking.heard)
        self._trials = trials
        trials.add(self._tracking)
        #: What is on trial, and is not clear of it yet.
        self._tried: _Tried | None = None

    def _waits(self, order: Order) -> bool:
        return self._trials.in_session or self._trials.suspect_in(order.spec.id, order.ranges) is not None

    async def _prepare(self, held: HeldOrder) -> None:
        task = held.order.spec.id
        while (found := self._trials.suspect_in(task, held.left)) is not None:
            suspect, index = found
            if suspect.has_failed:
                held.left -= RangeSet.span(index, index + 1)
                self._trials.acquit(task, index)
                self._report(ElementFailed(held.order.lease, index, suspect.failure()))
                continue
            await self._tracking.until_free(held.order.lane)
            async with self._trials.trial(suspect, index):
                await self._try(held, suspect, index)
            # Its lane is not free before that.
            await self._tracking.until_answered(held.order.lease)
        await self._trials.over()

    async def _try(self, held: HeldOrder, suspect: NodeSuspect, index: int) -> None:
        if index not in held.left:
            # It was stopped meanwhile.
            return
        element = RangeSet.span(index, index + 1)
        held.left -= element
        lease = held.order.lease
        self._tried = _Tried(lease, suspect.task, index)
        self._start(held, element)
        try:
            async with asyncio.timeout(suspect.trial_s):
                await self._tracking.until_answered(lease)
        except TimeoutError:
            self._trials.acquit(suspect.task, index)
        finally:
            self._tried = None

    def _begin(self, held: HeldOrder) -> None:
        if held.left:
            super()._begin(held)

    def _heard(self, event: ElementsDone | ElementFailed | ElementsReturned | Progressed) -> None:
        tried = self._tried
        if tried is not None and event.lease == tried.lease and isinstance(event, ElementsDone | ElementFailed):
            self._trials.acquit(tried.task, tried.element)
        self._report(event)

    # Of a lease that is held, one element may be on trial.

    def stop(self, lease: LeaseId, ranges: RangeSet, mode: StopMode) -> None:
        held = self._find(lease)
        if held is None or not self._tracking.has(lease):
            super().stop(lease, ranges, mode)
            return
        self._tracking.stop(lease, ranges, mode)
        stopped = held.left & ranges
        held.left -= ranges
        if stopped:
            self._report(ElementsReturned(lease, stopped))

    def pause(self, lease: LeaseId) -> None:
        if self._find(lease) is not None:
            self._tracking.pause(lease)
        super().pause(lease)

    def resume(self, lease: LeaseId) -> None:
        if self._find(lease) is not None:
            self._tracking.resume(lease)
        super().resume(lease)
