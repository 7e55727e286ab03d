"""OnlineTimes: a node notes when it is on line, so that its policy can tell how long its machine tends to stay.

Rules
- It looks at the clock every TICK_S. If much more has passed, the machine slept or the process stood still: the stretch
  ended with the last look, and another begins. The core hears of it.
- The log goes to the journal with whatever is written next, at most every NOTE_S, and costs no commit of its own. If
  nothing else is written it does so every IDLE_S, and at an end in order: a disk that sleeps is not woken for more.
- After a crash the last stretch ends where the journal says it was last seen.
"""

import asyncio
import time
from collections.abc import Callable
from typing import Final

from roost.core.events import Awoke
from roost.model.online import OnlineLog
from roost.runtime.journal.journal import Journal

#: Less: a short sleep is seen. More: an idle processor sleeps longer.
TICK_S: Final = 20.0
#: If more passes between two looks, the node was away. Less: a busy machine seems to have slept.
AWAY_S: Final = 60.0
#: Between two notes. Less: a crash costs less of the last stretch. More: less is written.
NOTE_S: Final = 60.0
#: The same while nothing else is written. Less: a crash of an idle node costs less. More: its disk may sleep.
IDLE_S: Final = 1800.0


def awake_clock() -> Callable[[], float]:
    """Return a clock of wall-clock seconds that counts on while the machine sleeps, and never runs backwards."""
    offset = time.time() - time.clock_gettime(time.CLOCK_BOOTTIME)
    return lambda: time.clock_gettime(time.CLOCK_BOOTTIME) + offset


class OnlineTimes:
    def __init__(
        self, journal: Journal, past: OnlineLog, feed: Callable[[Awoke], None], clock: Callable[[], float] | None = None
    ) -> None:
        """``past`` is what the journal knows of earlier lives."""
        self._journal = journal
        self._feed = feed
        self._clock = clock or awake_clock()
        self._seen_at = self._noted_at = self._written_at = self._clock()
        self.log = past.begun(self._seen_at)
        self._timer: asyncio.TimerHandle | None = None

    def start(self) -> None:
        self._journal.note_online(self.log)
        self._wait()

    def close(self) -> None:
        """Note the end. The journal still takes it."""
        if self._timer is not None:
            self._timer.cancel()
            self.log = self.log.seen(self._clock())
            self._journal.note_online(self.log, at_once=True)

    def _wait(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(TICK_S, self._tick)

    def _tick(self) -> None:
        self.look()
        self._wait()

    def look(self) -> None:
        """See whether the node was there since the last look, and hand the log to the journal if it is time for it."""
        now = self._clock()
        was_away = now - self._seen_at > AWAY_S
        self._seen_at = now
        if was_away:
            past, self.log = self.log, self.log.begun(now)
            self._feed(Awoke(past))
        else:
            self.log = self.log.seen(now)
        if was_away or now - self._noted_at >= NOTE_S:
            self._note(now)

    def _note(self, now: float) -> None:
        if self._journal.note_online(self.log):
            self._written_at = self._noted_at
        self._noted_at = now
        if now - self._written_at >= IDLE_S:
            self._journal.note_online(self.log, at_once=True)
