"""LengthsLearnt: how right people state lengths outlives the process, so that a node need not learn it anew every day.

Rules
- What was learnt goes to the journal with whatever is written next, at most every NOTE_S and only if it has changed; it
  costs no commit of its own. At an end in order it goes with the time of that end (online_times.py). A crash loses what
  came after the last note.
"""

import asyncio
from typing import Final

from roost.core.queue.expectations import Expectations
from roost.runtime.journal.journal import Journal

#: Less: a crash loses less of what was learnt. More: less is written, up to 50 KiB each time.
NOTE_S: Final = 60.0


class LengthsLearnt:
    def __init__(self, journal: Journal, expectations: Expectations) -> None:
        self._journal = journal
        self._expectations = expectations
        self._noted = expectations.lessons
        self._timer: asyncio.TimerHandle | None = None

    def start(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(NOTE_S, self._tick)

    def close(self) -> None:
        """Note what is new. The journal still takes it."""
        if self._timer is not None:
            self._timer.cancel()
            self.note()

    def _tick(self) -> None:
        self.note()
        self.start()

    def note(self) -> None:
        if self._expectations.lessons != self._noted:
            self._noted = self._expectations.lessons
            self._journal.note_lengths(self._expectations.learnt())
