"""KeptExperience: what this node has learnt from its work outlives the process: how right people are when they state
lengths, and how many executions it has finished and aborted. So it need not learn that anew every day.

Rules
- What is new goes to the journal with whatever is written next, at most every NOTE_S; it costs no commit of its own. At
  an end in order it goes with the time of that end (online_times.py). A crash loses what came after the last note; what
  it has aborted is counted by the next life, from its leases.
"""

import asyncio
from typing import Final

from roost.core.queue.expectations import Expectations
from roost.core.queue.policy_memory import PolicyMemory
from roost.runtime.journal.journal import Journal

#: Less: a crash loses less of what was learnt. More: less is written, up to 50 KiB each time.
NOTE_S: Final = 60.0


class KeptExperience:
    def __init__(self, journal: Journal, expectations: Expectations, memory: PolicyMemory) -> None:
        self._journal = journal
        self._expectations = expectations
        self._memory = memory
        self._lessons_noted = expectations.lessons
        self._executions_noted = memory.executions
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
        if self._expectations.lessons != self._lessons_noted:
            self._lessons_noted = self._expectations.lessons
            self._journal.note_lengths(self._expectations.learnt())
        if self._memory.executions != self._executions_noted:
            self._executions_noted = self._memory.executions
            self._journal.note_executions(self._executions_noted)
