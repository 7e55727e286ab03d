import queue
import sys
from concurrent.futures import Executor, as_completed, wait

import pytest

from roost.client.failures import TaskFailed
from roost.client.pool import Pool
from roost.model.ids import TaskId
from roost.model.ranges import RangeSet
from tests.client.functions import add, double, fail, nothing
from tests.client.small_node import SmallNode, until


def test_a_pool_is_an_executor(pool: Pool) -> None:
    assert isinstance(pool, Executor)
    assert pool.submit(double, 4).result(10) == 8
    assert pool.submit(add, 1, right=2).result(10) == 3
    assert pool.submit(nothing).result(10) is None
    assert list(pool.map(add, [1, 2], [3, 4])) == [4, 6]


def test_wait_and_as_completed_work_on_its_futures(pool: Pool) -> None:
    futures = [pool.submit(double, number) for number in range(50)]
    assert {future.result() for future in as_completed(futures, timeout=10)} == set(range(0, 100, 2))
    assert not wait(futures, timeout=10).not_done


def test_a_failure_is_what_the_function_raised_with_the_traceback_of_the_worker(pool: Pool) -> None:
    future = pool.submit(fail, "bad luck")
    with pytest.raises(ValueError, match="bad luck") as caught:
        future.result(10)
    assert type(caught.value) is ValueError
    assert future.id in str(caught.value.__cause__)
    assert "in fail" in str(caught.value.__cause__)


def test_done_callbacks_may_submit_more(pool: Pool) -> None:
    further: list[object] = []
    first = pool.submit(double, 1)
    first.add_done_callback(lambda done: further.append(pool.submit(double, done.result())))
    until(lambda: bool(further))
    pool.shutdown()
    assert [future.result(0) for future in further] == [4]  # type: ignore[attr-defined]


def test_a_with_block_waits_for_everything(node: SmallNode, pool: Pool) -> None:
    with pool:
        futures = [pool.submit(double, number) for number in range(100)]
    assert all(future.done() for future in futures)
    assert pool.run is not None
    assert all(record.sealed.on for record in node.service.runs.values())
    with pytest.raises(RuntimeError, match="after shutdown"):
        pool.submit(double, 1)
    with pytest.raises(RuntimeError, match="after shutdown"):
        pool.map(double, [1])


def test_shutting_down_may_cancel_what_waits(node: SmallNode, pool: Pool) -> None:
    node.service.holding = True
    futures = [pool.submit(double, number) for number in range(10)]
    pool.shutdown(cancel_futures=True)
    assert all(future.cancelled() for future in futures)


def test_what_runs_is_told_and_goes_on_when_the_rest_is_cancelled(node: SmallNode, pool: Pool) -> None:
    node.service.holding = True
    futures = [pool.submit(double, number) for number in range(10)]
    task, _, index = futures[3].id.partition("[")
    elements = RangeSet.span(int(index[:-1]), int(index[:-1]) + 1)
    node.do(lambda: node.service.begin(TaskId(task), elements))
    assert [future.running() for future in futures] == [number == 3 for number in range(10)]
    assert pool.attach(futures[3].id).running()
    pool.shutdown(wait=False, cancel_futures=True)
    node.do(node.service.work)
    pool.shutdown()
    assert futures[3].result(0) == 6
    assert [future.cancelled() for future in futures] == [number != 3 for number in range(10)]


def test_a_callback_that_exits_and_a_result_that_cannot_be_opened_end_nothing(pool: Pool) -> None:
    first = pool.submit(double, 1)
    first.add_done_callback(lambda _: sys.exit(3))
    assert isinstance(pool.submit(ExitsWhenLoaded).exception(10), TaskFailed)
    assert pool.submit(double, 2).result(10) == 4


class ExitsWhenLoaded:
    def __reduce__(self) -> tuple[object, ...]:
        return sys.exit, (3,)


def test_the_names_of_arguments_are_free(pool: Pool) -> None:
    assert pool.submit(dict, self=1, fn=2, args=3).result(10) == {"self": 1, "fn": 2, "args": 3}


def test_whether_a_call_runs_cannot_be_asked_by_who_must_not_wait(node: SmallNode, pool: Pool) -> None:
    node.service.holding = True
    waiting, told = pool.submit(double, 2), queue.SimpleQueue[bool]()
    task = TaskId(waiting.id.partition("[")[0])
    node.do(lambda: node.service.begin(task, RangeSet.span(0, 1)))
    assert waiting.running()
    waiting.add_done_callback(lambda _: told.put(other.running()))
    other = pool.submit(double, 3)
    assert other.id
    node.do(node.service.work)
    assert told.get(timeout=10) is False


def test_shutting_down_without_waiting_still_brings_the_results(node: SmallNode, pool: Pool) -> None:
    node.service.holding = True
    future = pool.submit(double, 21)
    pool.shutdown(wait=False)
    assert not future.done()
    node.do(node.service.work)
    pool.shutdown(wait=True)
    assert future.result(0) == 42
    assert future.id.startswith(f"{pool.run}/")


def test_a_client_that_vanishes_leaves_a_sealed_run_that_goes_on(node: SmallNode, pool: Pool) -> None:
    node.service.holding = True
    future_id = pool.submit(double, 21).id
    pool._session.conversation.close()
    node.do(node.service.work)
    assert [view.spec.elements.range_count for view in node.service.tasks(next(iter(node.service.runs)))] == [1]
    assert future_id.endswith("[0]")
    until(lambda: all(record.sealed.on for record in node.service.runs.values()))


def test_a_pool_reattaches_to_its_own_calls(pool: Pool) -> None:
    futures = [pool.submit(double, number) for number in range(5)]
    again = [pool.attach(future.id) for future in futures]
    assert [future.result(10) for future in again] == [0, 2, 4, 6, 8]
    assert [future.id for future in again] == [future.id for future in futures]


@pytest.mark.parametrize("wrong", [{"chunksize": 0}, {"chunksize": -1}, {"chunksize": 1.5}, {"buffersize": -1}])
def test_numbers_below_one_are_refused(pool: Pool, wrong: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="use 1 or more"):
        pool.map(double, [1], **wrong)


def test_a_pool_shows_its_run(pool: Pool) -> None:
    assert repr(pool) == "<roost.Pool run=none yet>"
    pool.submit(double, 1).result(10)
    assert repr(pool) == f"<roost.Pool run={pool.run}>"
