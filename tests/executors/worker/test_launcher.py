"""The launcher as a process: nothing piles up in it, and it does not outlive its node."""

import os
from collections.abc import Awaitable, Callable
from pathlib import Path

from roost.executors.command import CommandExecutor
from roost.model.task import Command
from tests.executors.lab import Shop, open_shop


def launcher_pid(shop: Shop) -> int:
    assert isinstance(shop.executor, CommandExecutor)
    return shop.executor._launchers[0]._child.pid


def descriptors(pid: int) -> int:
    return len(os.listdir(f"/proc/{pid}/fd"))  # noqa: PTH208


def play(root: Path, scene: Callable[[Shop], Awaitable[None]]) -> None:
    open_shop(root, CommandExecutor, scene)


def test_descriptors_do_not_pile_up(tmp_path: Path) -> None:
    async def scene(shop: Shop) -> None:
        await shop.run(Command(("true",)))
        before = descriptors(launcher_pid(shop))
        orders = [
            shop.start(Command(("sh", "-c", "echo $ROOST_INDEX; exit $(($ROOST_INDEX % 2))"), stdin="x"), 40, lane=lane)
            for lane in (1, 2, 3)
        ]
        orders.append(shop.start(Command(("no-such-program",)), 40, lane=4))
        await shop.answers.of(*orders)
        assert descriptors(launcher_pid(shop)) == before
        assert len(shop.answers.failures) == 3 * 20 + 40

    play(tmp_path, scene)


def test_output_reaches_its_own_element_however_many_run(tmp_path: Path) -> None:
    async def scene(shop: Shop) -> None:
        script = "echo $ROOST_TOKEN $ROOST_INDEX; [ $ROOST_INDEX -lt 20 ] || sleep 0.03; echo $ROOST_TOKEN >&2"
        orders = [shop.start(Command(("sh", "-c", script), cwd="/"), 24, lane=lane, token=lane) for lane in (1, 2, 3)]
        await shop.answers.of(*orders)
        for order in orders:
            for index, result in shop.answers.results(order).items():
                assert result.stdout == f"{order.token} {index}\n".encode()
                assert result.stderr == f"{order.token}\n".encode()

    play(tmp_path, scene)
