import asyncio
import pickle
from concurrent.futures import FIRST_COMPLETED, CancelledError, as_completed, wait
from threading import Thread
from typing import Any

import pytest

from roost.client.failures import TaskFailed
from roost.client.futures import Calls, RoostFuture
from roost.model.ids import TaskId
from roost.model.ranges import RangeSet
from roost.model.segments import pack
from roost.model.task import Failure


class Recorder:
    """A session that remembers what its futures ask of it."""

    def __init__(self) -> None:
        self.cancelled: list[int] = []
        self.runs = False

    def is_running(self, future: RoostFuture[Any]) -> bool:
        return self.runs

    def cancel_call(self, future: RoostFuture[Any]) -> None:
        self.cancelled.append(future.index)

    def wait_until_accepted(self, future: RoostFuture[Any]) -> None:
        assert future.calls is not None
        future.calls.is_accepted = True


def calls_of(count: int) -> tuple[Calls, list[RoostFuture[Any]], Recorder]:
    recorder = Recorder()
    futures: list[RoostFuture[Any]] = [RoostFuture(recorder) for _ in range(count)]
    calls = Calls(futures)
    calls.task = TaskId("5-kedova/f-1")
    return calls, futures, recorder


def test_results_reach_their_futures() -> None:
    calls, futures, _ = calls_of(3)
    calls.arrived(pack(1, [pickle.dumps("b"), pickle.dumps("c")]))
    assert [future.done() for future in futures] == [False, True, True]
    assert calls.missing == RangeSet.of([0])
    assert not calls.finished
    calls.arrived(pack(0, [pickle.dumps("a")]))
    assert [future.result() for future in futures] == ["a", "b", "c"]
    assert calls.finished


def test_an_id_waits_until_the_call_is_accepted() -> None:
    calls, futures, _ = calls_of(2)
    assert not calls.is_accepted
    assert futures[1].id == "5-kedova/f-1[1]"
    assert calls.is_accepted


def test_a_failure_is_raised_by_its_future_only() -> None:
    calls, futures, _ = calls_of(2)
    calls.failed(0, Failure("ValueError: bad"))
    with pytest.raises(TaskFailed, match=r"5-kedova/f-1\[0\] failed: ValueError: bad"):
        futures[0].result()
    assert not futures[1].done()


def test_a_result_that_cannot_be_opened_is_the_outcome_of_its_call() -> None:
    calls, futures, _ = calls_of(2)
    calls.arrived(pack(0, [b"no pickle", pickle.dumps(1)]))
    with pytest.raises(pickle.UnpicklingError):
        futures[0].result()
    assert futures[1].result() == 1


def test_cancelling_asks_the_node_once_and_wakes_those_who_wait() -> None:
    _, futures, recorder = calls_of(2)
    assert futures[1].cancel()
    assert futures[1].cancel()
    assert recorder.cancelled == [1]
    assert wait(futures, timeout=5, return_when=FIRST_COMPLETED).done == {futures[1]}
    with pytest.raises(CancelledError):
        futures[1].result()


def test_a_result_after_the_cancellation_is_dropped() -> None:
    calls, futures, _ = calls_of(1)
    futures[0].cancel()
    calls.arrived(pack(0, [pickle.dumps(1)]))
    assert futures[0].cancelled()
    assert calls.finished


def test_what_is_done_cannot_be_cancelled() -> None:
    calls, futures, recorder = calls_of(1)
    calls.arrived(pack(0, [pickle.dumps(1)]))
    assert not futures[0].cancel()
    assert recorder.cancelled == []


def test_a_cancellation_by_somebody_else_cancels_the_future() -> None:
    calls, futures, recorder = calls_of(2)
    calls.ended("cancelled", RangeSet.of([0, 7]))
    assert futures[0].cancelled()
    assert list(as_completed([futures[0]], timeout=5)) == [futures[0]]
    assert recorder.cancelled == []


def test_an_aborted_element_says_that_it_never_ran() -> None:
    calls, futures, _ = calls_of(1)
    calls.ended("aborted", RangeSet.of([0]))
    with pytest.raises(TaskFailed, match="never ran"):
        futures[0].result()


def test_when_the_node_is_lost_every_open_future_says_so() -> None:
    calls, futures, _ = calls_of(2)
    calls.arrived(pack(0, [pickle.dumps(1)]))
    calls.lost(RuntimeError("gone"))
    assert futures[0].result() == 1
    with pytest.raises(RuntimeError, match="gone"):
        futures[1].result()


def test_a_future_can_be_awaited() -> None:
    calls, futures, _ = calls_of(1)

    async def waiting() -> Any:
        asyncio.get_running_loop().call_soon(calls.arrived, pack(0, [pickle.dumps("x")]))
        return await futures[0]

    assert asyncio.run(waiting()) == "x"


def test_cancelling_the_task_that_awaits_cancels_the_call() -> None:
    _, futures, recorder = calls_of(1)

    async def waiting() -> None:
        async def await_it() -> None:
            await futures[0]

        task = asyncio.create_task(await_it())
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])

    asyncio.run(waiting())
    assert recorder.cancelled == [0]


class ExitsWhenLoaded:
    """A result whose unpickling raises what would end a thread."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _exit, ()


def _exit() -> None:
    raise SystemExit(3)


def test_a_result_that_exits_when_it_is_opened_is_the_outcome_of_its_call() -> None:
    calls, futures, _ = calls_of(2)
    calls.arrived(pack(0, [pickle.dumps(ExitsWhenLoaded()), pickle.dumps(1)]))
    assert isinstance(futures[0].exception(), TaskFailed), "raised again, it would end the caller's program"
    assert futures[1].result() == 1


def test_a_callback_that_exits_harms_neither_the_reader_nor_other_callbacks(caplog: pytest.LogCaptureFixture) -> None:
    calls, futures, _ = calls_of(2)
    called: list[str] = []

    def exit_now(_: object) -> None:
        called.append("exits")
        raise SystemExit(3)

    futures[0].add_done_callback(exit_now)
    futures[0].add_done_callback(lambda _: called.append("second"))
    futures[1].add_done_callback(lambda _: called.append("other"))
    reader = Thread(target=calls.arrived, args=(pack(0, [pickle.dumps(0), pickle.dumps(1)]),))
    reader.start()
    reader.join()
    assert called == ["exits", "second", "other"]
    assert "raised" in caplog.text


def test_a_callback_that_is_called_at_once_may_end_the_program() -> None:
    calls, futures, _ = calls_of(1)
    calls.arrived(pack(0, [pickle.dumps(0)]))
    with pytest.raises(SystemExit):
        futures[0].add_done_callback(lambda _: _exit())


def test_whether_it_runs_is_asked_of_the_caller_while_it_has_no_outcome() -> None:
    calls, futures, caller = calls_of(1)
    assert not futures[0].running()
    caller.runs = True
    assert futures[0].running()
    calls.arrived(pack(0, [pickle.dumps(0)]))
    assert not futures[0].running()
