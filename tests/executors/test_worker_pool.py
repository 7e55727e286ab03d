"""Which worker serves which lane, and how long it lives."""

import errno
import os
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from roost.executors.function import FunctionExecutor
from roost.executors.places import Places
from roost.executors.port import Report
from roost.executors.script import ScriptExecutor
from roost.executors.worker_pool import WorkerPool
from tests.executors.lab import Shop, arguments, function_of, open_shop, script_of


def play(root: Path, kind: type[WorkerPool], scene: Callable[[Shop], Awaitable[None]], idle_s: float = 60.0) -> None:
    def make(places: Places, report: Report) -> WorkerPool:
        return kind(places, report, niceness=0, idle_s=idle_s)

    open_shop(root, make, scene)


def workers_of(shop: Shop) -> int:
    assert isinstance(shop.executor, WorkerPool)
    return len(shop.executor._workers)


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_an_idle_worker_serves_the_next_lane(tmp_path: Path) -> None:
    work, blobs = script_of("function weevil_main() { return 1 }")

    async def scene(shop: Shop) -> None:
        for lane in (1, 2, 3):
            await shop.run(work, 2, lane=lane, blobs=blobs)
            await shop.answers.until(lambda: len(shop.executor._idle) == 1)  # type: ignore[attr-defined]  # WorkerPool
        assert workers_of(shop) == 1

    play(tmp_path, ScriptExecutor, scene)


def test_lanes_that_work_at_the_same_time_have_workers_of_their_own(tmp_path: Path) -> None:
    work, blobs = function_of(time.sleep)

    async def scene(shop: Shop) -> None:
        for lane in (1, 2):
            shop.start(work, items=[arguments(60)], lane=lane, blobs=blobs)
        assert workers_of(shop) == 2

    play(tmp_path, FunctionExecutor, scene)


@pytest.mark.parametrize("kind", [FunctionExecutor, ScriptExecutor], ids=["functions", "scripts"])
def test_workers_that_are_kept_ready_end_after_a_while(tmp_path: Path, kind: type[WorkerPool]) -> None:
    async def scene(shop: Shop) -> None:
        assert isinstance(shop.executor, WorkerPool)
        shop.executor.warm(2)
        assert workers_of(shop) == 2
        await shop.answers.until(lambda: workers_of(shop) == 0)

    play(tmp_path, kind, scene, idle_s=0.05)


def test_a_lease_for_which_there_is_no_process_fails_and_the_next_one_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work, blobs = function_of(abs)

    def nothing_left(*_: object, **__: object) -> int:
        raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    async def scene(shop: Shop) -> None:
        before = descriptors()
        with monkeypatch.context() as patch:
            patch.setattr(os, "posix_spawn", nothing_left)
            order = await shop.run(work, 2, items=[arguments(-1), arguments(-2)], blobs=blobs)
        reason = "no process could be started for it on this node: resource temporarily unavailable"
        assert [shop.answers.failure(order, index).reason for index in (0, 1)] == [reason] * 2
        assert descriptors() == before
        order = await shop.run(work, items=[arguments(-1)], blobs=blobs)
        assert shop.answers.objects(order) == {0: 1}

    play(tmp_path, FunctionExecutor, scene)
