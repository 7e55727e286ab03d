"""One launcher, seen from the node."""

import asyncio
from pathlib import Path

from roost.core.actions import StopMode
from roost.executors.command_launcher import CommandLauncher
from roost.executors.suspects import Suspects
from roost.model.ranges import RangeSet
from roost.model.task import Command
from tests.executors.lab import Answers, Orders, make_places


class Scene:
    def __init__(self, root: Path) -> None:
        self.answers = Answers()
        self.gone: list[CommandLauncher] = []
        places = make_places(root)
        self.launcher = CommandLauncher(places, self.answers.report, "commands-test", 0, self.gone.append, Suspects())


def test_it_knows_its_lanes_and_how_long_it_has_been_idle(tmp_path: Path) -> None:
    async def play() -> None:
        scene = Scene(tmp_path)
        launcher = scene.launcher
        assert launcher.idle_s() == 0, "one that is being started is not idle"
        orders = Orders()
        order = orders.make(Command(("true",), cwd="/"), lane=4)
        launcher.start(order)
        assert launcher.lanes == {4}
        await scene.answers.of(order)
        assert launcher.ready
        assert launcher.lanes == set()
        await scene.answers.until(lambda: launcher.idle_s() > 0)
        launcher.stop(order.lease, RangeSet.span(0, 1), StopMode.KILL)
        launcher.hold(order.lease, on=True)
        await launcher.close()
        assert launcher.is_leaving
        assert scene.gone == [launcher]

    asyncio.run(play())


def test_one_that_retires_ends_by_itself(tmp_path: Path) -> None:
    async def play() -> None:
        scene = Scene(tmp_path)
        await scene.answers.until(lambda: scene.launcher.ready)
        scene.launcher.retire()
        await scene.answers.until(lambda: scene.gone == [scene.launcher])
        await scene.launcher.close()

    asyncio.run(play())
