"""Lending: an element that waits for other work frees its processors for it, so that nested work cannot stand still.

Rules
- While the running element of a lease says that it waits, its lane is lent: its processors are free, its memory is not.
  What waits behind it in the lane goes back, because what it waits for may be among that.
- When the wait ends the element goes on at once, though its processors may be taken. Then more runs than is offered for
  a while, and nothing starts until that is over. The other way, to let it wait for room, would cost every nested call
  another wait, and elements would hold memory and results for longer.
- A wait ends with its element, too, however that ends.
- At most LENT_LANES_MAX lanes are lent; those whose elements began to wait later keep their processors meanwhile.
- The lease stays with its holder, and is as alive as any other.
"""

from roost.core.actions import StopMode
from roost.core.events import WaitBegan, WaitEnded
from roost.core.queue.lanes import Lane, Lanes
from roost.core.queue.leases import Lease, Leases
from roost.core.queue.stopping import Stopping
from roost.core.turn import Turn
from roost.model.ids import LeaseId
from roost.model.limits import LENT_LANES_MAX
from roost.model.ranges import RangeSet


class Lending:
    def __init__(self, turn: Turn, leases: Leases, lanes: Lanes, stopping: Stopping) -> None:
        self._turn = turn
        self._leases = leases
        self._lanes = lanes
        self._stopping = stopping
        #: Which element of each lease waits, and how many parts of it do; those that began first come first.
        self._waiting: dict[LeaseId, tuple[int, int]] = {}

    def heard(self, event: WaitBegan | WaitEnded) -> None:
        lease = self._leases.find(event.lease)
        if lease is None:
            return
        index, parts = self._waiting.get(event.lease, (lease.outstanding.first, 0))
        if event.index is not None and event.index != index:
            if isinstance(event, WaitEnded):
                return
            # It is at its next element: the one before has ended without a word.
            index, parts = event.index, 0
        parts += 1 if isinstance(event, WaitBegan) else -1
        if parts > 0:
            self._waiting[event.lease] = (index, parts)
        elif event.lease in self._waiting:
            self._end(event.lease)

    def follow(self) -> None:
        """Lend and take back lanes as their elements are now; after every event."""
        for name, (index, _) in list(self._waiting.items()):
            lease = self._leases.find(name)
            if lease is None or index not in lease.outstanding:
                self._end(name)
        for name, (index, _) in list(self._waiting.items())[:LENT_LANES_MAX]:
            lease = self._leases.find(name)
            assert lease is not None
            lane = self._lane_of(lease)
            if lane.front is lease:
                if not lane.lent:
                    self._lanes.lend(lane, on=True)
                    self._turn.stir()
                self._empty(lane, index)

    def waits(self, lease: Lease) -> bool:
        """Whether the running element of a lease waits for other work."""
        return lease.name in self._waiting

    @property
    def unlent(self) -> int:
        """Return how many elements wait and keep their processors, because so many others have lent theirs."""
        return max(0, len(self._waiting) - LENT_LANES_MAX)

    def _lane_of(self, lease: Lease) -> Lane:
        return self._lanes.open_lanes[lease.lane]

    def _end(self, name: LeaseId) -> None:
        del self._waiting[name]
        lease = self._leases.find(name)
        # With a lease that is over its loan has ended.
        if lease is not None and self._lane_of(lease).lent:
            self._lanes.lend(self._lane_of(lease), on=False)

    def _empty(self, lane: Lane, at_hand: int) -> None:
        """Give back what has not begun in a lane."""
        for lease in lane.leases.values():
            behind = lease.outstanding - lease.stopping
            if lease is lane.front:
                behind -= RangeSet.span(at_hand, at_hand + 1)
            if behind:
                self._stopping.stop(lease, behind, StopMode.UNSTARTED)
