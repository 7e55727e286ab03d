import asyncio
import multiprocessing
import os
import threading
import warnings
from concurrent.futures import Future, wait
from typing import Any

import pytest

from roost.client.conversation import Conversation
from roost.client.forking import ForkableLock, tell_after_fork
from roost.client.futures import RoostFuture
from roost.client.pool import Pool
from roost.model.errors import Unavailable
from tests.client.forks import in_child
from tests.client.functions import double
from tests.client.small_node import SmallNode

#: For the children of a multiprocessing pool, which get it by the fork.
_inherited: list[Pool] = []


def test_parent_and_child_get_their_own_results(pool: Pool) -> None:
    assert pool.submit(double, 1).result(10) == 2
    assert in_child(lambda: pool.submit(double, 10).result(10)) == 20
    assert pool.submit(double, 2).result(10) == 4
    assert in_child(lambda: list(pool.map(double, range(100)))) == list(range(0, 200, 2))
    assert list(pool.map(double, [3])) == [6]


def test_the_calls_of_a_child_are_a_run_of_their_own(pool: Pool) -> None:
    pool.submit(double, 1).result(10)
    before, child = in_child(lambda: (pool.run, pool.submit(double, 1).id))
    assert before is None
    assert child.partition("/")[0] != pool.run
    assert pool.submit(double, 1).id.partition("/")[0] == pool.run


def test_children_of_a_multiprocessing_pool_may_use_the_pool_they_inherit(pool: Pool) -> None:
    assert pool.submit(double, 1).result(10) == 2
    _inherited[:] = [pool]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        with multiprocessing.get_context("fork").Pool(2) as processes:
            values = processes.map_async(_double_there, range(6)).get(30)
    assert values == [(number, 2 * number) for number in range(6)]
    assert pool.submit(double, 2).result(10) == 4


def _double_there(number: int) -> tuple[int, int]:
    return number, _inherited[0].submit(double, number).result(20)


def test_a_future_of_the_parent_ends_in_the_child_with_a_sentence(node: SmallNode, pool: Pool) -> None:
    node.service.holding = True
    called_in: list[int] = []
    future = pool.submit(double, 21)
    future.add_done_callback(lambda _: called_in.append(os.getpid()))
    name = future.id

    def ask() -> tuple[bool, str, bool, list[int]]:
        with pytest.raises(Unavailable) as caught:
            future.result(10)
        return not wait([future], timeout=10).not_done, str(caught.value), future.cancel(), called_in

    ended, sentence, cancelled, called = in_child(ask)
    assert ended
    assert name in sentence
    assert "forked" in sentence
    assert "roost.attach" in sentence
    assert not cancelled
    assert not called
    node.do(node.service.work)
    assert future.result(10) == 42


def test_a_child_finds_a_call_of_the_parent_by_its_id(node: SmallNode, pool: Pool) -> None:
    name = pool.submit(double, 21).id
    assert in_child(lambda: pool.attach(name).result(10)) == 42


@pytest.mark.parametrize("leave", ["shutdown", "_leave"])
def test_the_end_of_a_child_leaves_the_run_of_the_parent_open(node: SmallNode, pool: Pool, leave: str) -> None:
    """What a with block does, and what the end of the interpreter does."""
    node.service.holding = True
    future = pool.submit(double, 21)
    assert future.id
    in_child(getattr(pool, leave))
    assert [record.sealed.on for record in node.service.runs.values()] == [False]
    node.do(node.service.work)
    assert future.result(10) == 42
    node.service.holding = False
    assert pool.submit(double, 1).id.partition("/")[0] == pool.run


def test_a_map_that_the_child_leaves_goes_on_in_the_parent(node: SmallNode, pool: Pool) -> None:
    node.service.holding = True
    values = pool.map(double, range(10))

    def take() -> str:
        with pytest.raises(Unavailable) as caught:
            next(values)
        return str(caught.value)

    assert "forked" in in_child(take)
    in_child(values.close)  # type: ignore[attr-defined]  # it is a generator
    node.do(node.service.work)
    assert list(values) == list(range(0, 20, 2))


def test_what_other_threads_hold_does_not_keep_a_child_waiting(node: SmallNode, pool: Pool) -> None:
    node.service.holding = True
    future = pool.submit(double, 21)
    assert future.id
    with _held_by_another(pool.conversation.changed), _held_by_another(future._condition):
        assert in_child(lambda: (future.done(), pool.shutdown(cancel_futures=True))) == (True, None)


class _held_by_another:  # noqa: N801 - read as a word
    """Another thread is inside the lock."""

    def __init__(self, lock: threading.Condition) -> None:
        self._lock = lock
        self._inside, self._leave = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._hold)

    def _hold(self) -> None:
        with self._lock:
            self._inside.set()
            self._leave.wait(30)

    def __enter__(self) -> None:
        self._thread.start()
        assert self._inside.wait(10)

    def __exit__(self, *_: object) -> None:
        self._leave.set()
        self._thread.join()


def test_a_callback_may_fork(pool: Pool) -> None:
    """The child is the thread that reads, of a conversation that it has left."""
    told: Future[int] = Future()

    def called(_: Future[int]) -> None:
        try:
            told.set_result(in_child(lambda: pool.submit(double, 4).result(10)))
        except BaseException as error:  # noqa: BLE001 - told to the thread that waits
            told.set_exception(error)

    first: RoostFuture[int] = pool.submit(double, 1)
    first.add_done_callback(called)
    assert told.result(30) == 8
    assert pool.submit(double, 3).result(10) == 6


def test_asyncio_works_in_a_child(pool: Pool) -> None:
    async def both() -> list[int]:
        return [await pool.aio.submit(double, 5), *[value async for value in pool.aio.map(double, [6])]]

    assert pool.submit(double, 1).result(10) == 2
    assert in_child(lambda: asyncio.run(both())) == [10, 12]
    assert asyncio.run(both()) == [10, 12]


def test_a_pool_that_was_shut_is_shut_in_the_child(pool: Pool) -> None:
    pool.submit(double, 1)
    pool.shutdown()

    def try_it() -> str:
        with pytest.raises(RuntimeError) as caught:
            pool.submit(double, 1)
        return str(caught.value)

    assert "after shutdown" in in_child(try_it)


def test_a_child_without_a_node_is_told_and_its_pool_stays_usable(node: SmallNode, pool: Pool) -> None:
    pool.submit(double, 1).result(10)
    find = pool.conversation._find

    def try_it() -> int:
        pool.conversation._find = lambda: _nowhere(find)
        with pytest.raises(Unavailable):
            pool.submit(double, 1)
        pool.conversation._find = find
        return pool.submit(double, 4).result(10)

    assert in_child(try_it) == 8


def _nowhere(find: Any) -> Any:
    address = find()
    return type(address)("http://127.0.0.1:9", address.token)


def test_a_conversation_that_has_ended_stays_ended_in_the_child(conversation: Conversation) -> None:
    conversation.close()
    assert in_child(lambda: conversation.is_closed)


def test_a_lock_is_free_in_the_child() -> None:
    lock = ForkableLock()

    def held() -> bool:
        with lock.held():
            return True

    with lock.held():
        assert in_child(held)


def test_only_what_still_exists_is_told() -> None:
    told: list[str] = []

    class Thing:
        def forsake(self) -> None:
            told.append("told")

    kept, dropped = Thing(), Thing()
    tell_after_fork(kept)
    tell_after_fork(dropped)
    del dropped
    assert in_child(lambda: told) == ["told"]
    assert not told
