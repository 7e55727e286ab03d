"""Holding: an executor in front of another that keeps leases back while something is prepared for them.

Rules
- While a lease is held, so are the leases behind it in its lane: they run in the order in which they were started.
- Nothing of a held lease has begun, so what is stopped of it is given back.
"""

import asyncio

from roost.core.actions import StopMode
from roost.core.events import ElementsReturned
from roost.executors.order import Order, restricted
from roost.executors.port import Executor, Report
from roost.model.ids import LeaseId
from roost.model.ranges import RangeSet


class HeldOrder:
    """A lease that has not been handed to the executor."""

    def __init__(self, order: Order) -> None:
        self.order = order
        self.left = order.ranges
        self.paused = False


class HoldingExecutor:
    """See Executor. Whoever derives from it says what must wait (``_waits``), and for what (``_prepare``)."""

    def __init__(self, inner: Executor, report: Report) -> None:
        self._inner = inner
        self._report = report
        self._held: dict[int, list[HeldOrder]] = {}
        self._preparing: dict[int, asyncio.Task[None]] = {}

    def _waits(self, order: Order) -> bool:
        """Whether something must be prepared for a lease."""
        raise NotImplementedError

    async def _prepare(self, held: HeldOrder) -> None:
        """Prepare a lease."""
        raise NotImplementedError

    def _begin(self, held: HeldOrder) -> None:
        """Go on with a lease that was prepared."""
        self._start(held, held.left)

    def _start(self, held: HeldOrder, ranges: RangeSet) -> None:
        self._inner.start(restricted(held.order, ranges))
        if held.paused:
            self._inner.pause(held.order.lease)

    def start(self, order: Order) -> None:
        waiting = self._held.get(order.lane)
        if waiting is not None:
            waiting.append(HeldOrder(order))
        elif self._waits(order):
            self._held[order.lane] = [HeldOrder(order)]
            self._prepare_soon(order.lane)
        else:
            self._inner.start(order)

    def stop(self, lease: LeaseId, ranges: RangeSet, mode: StopMode) -> None:
        held = self._find(lease)
        if held is None:
            self._inner.stop(lease, ranges, mode)
            return
        stopped = held.left & ranges
        held.left -= ranges
        if not held.left:
            self._drop(held)
        if stopped:
            self._report(ElementsReturned(lease, stopped))

    def pause(self, lease: LeaseId) -> None:
        held = self._find(lease)
        if held is None:
            self._inner.pause(lease)
        else:
            held.paused = True

    def resume(self, lease: LeaseId) -> None:
        held = self._find(lease)
        if held is None:
            self._inner.resume(lease)
        else:
            held.paused = False

    async def close(self) -> None:
        for task in self._preparing.values():
            task.cancel()
        await asyncio.gather(*self._preparing.values(), return_exceptions=True)
        await self._inner.close()

    def _find(self, lease: LeaseId) -> HeldOrder | None:
        return next((held for lane in self._held.values() for held in lane if held.order.lease == lease), None)

    def _drop(self, held: HeldOrder) -> None:
        """Nothing is left of a lease: those behind it need not wait for it."""
        lane = held.order.lane
        self._preparing.pop(lane).cancel()
        self._held[lane].remove(held)
        if self._held[lane]:
            self._prepare_soon(lane)
        else:
            del self._held[lane]

    def _prepare_soon(self, lane: int) -> None:
        self._preparing[lane] = asyncio.get_running_loop().create_task(self._go_on(lane))

    async def _go_on(self, lane: int) -> None:
        """Prepare the leases that are held in a lane, one after the other, and start them."""
        waiting, own = self._held[lane], asyncio.current_task()
        while waiting:
            held = waiting[0]
            await self._prepare(held)
            del waiting[0]
            self._begin(held)
            if self._preparing.get(lane) is not own:
                # What was begun led to a stop of a lease behind it, and another task goes on, or nothing is left.
                return
        del self._held[lane], self._preparing[lane]
