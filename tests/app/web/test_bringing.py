"""Outcomes on other nodes are brought beside a session."""

import asyncio
from pathlib import Path

from roost.app.web.bringing import Bringing
from roost.model.ids import TaskId
from roost.model.ranges import EMPTY, RangeSet
from tests.app.web.plain_service import PlainService
from tests.runtime.driving import until

TASK, OTHER = TaskId("1-bababa/f"), TaskId("1-bababa/g")


class Scene:
    def __init__(self, folder: Path) -> None:
        self.service = PlainService(folder)
        self.ready: list[tuple[TaskId, str, str]] = []
        self.told = asyncio.Event()
        self.bringing = Bringing(self.service, self._ready, ask_again_s=0.001)

    def _ready(self, task: TaskId, state: str, ranges: RangeSet) -> None:
        self.ready.append((task, state, str(ranges)))
        self.told.set()

    async def until_told(self) -> None:
        async with asyncio.timeout(10):
            await self.told.wait()
        self.told.clear()


def test_what_is_here_is_not_far(tmp_path: Path) -> None:
    async def scenario() -> None:
        scene = Scene(tmp_path)
        assert scene.bringing.far_of(TASK, "done", RangeSet.span(0, 9)) == EMPTY
        assert scene.bringing.far_of(TASK, "cancelled", RangeSet.span(0, 9)) == EMPTY
        await scene.bringing.close()
        assert scene.service.brought == []

    asyncio.run(scenario())


def test_what_is_far_is_told_when_it_is_here(tmp_path: Path) -> None:
    async def scenario() -> None:
        scene = Scene(tmp_path)
        scene.service.far = {TASK: RangeSet.span(3, 5), OTHER: RangeSet.span(0, 1)}
        assert scene.bringing.far_of(TASK, "done", RangeSet.span(0, 9)) == RangeSet.span(3, 5)
        assert scene.bringing.far_of(OTHER, "done", RangeSet.span(0, 9)) == RangeSet.span(0, 1)
        await scene.until_told()
        await asyncio.sleep(0)
        assert sorted(scene.ready) == [(TASK, "done", "3-4"), (OTHER, "done", "0")]
        await scene.bringing.close()

    asyncio.run(scenario())


def test_a_node_that_is_away_is_asked_again_until_it_is_back(tmp_path: Path) -> None:
    async def scenario() -> None:
        scene = Scene(tmp_path)
        scene.service.far, scene.service.is_away = {TASK: RangeSet.span(0, 2)}, True
        scene.bringing.far_of(TASK, "done", RangeSet.span(0, 2))
        await until(lambda: len(scene.service.brought) >= 3)
        assert scene.ready == []
        scene.service.is_away = False
        await scene.until_told()
        assert scene.ready == [(TASK, "done", "0-1")]
        await scene.bringing.close()

    asyncio.run(scenario())


def test_why_something_failed_is_asked_for_once(tmp_path: Path) -> None:
    async def scenario() -> None:
        scene = Scene(tmp_path)
        scene.service.unknown = {TASK: RangeSet.span(0, 2)}
        assert scene.bringing.far_of(TASK, "failed", RangeSet.span(0, 9)) == RangeSet.span(0, 2)
        await scene.until_told()
        assert scene.ready == [(TASK, "failed", "0-1")]
        scene.service.unknown = {TASK: RangeSet.span(0, 2)}
        assert scene.bringing.far_of(TASK, "failed", RangeSet.span(0, 9)) == EMPTY
        await scene.bringing.close()

    asyncio.run(scenario())
