"""What a client that subscribed is told, when, and how often."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import pytest

from roost.api.requests import CommandAsked, Submission, TaskAsked
from roost.app.intake.submission import to_event
from roost.app.lan import following as module
from roost.app.lan.following import Following
from roost.app.lan.ids import uuid_of
from roost.app.lan.protocol import Progress
from roost.core.actions import ProgressChanged, RunChanged
from roost.core.telling.views import RunningElement
from roost.model.errors import InvalidInput
from roost.model.ids import TaskId, run_of
from roost.model.ranges import RangeSet
from tests.app.web.plain_service import PlainService

PATIENCE_S = 20.0


class Lab:
    """A plain node and somebody who follows some of its tasks."""

    def __init__(self, home: Path) -> None:
        self.service = PlainService(home)
        self.told: list[Progress] = []
        self.hung_up = 0
        self.following = self.follower(self._send)

    def follower(self, send: Callable[[Sequence[Progress]], Awaitable[None]]) -> Following:
        return Following(self.service, send, self._hang_up)

    def _hang_up(self) -> None:
        self.hung_up += 1

    async def _send(self, news: Sequence[Progress]) -> None:
        self.told += news

    async def submit(self) -> TaskId:
        event = to_event(Submission([TaskAsked("work", CommandAsked(["true"]))]), self.service)
        await self.service.ask(event)
        return event.tasks[0].id

    def lines(self, task: TaskId) -> list[str]:
        return [f"{one.state} {one.percent}" for one in self.told if one.uuid == uuid_of(task)]

    def report(self, task: TaskId, fraction: float) -> None:
        """Let the running element say how far it is."""
        self.service.running[task] = (RunningElement(task, 0, 1.0, fraction),)
        self.service.notify(ProgressChanged(task, 0, fraction))

    def quietly(self, task: TaskId, state: str) -> None:
        """Move the element without an event, as the beginning of work is."""
        ranges = {name: part - part for name, part in self.service.ranges[task].items()}
        self.service.ranges[task] = ranges | {state: RangeSet.of([0])}


async def until(condition: Callable[[], object]) -> None:
    give_up = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < give_up, "what was waited for did not come"
        await asyncio.sleep(0.001)


@pytest.fixture(autouse=True)
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "GAP_S", 0.001)
    monkeypatch.setattr(module, "LOOK_S", PATIENCE_S)


def test_a_task_is_told_as_it_is_then_as_it_changes_until_it_ends(tmp_path: Path) -> None:
    async def story() -> None:
        lab = Lab(tmp_path)
        task = await lab.submit()
        lab.following.add([task])
        await until(lambda: lab.lines(task) == ["Ready 0"])
        lab.service.run_element(task, 0)
        await until(lambda: lab.lines(task)[1:] == ["Running 40"])
        lab.report(task, 0.7)
        await until(lambda: lab.lines(task)[2:] == ["Running 70"])
        lab.service.running[task] = ()
        lab.service.finish(task, 0, b"\x80")
        await lab.following.wait()
        assert lab.lines(task)[3:] == ["Terminated 100"]
        assert lab.service.listeners == []

    asyncio.run(story())


def test_what_has_ended_is_told_once_and_then_costs_nothing(tmp_path: Path) -> None:
    async def story() -> None:
        lab = Lab(tmp_path)
        task = await lab.submit()
        lab.service.finish(task, 0, b"\x80")
        lab.following.add([task])
        await lab.following.wait()
        lab.following.add([task])
        await lab.following.wait()
        assert lab.lines(task) == ["Terminated 100"] * 2
        assert lab.service.listeners == []

    asyncio.run(story())


def test_changes_that_no_event_tells_are_seen_by_looking(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LOOK_S", 0.001)

    async def story() -> None:
        lab = Lab(tmp_path)
        task = await lab.submit()
        lab.following.add([task])
        await until(lambda: lab.lines(task) == ["Ready 0"])
        lab.quietly(task, "running")
        await until(lambda: lab.lines(task)[1:] == ["Running 0"])
        lab.quietly(task, "aborted")
        await lab.following.wait()
        assert lab.lines(task)[2:] == ["Aborted 0"]

    asyncio.run(story())


def test_the_end_of_a_run_is_a_reason_to_look(tmp_path: Path) -> None:
    async def story() -> None:
        lab = Lab(tmp_path)
        task, other = await lab.submit(), await lab.submit()
        lab.following.add([task, other])
        await until(lambda: lab.lines(other))
        lab.quietly(task, "aborted")
        lab.quietly(other, "aborted")
        lab.service.notify(RunChanged(run_of(task), "cancelled"))
        await until(lambda: lab.lines(task)[1:] == ["Aborted 0"])
        assert lab.lines(other) == ["Ready 0"]
        await lab.following.stop()

    asyncio.run(story())


def test_the_same_is_told_again_only_after_a_while(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """LAN 4.5: the progress reporter speaks periodically."""
    monkeypatch.setattr(module, "LOOK_S", 0.001)

    async def story() -> None:
        lab = Lab(tmp_path)
        task = await lab.submit()
        lab.following.add([task])
        await until(lambda: lab.lines(task))
        for _ in range(50):
            lab.report(task, 0.0)
            await asyncio.sleep(0.001)
        assert lab.lines(task) == ["Ready 0"]
        monkeypatch.setattr(module, "REPEAT_S", 0.0)
        await until(lambda: len(lab.lines(task)) >= 3)
        assert set(lab.lines(task)) == {"Ready 0"}
        await lab.following.stop()

    asyncio.run(story())


def test_many_changes_while_the_client_is_busy_are_one_line(tmp_path: Path) -> None:
    async def story() -> None:
        lab = Lab(tmp_path)
        task = await lab.submit()
        busy = asyncio.Event()

        async def slowly(news: Sequence[Progress]) -> None:
            lab.told += news
            await busy.wait()

        following = lab.follower(slowly)
        following.add([task])
        await until(lambda: lab.told)
        lab.quietly(task, "running")
        for percent in range(100):
            lab.report(task, percent / 100)
        busy.set()
        await until(lambda: len(lab.told) > 1)
        assert lab.lines(task) == ["Ready 0", "Running 99"]
        await following.stop()
        assert lab.service.listeners == []

    asyncio.run(story())


def test_a_client_that_is_gone_ends_it(tmp_path: Path) -> None:
    async def story() -> None:
        lab = Lab(tmp_path)

        async def broken(news: Sequence[Progress]) -> None:
            raise ConnectionResetError

        following = lab.follower(broken)
        following.add([await lab.submit()])
        await following.wait()
        assert (lab.service.listeners, lab.hung_up) == ([], 1)
        await following.stop()

    asyncio.run(story())


def test_an_error_of_our_own_does_not_leave_the_client_waiting(tmp_path: Path) -> None:
    async def story() -> None:
        lab = Lab(tmp_path)
        task = await lab.submit()
        lab.following.add([task])
        await until(lambda: lab.lines(task))
        del lab.service.ranges[task]
        lab.report(task, 0.5)
        await until(lambda: lab.hung_up)
        with pytest.raises(KeyError):
            await lab.following.stop()
        assert lab.service.listeners == []

    asyncio.run(story())


def test_subscriptions_have_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LAN_SUBSCRIPTIONS_MAX", 2)

    async def story() -> None:
        lab = Lab(tmp_path)
        tasks = [await lab.submit() for _ in range(3)]
        lab.following.check_room(tasks[:2])
        lab.following.add(tasks[:2])
        lab.following.check_room(tasks[:2])
        with pytest.raises(InvalidInput, match="that would be 3 subscriptions; one connection has 2"):
            lab.following.check_room(tasks[2:])
        await lab.following.stop()

    asyncio.run(story())
