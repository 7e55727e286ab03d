"""Tracking: an executor in front of another that knows what is open there, and can freeze it."""

import asyncio

from roost.core.actions import StopMode
from roost.core.events import ElementFailed, ElementsDone, ElementsReturned, Progressed
from roost.executors.order import Order
from roost.executors.port import Executor, Report
from roost.model.ids import LeaseId
from roost.model.ranges import EMPTY, RangeSet


class Tracking:
    """See Executor. ``heard`` is the report of the one behind it, which is set before anything is started."""

    def __init__(self, report: Report) -> None:
        self.inner: Executor
        self._report = report
        self._open: dict[LeaseId, RangeSet] = {}
        self._lanes: dict[LeaseId, int] = {}
        #: Those that the node has paused, and those that are frozen here.
        self._paused: set[LeaseId] = set()
        self._frozen: set[LeaseId] = set()
        self._changed = asyncio.Event()

    def start(self, order: Order) -> None:
        self._open[order.lease] = self._open.get(order.lease, EMPTY) | order.ranges
        self._lanes[order.lease] = order.lane
        self.inner.start(order)

    def stop(self, lease: LeaseId, ranges: RangeSet, mode: StopMode) -> None:
        self.inner.stop(lease, ranges, mode)

    def has(self, lease: LeaseId) -> bool:
        """Whether something of a lease is open."""
        return lease in self._open

    def pause(self, lease: LeaseId) -> None:
        if lease in self._open:
            self._paused.add(lease)
        self.inner.pause(lease)

    def resume(self, lease: LeaseId) -> None:
        self._paused.discard(lease)
        if lease not in self._frozen:
            self.inner.resume(lease)

    async def close(self) -> None:
        await self.inner.close()

    def heard(self, event: ElementsDone | ElementFailed | ElementsReturned | Progressed) -> None:
        if isinstance(event, ElementsDone):
            answered = RangeSet.of_spans(span for segment in event.segments for span in segment.ranges.spans())
        elif isinstance(event, ElementFailed):
            answered = RangeSet.span(event.index, event.index + 1)
        else:
            answered = event.ranges if isinstance(event, ElementsReturned) else EMPTY
        self._answered(event.lease, answered)
        self._report(event)

    def _answered(self, lease: LeaseId, ranges: RangeSet) -> None:
        left = self._open.get(lease, EMPTY) - ranges
        if left:
            self._open[lease] = left
        else:
            self._open.pop(lease, None)
            self._lanes.pop(lease, None)
            self._paused.discard(lease)
            self._frozen.discard(lease)
        self._changed.set()

    def freeze(self) -> bool:
        """Freeze all that is open; return whether anything was not frozen yet."""
        fresh = [lease for lease in self._open if lease not in self._frozen]
        self._frozen.update(fresh)
        for lease in fresh:
            self.inner.pause(lease)
        return bool(fresh)

    def thaw(self) -> None:
        frozen, self._frozen = self._frozen, set()
        for lease in sorted(frozen - self._paused):
            self.inner.resume(lease)

    async def until_free(self, lane: int) -> None:
        """Wait until a lane has nothing open."""
        while lane in self._lanes.values():
            await self._change()

    async def until_answered(self, lease: LeaseId) -> None:
        """Wait until nothing of a lease is open."""
        while lease in self._open:
            await self._change()

    async def _change(self) -> None:
        # All who wait wake with one change, and look.
        changed = self._changed
        await changed.wait()
        if changed is self._changed:
            self._changed = asyncio.Event()
