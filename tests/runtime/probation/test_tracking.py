"""An executor that knows what is open behind it."""

import asyncio

from roost.core.actions import StopMode
from roost.core.events import ElementFailed, ElementsReturned
from roost.executors.order import Order
from roost.model.ids import LeaseId
from roost.model.ranges import RangeSet
from roost.model.task import Failure
from roost.runtime.probation.tracking import Tracking
from tests.runtime.driving import ManualExecutor, spec
from tests.tokens import attempt


class Tracked:
    def __init__(self) -> None:
        self.reports = list[object]()
        self.executor = Tracking(self.reports.append)
        self.inner = ManualExecutor()
        self.executor.inner = self.inner
        self.inner.report = self.executor.heard

    def start(self, lease: int, lane: int = 0, elements: str = "0-2") -> Order:
        order = Order(LeaseId(lease), lane, spec(), RangeSet.parse(elements), attempt(1))
        self.executor.start(order)
        return order


def test_a_lease_is_open_until_all_of_it_is_answered() -> None:
    async def play() -> None:
        at = Tracked()
        order = at.start(1)
        answered = asyncio.ensure_future(at.executor.until_answered(order.lease))
        free = asyncio.ensure_future(at.executor.until_free(0))
        at.executor.heard(ElementFailed(order.lease, 0, Failure("bad")))
        at.executor.stop(order.lease, RangeSet.parse("2"), StopMode.KILL)
        await asyncio.sleep(0)
        assert at.executor.has(order.lease)
        assert not answered.done()
        at.executor.heard(ElementsReturned(order.lease, RangeSet.parse("1")))
        await answered
        await free
        assert not at.executor.has(order.lease)
        assert len(at.reports) == 3
        await at.executor.until_free(0)
        await at.executor.close()

    asyncio.run(play())


def test_what_the_node_has_paused_stays_so_after_a_freeze() -> None:
    async def play() -> None:
        at = Tracked()
        one, two = at.start(1), at.start(2, lane=1)
        at.executor.pause(one.lease)
        assert at.executor.freeze()
        assert not at.executor.freeze(), "all are frozen already"
        at.executor.resume(two.lease)
        at.inner.told.clear()
        at.executor.thaw()
        assert at.inner.told == [("resume", two.lease)]
        at.executor.resume(one.lease)
        assert at.inner.told == [("resume", two.lease), ("resume", one.lease)]

    asyncio.run(play())


def test_what_comes_after_a_freeze_runs() -> None:
    async def play() -> None:
        at = Tracked()
        at.start(1)
        at.executor.freeze()
        after = at.start(2, lane=1)
        assert ("pause", after.lease) not in at.inner.told
        at.inner.finish(after)
        at.inner.told.clear()
        at.executor.thaw()
        assert at.inner.told == [("resume", LeaseId(1))]

    asyncio.run(play())
