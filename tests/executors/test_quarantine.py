"""Suspects wait for their lane, and those behind them wait, too."""

import asyncio
from pathlib import Path

from roost.executors.command import CommandExecutor
from roost.executors.quarantine import Quarantine
from roost.model.task import Command
from tests.executors.lab import TASK, Answers, Orders, make_places


def test_a_suspect_waits_until_its_lane_is_free_and_runs_in_a_launcher_of_its_own(tmp_path: Path) -> None:
    async def play() -> None:
        answers, orders = Answers(), Orders()
        commands = CommandExecutor(make_places(tmp_path / "home"), answers.report)
        executor = Quarantine(commands, answers.report)
        try:
            commands._suspects.died_under([(TASK, 5)])
            wait = Command(("sh", "-c", f"echo $PPID; until [ -e {tmp_path}/go ]; do sleep 0.02; done"))
            busy = orders.make(wait, lane=1)
            suspect = orders.make(Command(("sh", "-c", "echo $PPID")), start=5, lane=1)
            behind = orders.make(Command(("sh", "-c", "echo $PPID")), start=6, lane=1)
            for order in (busy, suspect, behind):
                executor.start(order)
            assert not any(suspect.lease in launcher for launcher in commands._launchers)
            (tmp_path / "go").touch()
            await answers.of(busy, suspect, behind)
            shared, own, after = (
                answers.results(order)[order.ranges.first].stdout for order in (busy, suspect, behind)
            )
            assert shared != own
            assert after in (own, shared)
            assert not commands._suspects
        finally:
            await executor.close()

    asyncio.run(play())


def test_others_do_not_wait(tmp_path: Path) -> None:
    async def play() -> None:
        answers, orders = Answers(), Orders()
        commands = CommandExecutor(make_places(tmp_path / "home"), answers.report)
        executor = Quarantine(commands, answers.report)
        try:
            commands._suspects.died_under([(TASK, 5)])
            order = orders.make(Command(("true",)), 2)
            executor.start(order)
            assert commands.serves(order.lane)
            await answers.of(order)
        finally:
            await executor.close()

    asyncio.run(play())
