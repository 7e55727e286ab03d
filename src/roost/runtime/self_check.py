"""The self-check: now and then a node that runs recomputes what it keeps twice, as it does after every event in tests.

Rules
- It takes a thousandth of the time, however much is in memory: it goes in short turns, and a pause follows each that
  is as long as the turn was dear. What has been checked is checked again after a minute at the earliest, and only if
  something has happened since.
- A node that finds something wrong ends, as with every error that nobody expected (driver.py): its memory is not what
  its disk says. A restart goes on from the disk.
"""

import asyncio
import time
from collections.abc import Callable, Iterator
from typing import Final

from roost.core.node import Node

#: Between two checks. Less: a fault is found sooner, nearer to what caused it.
PAUSE_S: Final = 60.0
#: How long the node does nothing else; others do not notice so little.
TURN_S: Final = 0.005
#: The share of the time that is spent on it.
SHARE: Final = 0.001


class SelfCheck:
    def __init__(self, node: Node, as_a_whole: Callable[[Callable[[], None]], None], done: Callable[[], None]) -> None:
        """``as_a_whole`` ends the node if what it is to do fails; ``done`` is called after each check."""
        self._node = node
        self._as_a_whole = as_a_whole
        self._done = done
        #: What is left of the check that is going on.
        self._steps: Iterator[None] | None = None
        self._begun_at: float | None = None
        self._timer: asyncio.TimerHandle | None = None

    def start(self) -> None:
        self._wait(PAUSE_S)

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def _wait(self, pause_s: float) -> None:
        self._timer = asyncio.get_running_loop().call_later(pause_s, self._turn)

    def _turn(self) -> None:
        self._as_a_whole(self._check_for_a_while)

    def _check_for_a_while(self) -> None:
        begin = time.perf_counter()
        is_over = self._go_on(begin + TURN_S)
        pause_s = (time.perf_counter() - begin) / SHARE
        self._wait(max(pause_s, PAUSE_S) if is_over else pause_s)
        if is_over:
            self._done()

    def _go_on(self, until: float) -> bool:
        """Check on for so long; return whether everything has been checked, or nothing has happened since it was."""
        if self._steps is None:
            if self._node.now == self._begun_at:
                return True
            self._begun_at, self._steps = self._node.now, self._node.checks()
        for _ in self._steps:
            if time.perf_counter() >= until:
                return False
        self._steps = None
        return True
