"""Repeating: what the policy wants attempted beside others, until its data is here (core/queue/attempts.py).

Rules
- It needs no contest. What lacks its data is fetched, as what was won is; what nobody has is left alone.
- What could begin and finds no lane is dropped: by the time there is one, the policy may want something else.
- What has ended meanwhile, or lost its holder, is not attempted any more.
"""

from msgspec.structs import replace

from roost.core.data.fetcher import Fetcher
from roost.core.data.inventory import Inventory
from roost.core.queue.attempts import Attempts
from roost.core.queue.replica import Replica
from roost.model.ids import TaskId
from roost.model.ranges import EMPTY, RangeSet
from roost.policy.choose import Repeat


class Repeating:
    def __init__(self, attempts: Attempts, replica: Replica, inventory: Inventory, fetcher: Fetcher) -> None:
        self._attempts = attempts
        self._replica = replica
        self._inventory = inventory
        self._fetcher = fetcher
        self._wanted: dict[TaskId, Repeat] = {}

    def ask(self, choice: Repeat) -> None:
        """The policy wants this, beside what it has wanted before."""
        before = self._wanted.get(choice.task)
        ranges = choice.ranges if before is None else before.ranges | choice.ranges
        self._wanted[choice.task] = replace(choice, ranges=ranges)

    def wanted(self, task: TaskId) -> RangeSet:
        """Return what is wanted of a task and may still be attempted, whether its data is here or not."""
        choice = self._wanted.get(task)
        return EMPTY if choice is None else self._attempts.possible(task, choice.ranges)

    def fetch(self) -> None:
        """Bring here what lacks its data."""
        for task in list(self._wanted):
            ranges = self.wanted(task)
            if not ranges or self._fetcher.is_hopeless(task):
                del self._wanted[task]
            elif self._startable(task, ranges) != ranges:
                self._fetcher.fetch(self._replica.tasks[task].spec, ranges)

    def take(self) -> list[Repeat]:
        """Return what can begin now; it is not wanted any more, whether it finds a lane or not."""
        begin = []
        for task, choice in list(self._wanted.items()):
            ranges = self.wanted(task)
            startable = self._startable(task, ranges)
            if startable:
                begin.append(replace(choice, ranges=startable))
            if left := ranges - startable:
                self._wanted[task] = replace(choice, ranges=left)
            else:
                del self._wanted[task]
        return begin

    def _startable(self, task: TaskId, ranges: RangeSet) -> RangeSet:
        return self._inventory.startable(self._replica.tasks[task].spec, ranges) if ranges else ranges

    def forget(self, task: TaskId) -> None:
        self._wanted.pop(task, None)

    def clear(self) -> None:
        """This node takes nothing more."""
        self._wanted.clear()
