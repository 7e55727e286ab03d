"""A process of ours: messages both ways, and word of its end."""

import asyncio
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

from roost.executors.order import Order
from roost.executors.process import Child, Ending
from roost.executors.worker import notes
from roost.executors.worker.fronts import LANES_MAX
from roost.executors.worker.messages import Done, FromChild, Keep, Ready
from roost.model.task import Command
from roost.wire.values import decode_command_result
from tests.executors.lab import is_alive, make_places, order_of

LAUNCHER = "roost.executors.worker.command_main"


class Talk:
    """A launcher, as an example of a child, and what it said."""

    def __init__(self, root: Path) -> None:
        places = make_places(root)
        self.heard: list[FromChild] = []
        self.ending: Ending | None = None
        shared, _ = notes.make(Path("/nowhere/notes"), LANES_MAX)
        arguments = [str(word) for word in (shared, places.logs, places.blobs, places.scratch, 1000, 0)]
        mark = f"talk-{os.getpid()}-1"
        self.child = Child(LAUNCHER, arguments, places.home, mark, self.heard.extend, self._end, lent=(shared,))
        os.close(shared)

    def _end(self, ending: Ending) -> None:
        self.ending = ending

    async def until(self, condition: Callable[[], bool]) -> None:
        give_up = time.monotonic() + 30
        while not condition():
            assert time.monotonic() < give_up
            await asyncio.sleep(0.005)


def lease(word: str, number: int = 1) -> Order:
    return order_of(Command(("echo", word), cwd="/"), 0, 1, lease=number, lane=number)


def test_messages_go_both_ways_however_large(tmp_path: Path) -> None:
    async def scene() -> None:
        talk = Talk(tmp_path)
        await talk.until(lambda: bool(talk.heard))
        assert talk.heard == [Ready()]
        talk.child.send(Keep("key", (bytes(30_000_000),)))
        talk.child.send(lease("hello"))
        await talk.until(lambda: len(talk.heard) == 2)
        done = talk.heard[1]
        assert isinstance(done, Done)
        assert decode_command_result(done.segments[0].values()[0]).stdout == b"hello\n"
        talk.child.hang_up()
        await talk.until(lambda: talk.ending is not None)
        assert str(talk.ending) == "exited with code 0"
        talk.child.send(lease("too late"))
        talk.child.signal(signal.SIGTERM)
        talk.child.hang_up()

    asyncio.run(scene())


def test_messages_of_one_turn_of_the_loop_all_arrive(tmp_path: Path) -> None:
    async def scene() -> None:
        talk = Talk(tmp_path)
        await talk.until(lambda: bool(talk.heard))
        words = [f"word {number}" for number in range(20)]
        for number, word in enumerate(words):
            talk.child.send(lease(word, number))
            talk.child.send(Keep(word, (bytes(100_000),)))
        await talk.until(lambda: len(talk.heard) == 1 + len(words))
        said = [decode_command_result(d.segments[0].values()[0]).stdout for d in talk.heard if isinstance(d, Done)]
        assert sorted(said) == sorted(f"{word}\n".encode() for word in words)
        talk.child.hang_up()
        await talk.until(lambda: talk.ending is not None)

    asyncio.run(scene())


def test_the_end_is_told_with_its_cause_and_leads_a_session_of_its_own(tmp_path: Path) -> None:
    async def scene() -> None:
        talk = Talk(tmp_path)
        await talk.until(lambda: bool(talk.heard))
        assert os.getsid(talk.child.pid) == os.getpgid(talk.child.pid) == talk.child.pid
        talk.child.signal(signal.SIGKILL)
        await talk.until(lambda: talk.ending is not None)
        assert talk.ending is not None
        assert (talk.ending.exit_code, talk.ending.signal) == (None, signal.SIGKILL)
        assert str(talk.ending) == "was killed by SIGKILL"
        assert not is_alive(talk.child.pid)

    asyncio.run(scene())
