"""Leases that wait for something: they keep their order, and what is stopped of them comes back."""

import asyncio
from collections.abc import Callable, Coroutine

from roost.core.actions import StopMode
from roost.core.events import ElementsReturned
from roost.executors.holding import HeldOrder, HoldingExecutor
from roost.executors.order import Order
from roost.model.ids import LeaseId
from roost.model.ranges import RangeSet
from tests.runtime.driving import ManualExecutor, spec, until
from tests.tokens import attempt


class Gate(HoldingExecutor):
    """Holds the leases of lane 0 until it is opened."""

    def __init__(self) -> None:
        self.inner, self.reports = ManualExecutor(), list[object]()
        super().__init__(self.inner, self.reports.append)
        self.opened = asyncio.Event()
        self.prepared: list[int] = []

    def _waits(self, order: Order) -> bool:
        return order.lane == 0

    async def _prepare(self, held: HeldOrder) -> None:
        await self.opened.wait()
        self.prepared.append(held.order.lease)

    def ask(self, lease: int, lane: int = 0, elements: str = "0-3") -> None:
        self.start(Order(LeaseId(lease), lane, spec(count=4), RangeSet.parse(elements), attempt(1)))

    def started(self) -> list[tuple[int, str]]:
        return [(order.lease, str(order.ranges)) for order in self.inner.orders]


def play(act: Callable[[Gate], Coroutine[None, None, None]]) -> None:
    async def scenario() -> None:
        gate = Gate()
        await act(gate)
        await gate.close()

    asyncio.run(scenario())


def test_leases_behind_a_held_one_wait_too_and_other_lanes_go_on() -> None:
    async def act(gate: Gate) -> None:
        gate.ask(1)
        gate.ask(2)
        gate.ask(3, lane=1)
        assert gate.started() == [(3, "0-3")]
        gate.opened.set()
        await until(lambda: len(gate.started()) == 3)
        assert gate.started()[1:] == [(1, "0-3"), (2, "0-3")]
        assert gate.prepared == [1, 2]
        gate.ask(4)
        await until(lambda: len(gate.started()) == 4)

    play(act)


def test_what_is_stopped_of_a_held_lease_is_given_back_and_not_started() -> None:
    async def act(gate: Gate) -> None:
        gate.ask(1)
        gate.ask(2)
        gate.stop(LeaseId(1), RangeSet.parse("2-9"), StopMode.KILL)
        gate.stop(LeaseId(2), RangeSet.parse("0-3"), StopMode.KILL)
        assert gate.reports == [
            ElementsReturned(LeaseId(1), RangeSet.parse("2-3")),
            ElementsReturned(LeaseId(2), RangeSet.parse("0-3")),
        ]
        gate.opened.set()
        await until(lambda: gate.started() == [(1, "0-1")])
        assert gate.prepared[-1] == 1

    play(act)


def test_a_lease_that_is_stopped_wholly_leaves_its_lane_free() -> None:
    async def act(gate: Gate) -> None:
        gate.ask(1)
        gate.stop(LeaseId(1), RangeSet.parse("0-3"), StopMode.KILL)
        gate.opened.set()
        gate.ask(2)
        await until(lambda: gate.started() == [(2, "0-3")])

    play(act)


def test_a_stop_that_follows_from_a_beginning_leaves_nothing_behind() -> None:
    async def act(gate: Gate) -> None:
        gate.ask(1)
        gate.ask(2)
        begin = gate.inner.start

        def start(order: Order) -> None:
            begin(order)
            gate.stop(LeaseId(2), RangeSet.parse("0-3"), StopMode.KILL)

        gate.inner.start = start  # type: ignore[method-assign]
        going_on = gate._preparing[0]
        gate.opened.set()
        await asyncio.wait([going_on])
        assert gate.started() == [(1, "0-3")]
        assert not gate._held
        assert not gate._preparing

    play(act)


def test_a_held_lease_that_is_paused_begins_paused() -> None:
    async def act(gate: Gate) -> None:
        gate.ask(1)
        gate.ask(2)
        gate.pause(LeaseId(1))
        gate.pause(LeaseId(2))
        gate.resume(LeaseId(2))
        gate.opened.set()
        await until(lambda: len(gate.started()) == 2)
        assert gate.inner.told == [("pause", 1)]

    play(act)
