"""Finished tasks, remembered for a time (DICE, Finished Map).

Word of a task may arrive after its end, when its record has already left memory. For a while the node knows better than
to think that the task is new to it: it answers ALREADYFINISHEDELEMENT, and does not take the task up again.

Rules
- A task is remembered for ``keep_s`` from the first word of its end; hearing of it again does not prolong that.
- At most FINISHED_TASKS_MAX are remembered; the oldest go first.
- What is too old is dropped whenever the map is used, so it needs no deadline of its own.
"""

from itertools import takewhile

from roost.model.ids import TaskId
from roost.model.limits import FINISHED_TASKS_MAX

#: Longer: later messages are understood. Shorter: less memory. A message is late by seconds, a laptop by minutes.
FINISHED_KEEP_S = 900.0


class FinishedTasks:
    def __init__(self, keep_s: float = FINISHED_KEEP_S) -> None:
        self._keep_s = keep_s
        #: When each ended, oldest first, because time does not run backwards.
        self._ended_at: dict[TaskId, float] = {}

    def __len__(self) -> int:
        return len(self._ended_at)

    def remember(self, task: TaskId, now: float) -> None:
        """Everything of this task has ended."""
        self._forget(now)
        self._ended_at.setdefault(task, now)
        if len(self._ended_at) > FINISHED_TASKS_MAX:
            del self._ended_at[next(iter(self._ended_at))]

    def reopened(self, task: TaskId) -> None:
        """A person wants the task tried again: it has not ended after all."""
        self._ended_at.pop(task, None)

    def remembers(self, task: TaskId, now: float) -> bool:
        self._forget(now)
        return task in self._ended_at

    def _forget(self, now: float) -> None:
        too_old = list(takewhile(lambda task: self._ended_at[task] + self._keep_s <= now, self._ended_at))
        for task in too_old:
            del self._ended_at[task]
