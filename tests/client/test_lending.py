"""Waiting from inside of an element: the node is told, after a moment, and nobody is held up by that."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, as_completed, wait
from contextlib import suppress
from typing import Any

import pytest

from roost.client import lending
from roost.client.calls import Options, Session
from roost.client.conversation import Conversation
from roost.client.lending import Lender, waiting
from roost.client.pool import Pool
from roost.client.start import Address
from roost.executors.worker.place import variables
from roost.model.errors import Unavailable
from roost.model.ids import TaskId
from tests.client.functions import double
from tests.client.small_node import SmallNode, until

INSIDE = variables(TaskId("5-kedova/f-1"), 1, 12) | {"ROOST_INDEX": "3"}


@pytest.fixture
def node(monkeypatch: pytest.MonkeyPatch) -> Iterator[SmallNode]:
    """A node, and an element of it that this process is inside of."""
    with SmallNode() as running:
        for name, value in INSIDE.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(lending, "require_node", lambda _home: running.find())
        monkeypatch.setattr(lending, "_lender", Lender())
        yield running


@pytest.fixture
def pool(node: SmallNode) -> Iterator[Pool]:
    opened = Pool(Session(Conversation(node.find, reconnect_s=10.0), "test", Options()))
    yield opened
    node.service.holding = False
    opened.shutdown(cancel_futures=True)


def test_a_wait_is_told_when_it_lasts_and_when_it_ends(node: SmallNode) -> None:
    with waiting():
        until(lambda: node.service.waits == [(12, 3, True)])
    until(lambda: node.service.waits[1:] == [(12, 3, False)])


def test_several_threads_wait_as_one(node: SmallNode) -> None:
    leave = threading.Event()

    def stay() -> None:
        with waiting():
            leave.wait(10)

    other = threading.Thread(target=stay)
    other.start()
    with waiting():
        until(lambda: node.service.waits == [(12, 3, True)])
    leave.set()
    other.join()
    until(lambda: node.service.waits[1:] == [(12, 3, False)])


def test_a_short_wait_costs_the_node_nothing(node: SmallNode, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lending, "LEND_AFTER_S", 10.0)
    with waiting():
        pass
    monkeypatch.setattr(lending, "LEND_AFTER_S", 0.0)
    with waiting():
        until(lambda: node.service.waits == [(12, 3, True)])


def test_outside_of_elements_nothing_happens(node: SmallNode, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ROOST_LEASE")
    with waiting():
        assert lending._lender._thread is None


def test_a_node_that_is_gone_holds_nobody_up(node: SmallNode, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = threading.Event()

    def gone(_home: object) -> Address:
        asked.set()
        raise Unavailable("no node runs here")

    monkeypatch.setattr(lending, "require_node", gone)
    with waiting():
        assert asked.wait(10)
    monkeypatch.setattr(lending, "require_node", lambda _home: node.find())
    with waiting():
        until(lambda: node.service.waits[:1] == [(12, 3, True)])


def test_a_forked_process_tells_for_itself(node: SmallNode) -> None:
    before = lending._lender
    lending._begin_anew()
    assert lending._lender is not before
    assert lending._lender._thread is None


def _await(future: Any) -> None:
    async def awaited() -> Any:
        return await asyncio.wait_for(asyncio.ensure_future(_as_coroutine(future)), 0.5)

    asyncio.run(awaited())


async def _as_coroutine(future: Any) -> Any:
    return await future


WAYS: dict[str, Callable[[Pool], object]] = {
    "result": lambda pool: pool.submit(double, 1).result(0.5),
    "exception": lambda pool: pool.submit(double, 1).exception(0.5),
    "wait": lambda pool: wait([pool.submit(double, 1)], 0.5, FIRST_COMPLETED),
    "as_completed": lambda pool: list(as_completed([pool.submit(double, 1)], 0.5)),
    "map": lambda pool: list(pool.map(double, [1], timeout=0.5)),
    "await": lambda pool: _await(pool.submit(double, 1)),
}


@pytest.mark.parametrize("way", WAYS)
def test_every_way_of_waiting_for_a_call_is_told(node: SmallNode, pool: Pool, way: str) -> None:
    node.service.holding = True
    with suppress(TimeoutError):
        WAYS[way](pool)
    until(lambda: node.service.waits == [(12, 3, True), (12, 3, False)])


def test_leaving_a_pool_waits_too(node: SmallNode, pool: Pool) -> None:
    node.service.holding = True
    pool.submit(double, 1)
    leaving = threading.Thread(target=pool.shutdown)
    leaving.start()
    until(lambda: node.service.waits == [(12, 3, True)])
    node.do(node.service.work)
    leaving.join()
    until(lambda: node.service.waits[1:] == [(12, 3, False)])


def test_what_an_element_hands_in_names_its_task(node: SmallNode, pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    outer = pool.submit(double, 1)
    task = outer.id.partition("[")[0]
    monkeypatch.setenv("ROOST_TASK", task)
    inner = pool.submit(double, 2).id.partition("[")[0]
    assert node.service.specs[TaskId(task)].nesting == 0
    assert node.service.specs[TaskId(inner)].nesting == 1
