"""Lanes: the places where elements run, and what they leave free.

A lane takes the needs of the task it was opened for, runs the elements of its leases one after the other, and closes
with its last lease. A frozen lane keeps its element and gives its needs back. A lent one, whose element waits for other
work, keeps its memory and gives its processors back (lending.py).
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from heapq import heappop, heappush

from roost.core.queue.leases import Lease
from roost.model.errors import InvariantViolated
from roost.model.ids import LeaseId, NodeId
from roost.model.ranges import RangeSet
from roost.model.resources import Capacity
from roost.model.spans import Span, span_of
from roost.model.task import CPUS, Needs, TaskSpec

_NOTHING = Needs(())


class Lane:
    __slots__ = ("kind", "leases", "lent", "name", "needs", "paused", "row")

    def __init__(self, name: int, row: int, spec: TaskSpec) -> None:
        self.name = name
        #: Its place in the timeline: the smallest number that no other open lane has.
        self.row = row
        self.kind = type(spec.work)
        self.needs = spec.needs
        #: By name, in the order in which they run; the first one runs.
        self.leases: dict[LeaseId, Lease] = {}
        self.paused = False
        #: Whether its element waits for other work, so that its processors are free.
        self.lent = False

    @property
    def taken(self) -> Needs:
        """What it takes as it is now."""
        return _NOTHING if self.paused else self.needed

    @property
    def needed(self) -> Needs:
        """What it takes when it is not frozen."""
        return self.needs.without(CPUS) if self.lent else self.needs

    @property
    def front(self) -> Lease:
        return next(iter(self.leases.values()))

    def takes(self, spec: TaskSpec) -> bool:
        return type(spec.work) is self.kind and spec.needs == self.needs

    def unbegun(self, lease: Lease) -> int:
        return len(lease.outstanding) - (lease is self.front)


class Lanes:
    def __init__(self, capacity: Capacity) -> None:
        self.capacity = capacity
        self.free = capacity
        self.open_lanes: dict[int, Lane] = {}
        self._next_name = 1
        self._free_rows: list[int] = []

    def set_capacity(self, capacity: Capacity) -> None:
        self.free = capacity.with_taken_of(self.capacity, self.free)
        self.capacity = capacity

    @property
    def over(self) -> bool:
        """Whether more runs than is offered."""
        return self.free.is_overdrawn

    def fits(self, needs: Needs) -> bool:
        return self.free.covers(needs)

    def could_hold(self, needs: Needs) -> int:
        """Return how many lanes with these needs the whole node has room for, at least one."""
        return max(1, self.capacity.times(needs))

    def open_for(self, spec: TaskSpec) -> Lane:
        row = heappop(self._free_rows) if self._free_rows else len(self.open_lanes)
        lane = self.open_lanes[self._next_name] = Lane(self._next_name, row, spec)
        self._next_name += 1
        self.free = self.free.minus(lane.needs)
        return lane

    def lease_over(self, lease: Lease) -> None:
        """A lease was answered whole; its lane goes on to the next, or closes."""
        lane = self.open_lanes[lease.lane]
        if lane.lent and lane.front is lease:
            self.lend(lane, on=False)
        del lane.leases[lease.name]
        if not lane.leases:
            del self.open_lanes[lane.name]
            heappush(self._free_rows, lane.row)
            self.free = self.free.plus(lane.taken)

    def span(self, lease: Lease, node: NodeId, ranges: RangeSet, busy_s: float, now: float, *, failed: int = 0) -> Span:
        """Return what the lane of a lease has just done, for the timeline."""
        lane = self.open_lanes.get(lease.lane)
        row = 0 if lane is None else lane.row
        return span_of(lease.spec.id, node, row, ranges, busy_s, lease.granted_at, now, failed=failed)

    def pause(self, lane: Lane) -> None:
        with self._changing(lane):
            lane.paused = True

    def resume(self, lane: Lane) -> None:
        with self._changing(lane):
            lane.paused = False

    def lend(self, lane: Lane, *, on: bool) -> None:
        """Free the processors of a lane whose element waits; or take them back, whether they are free or not."""
        with self._changing(lane):
            lane.lent = on

    @contextmanager
    def _changing(self, lane: Lane) -> Iterator[None]:
        self.free = self.free.plus(lane.taken)
        yield
        self.free = self.free.minus(lane.taken)

    def check(self, in_hand: Sequence[Lease]) -> None:
        taken = sum(lane.taken.cpus for lane in self.open_lanes.values())
        if abs(self.capacity.cpus - taken - self.free.cpus) > 1e-6:
            raise InvariantViolated(f"{self.free.cpus:g} CPUs are noted as free, the lanes take {taken:g}")
        held = sorted(name for lane in self.open_lanes.values() for name in lane.leases)
        active = sorted(lease.name for lease in in_hand)
        if held != active or not all(lane.leases for lane in self.open_lanes.values()):
            raise InvariantViolated(f"lanes hold the leases {held}, active are {active}")
