"""One worker, seen from the node."""

import asyncio
import os
import signal
import time
from pathlib import Path

from roost.core.actions import StopMode
from roost.executors.order import Order
from roost.executors.worker_process import WorkerProcess
from tests.executors.lab import Answers, Orders, arguments, function_of, make_places, process_state


class Scene:
    def __init__(self, root: Path) -> None:
        self.answers = Answers()
        self.idle: list[WorkerProcess] = []
        self.gone: list[WorkerProcess] = []
        self.orders = Orders()
        self.worker = WorkerProcess(
            "roost.executors.worker.function_main",
            make_places(root),
            self.answers.report,
            0,
            self.idle.append,
            self.gone.append,
        )

    def start(self, *seconds: float, limit_s: float | None = None) -> Order:
        work, blobs = function_of(time.sleep)
        items = [arguments(each) for each in seconds]
        order = self.orders.make(work, len(items), items=items, blobs=blobs, limit_s=limit_s)
        self.worker.start(order)
        return order

    async def end(self) -> None:
        self.worker.silence()
        self.worker.kill()
        await self.worker.ended.wait()


def test_it_says_when_it_has_nothing_to_do(tmp_path: Path) -> None:
    async def play() -> None:
        scene = Scene(tmp_path)
        order = scene.start(0, 0)
        assert order.lease in scene.worker
        await scene.answers.of(order)
        await scene.answers.until(lambda: scene.idle == [scene.worker])
        assert order.lease not in scene.worker
        assert scene.worker.usable
        await scene.end()
        assert not scene.worker.usable
        assert scene.gone == [scene.worker]

    asyncio.run(play())


def test_a_lease_that_waits_can_be_held_and_released(tmp_path: Path) -> None:
    async def play() -> None:
        scene = Scene(tmp_path)
        first, second, third = scene.start(0.1), scene.start(0), scene.start(0)
        scene.worker.pause(second.lease)
        await scene.answers.of(first)
        scene.worker.resume(second.lease)
        await scene.answers.of(second, third)
        assert scene.answers.failures == {}
        await scene.end()

    asyncio.run(play())


def test_after_a_stop_a_frozen_worker_is_frozen_again(tmp_path: Path) -> None:
    async def play() -> None:
        scene = Scene(tmp_path)
        order = scene.start(0.2, 0, 0)
        pid = scene.worker._child.pid
        await scene.answers.until(lambda: process_state(pid) == "S")
        scene.worker.pause(order.lease)
        scene.worker.stop(order.lease, order.ranges, StopMode.UNSTARTED)
        await scene.answers.until(lambda: len(scene.answers.returned) >= 2)
        if len(scene.answers.returned) == 2:
            await scene.answers.until(lambda: process_state(pid) == "T")
            scene.worker.resume(order.lease)
        await scene.answers.of(order)
        await scene.end()

    asyncio.run(play())


def test_elements_of_a_worker_that_is_killed_between_leases_come_back(tmp_path: Path) -> None:
    async def play() -> None:
        scene = Scene(tmp_path)
        await scene.answers.of(scene.start(0))
        os.kill(scene.worker._child.pid, signal.SIGKILL)
        order = scene.start(0, 0)
        await scene.answers.of(order)
        assert scene.answers.failures == {}
        assert len(scene.answers.returned) == 2

    asyncio.run(play())


def test_a_shorter_time_limit_counts_also_after_a_longer_one(tmp_path: Path) -> None:
    """A timer that was set for the longer limit must not be what the shorter one waits for."""

    async def play() -> None:
        scene = Scene(tmp_path)
        await scene.answers.of(scene.start(0, limit_s=600))
        order = scene.start(600, limit_s=0.2)
        await scene.answers.of(order)
        assert [failure.reason for failure in scene.answers.failures.values()] == ["took longer than 0.2 s"]
        await scene.worker.ended.wait()

    asyncio.run(play())


def test_a_shorter_time_limit_counts_also_for_what_waits_behind_a_longer_one(tmp_path: Path) -> None:
    async def play() -> None:
        scene = Scene(tmp_path)
        first, second = scene.start(0.3, limit_s=600), scene.start(600, limit_s=0.2)
        await scene.answers.of(first, second)
        assert [failure.reason for failure in scene.answers.failures.values()] == ["took longer than 0.2 s"]
        await scene.worker.ended.wait()

    asyncio.run(play())
