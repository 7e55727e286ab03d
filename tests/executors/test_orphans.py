"""Finding and killing what others left behind."""

import asyncio
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

from roost.executors.orphans import MARK_VARIABLE, kill, living, when_gone
from tests.executors.lab import is_alive

MARK = f"orphans-of-{os.getpid()}."


@contextmanager
def sleeper(mark: str, **options: bool) -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(["sleep", "600"], env={**os.environ, MARK_VARIABLE: mark}, **options) as process:
        try:
            # For a moment after its start a program has no environment yet.
            while not living(mark):
                pass
            yield process
        finally:
            process.kill()


def test_a_process_is_found_by_its_mark_its_group_or_its_session() -> None:
    with sleeper(f"{MARK}1.", start_new_session=True) as first, sleeper(f"{MARK}12.") as second:
        assert living(f"{MARK}1.") == [first.pid]
        assert sorted(living(MARK)) == sorted([first.pid, second.pid])
        assert living("nobody", group=first.pid) == [first.pid]
        assert living("nobody", session=first.pid) == [first.pid]
        assert living("nobody") == []


def test_a_process_that_has_ended_is_not_found() -> None:
    with sleeper(f"{MARK}2.") as process:
        process.kill()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        assert living(f"{MARK}2.") == []


def test_they_are_killed_before_things_go_on() -> None:
    with sleeper(f"{MARK}3.", start_new_session=True) as process:

        async def sweep() -> bool:
            gone = asyncio.Event()
            when_gone(gone.set, f"{MARK}3.", process.pid)
            await asyncio.wait_for(gone.wait(), 10)
            return is_alive(process.pid)

        assert not asyncio.run(sweep())
        assert not kill(f"{MARK}3.")
