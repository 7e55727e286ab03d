import asyncio
from typing import Any

import pytest

from roost.client.pool import Pool
from tests.client.functions import double, fail
from tests.client.small_node import SmallNode, until


def test_submitting_returns_the_result(pool: Pool) -> None:
    async def using() -> tuple[int, Any]:
        return await pool.aio.submit(double, 4), await asyncio.gather(
            pool.submit(double, 1), pool.aio.submit(double, 2)
        )

    assert asyncio.run(using()) == (8, [2, 4])


def test_a_failure_is_raised_where_it_is_awaited(pool: Pool) -> None:
    with pytest.raises(ValueError, match="bad"):
        asyncio.run(pool.aio.submit(fail, "bad"))


def test_a_stop_iteration_arrives_as_in_every_coroutine(pool: Pool) -> None:
    """asyncio cannot pass one on, and would wait for ever."""

    async def using() -> None:
        await asyncio.wait_for(pool.aio.submit(next, iter(())), 10)

    with pytest.raises(RuntimeError, match="StopIteration") as caught:
        asyncio.run(using())
    assert isinstance(caught.value.__cause__, StopIteration)


def test_mapping_yields_in_order(pool: Pool) -> None:
    async def using() -> list[int]:
        return [value async for value in pool.aio.map(double, range(1000))]

    assert asyncio.run(using()) == [2 * number for number in range(1000)]


def test_cancelling_the_task_that_maps_ends_the_waiting(node: SmallNode, pool: Pool) -> None:
    node.service.holding = True

    async def consume() -> None:
        async for _ in pool.aio.map(double, range(10)):
            pass

    async def using() -> None:
        task = asyncio.create_task(consume())
        await asyncio.to_thread(until, lambda: bool(node.service.specs))
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(using())
    assert not pool._session.conversation.receivers or pool._session.flush(10)


def test_a_pool_is_an_async_context_manager(pool: Pool) -> None:
    async def using() -> int:
        async with pool:
            return await pool.submit(double, 3)

    assert asyncio.run(using()) == 6
    with pytest.raises(RuntimeError, match="after shutdown"):
        pool.submit(double, 1)
