"""What a node tells about its runs: plain values for the API, the terminal and the tests."""

import msgspec

from roost.model.ids import NodeId, TaskId
from roost.model.ranges import EMPTY, RangeSet
from roost.model.record import RunRecord
from roost.model.task import TaskSpec

#: The states that people see, in the order of an element's life. Aborted: something it needs failed or was cancelled.
STATES = ("waiting", "ready", "running", "suspended", "done", "failed", "cancelled", "aborted")
#: Where elements are counted by their states, this stands beside them: how many of the done ones were taken over.
TAKEN_OVER = "taken over"
#: Those that an element does not leave by itself.
ENDED = ("done", "failed", "cancelled", "aborted")


class RunningElement(msgspec.Struct, frozen=True):
    task: TaskId
    index: int
    #: Seconds since its lease began; None if the node that runs it is not heard directly.
    seconds: float | None
    fraction: float | None = None
    note: str = ""
    #: The node that runs it.
    node: NodeId = NodeId("")


class TaskView(msgspec.Struct, frozen=True):
    """A task as people see it; every element is in exactly one of ``ranges``, under one of STATES."""

    spec: TaskSpec
    ranges: dict[str, RangeSet]
    running: tuple[RunningElement, ...] = ()
    #: How many accepted results each node made.
    done_on: dict[NodeId, int] = {}
    #: Those of the done ones whose results were taken over from earlier runs.
    taken_over: RangeSet = EMPTY

    def counts(self) -> dict[str, int]:
        return {state: len(self.ranges[state]) for state in STATES if self.ranges.get(state)}

    @property
    def elements(self) -> RangeSet:
        """All elements that exist, as far as is known: those of a pool are found out as it runs."""
        if self.spec.mapper is None:
            return self.spec.elements
        found = EMPTY
        for ranges in self.ranges.values():
            found |= ranges
        return found


class RunView(msgspec.Struct, frozen=True):
    """A run as people see it. ``state``: waiting, running, suspended, done, failed, cancelled, or open (a session)."""

    record: RunRecord
    state: str
    counts: dict[str, int]
    task_count: int
    #: Wall-clock seconds when its last element ended; None while it goes on.
    finished_at: float | None = None
    #: Elements that are ready and wait for a person.
    for_people: int = 0
    #: How many of the done ones have results that were taken over from earlier runs.
    taken_over: int = 0

    @property
    def total(self) -> int:
        return sum(self.counts.values())

    @property
    def ended(self) -> int:
        return sum(self.counts.get(state, 0) for state in ENDED)
