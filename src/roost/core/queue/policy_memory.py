"""What this node remembers for its policy: whom it has passed over, what has lost its holder, how its own work ended.

Rules
- It is what this node saw itself; no record tells of it, and other nodes may have seen more. How its own executions
  ended outlives the process (runtime/experience.py); all else is about this life.
- An element has lost its holder when its node died, or lives another life. What was given back in order was not lost.
- What was in hand when this node died was aborted: as many elements as its lanes could run at a time, for the others
  had not begun.
- What a task has to do with it leaves with the task, and the rest is bounded: the oldest goes first.
"""

from typing import Final

from roost.model.executions import NO_EXECUTIONS, Executions
from roost.model.ids import TaskId
from roost.model.ranges import RangeSet

#: Tasks of which is remembered how often they were passed over, and tasks of which that they lost their holder.
TASKS_MAX: Final = 10_000
#: How often an element is counted to have lost its holder: after so many attempts HTC gives it up (4.4.1).
LOSSES_MAX: Final = 100


class PolicyMemory:
    def __init__(self, earlier: Executions = NO_EXECUTIONS) -> None:
        """``earlier``: how executions ended in earlier lives."""
        #: Executions of elements that this node has finished, and those that its deaths have aborted.
        self.finished = earlier.finished
        self.aborted = earlier.aborted
        self._overtaken: dict[TaskId, int] = {}
        #: Of each task, the elements that have lost their holder once or more often, twice or more often, and so on.
        self._lost: dict[TaskId, list[RangeSet]] = {}

    @property
    def executions(self) -> Executions:
        return Executions(self.finished, self.aborted)

    def overtook(self, task: TaskId) -> None:
        """This node has chosen something before this task, which came first."""
        count = self._overtaken.pop(task, 0) + 1
        _make_room(self._overtaken)
        self._overtaken[task] = count

    def overtaken(self, task: TaskId) -> int:
        return self._overtaken.get(task, 0)

    def lost(self, task: TaskId, ranges: RangeSet) -> None:
        """The holder of these elements has died."""
        levels = self._lost.pop(task, [])
        _make_room(self._lost)
        self._lost[task] = levels
        for at, level in enumerate(levels):
            ranges, levels[at] = ranges & level, level | ranges
        if ranges and len(levels) < LOSSES_MAX:
            levels.append(ranges)

    def has_lost(self, task: TaskId) -> bool:
        """Whether any element of a task has lost its holder."""
        return task in self._lost

    def losses(self, task: TaskId, index: int) -> int:
        """Return how often an element has lost its holder."""
        return sum(index in level for level in self._lost.get(task, ()))

    def forget(self, task: TaskId) -> None:
        """A task leaves memory."""
        self._overtaken.pop(task, None)
        self._lost.pop(task, None)


def _make_room(known: dict[TaskId, int] | dict[TaskId, list[RangeSet]]) -> None:
    if len(known) >= TASKS_MAX:
        del known[next(iter(known))]
