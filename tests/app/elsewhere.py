"""What a stand-in for a node says of outcomes that are on another node, and hears of elements that wait."""

from roost.model.errors import Unavailable
from roost.model.ids import LeaseId, TaskId
from roost.model.ranges import EMPTY, RangeSet
from roost.policy.catalogue import DEFAULT_POLICY


class Elsewhere:
    #: The policy of runs that name none.
    policy = DEFAULT_POLICY

    def __init__(self) -> None:
        #: Done elements whose results are on another node, what was brought from there, and whether it is away.
        self.far: dict[TaskId, RangeSet] = {}
        self.brought: list[tuple[TaskId, RangeSet]] = []
        self.is_away = False
        #: Failed elements of which it is not known here why.
        self.unknown: dict[TaskId, RangeSet] = {}
        #: Of which lease and element it was said that it waits, or waits no more.
        self.waits: list[tuple[LeaseId, int | None, bool]] = []

    def note_wait(self, lease: LeaseId, index: int | None, *, begins: bool) -> None:
        self.waits.append((lease, index, begins))

    def absent(self, task: TaskId, ranges: RangeSet) -> RangeSet:
        return ranges & self.far.get(task, EMPTY)

    async def bring(self, task: TaskId, ranges: RangeSet) -> RangeSet:
        absent = self.absent(task, ranges)
        if absent and absent.first == ranges.first:
            await self.bring_any(task, absent.take(1))
            absent -= absent.take(1)
        return ranges & RangeSet.span(0, absent.first) if absent else ranges

    async def bring_any(self, task: TaskId, ranges: RangeSet) -> RangeSet:
        """Everything that is far comes at once, unless its node is away."""
        self.brought.append((task, ranges))
        if self.is_away:
            raise Unavailable(f"the results of {task} are on elm, which is away")
        self.far[task] = self.far.get(task, EMPTY) - ranges
        return ranges

    def unexplained(self, task: TaskId, ranges: RangeSet) -> RangeSet:
        return ranges & self.unknown.get(task, EMPTY)

    async def bring_failures(self, task: TaskId, ranges: RangeSet) -> None:
        self.unknown.pop(task, None)
