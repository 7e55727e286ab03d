"""Yielding: what becomes of running work when a node offers less than it takes, because its owner is there.

Rules
- Who watches over the machine says what it offers, and how work gives way (``CapacityChanged``): the core knows no
  owners. What is offered again is taken at once.
- Lanes give way until the rest is within the offer, the youngest work first: it has the least to lose. Before it go
  further attempts, which end at once: others run what they are at.
- A lane that is to ``FINISH`` ends its element at hand, one that is to ``FREEZE`` keeps it where it is until there is
  room again. Either way what waits behind it goes back to the others. From a lane that is to ``GIVE_BACK``, all does.
- A lane that is lent takes no processor, and has nothing to give.
- While more runs than is offered nothing starts, and no lane gets more to do.
"""

from roost.core.actions import Pause, StopMode
from roost.core.events import CapacityChanged, GiveWay
from roost.core.queue.lanes import Lane
from roost.core.queue.scheduler import Scheduler
from roost.core.queue.stopping import Stopping
from roost.core.turn import Turn


class Yielding:
    def __init__(self, turn: Turn, scheduler: Scheduler, stopping: Stopping) -> None:
        self._turn = turn
        self._scheduler = scheduler
        self._lanes = scheduler.lanes
        self._stopping = stopping

    def change_offer(self, event: CapacityChanged) -> None:
        self._scheduler.set_capacity(event.capacity)
        # What a lane gives back or finishes is free later; until then it counts as free here, so that no other gives
        # way.
        expected = self._lanes.free
        running = [lane for lane in self._lanes.open_lanes.values() if not lane.paused and not lane.lent]
        for lane in sorted(running, key=_gives_way_first, reverse=True):
            if not expected.is_overdrawn:
                return
            expected = expected.plus(lane.needs)
            self._give_way(lane, event.how)

    def _give_way(self, lane: Lane, how: GiveWay) -> None:
        at_hand = lane.front.outstanding.take(1)
        for lease in lane.leases.values():
            if how is GiveWay.GIVE_BACK or lease.further:
                self._stopping.stop(lease, lease.outstanding, StopMode.KILL)
                continue
            behind = lease.outstanding - lease.stopping
            if lease is lane.front:
                behind -= at_hand
            if behind:
                self._stopping.stop(lease, behind, StopMode.UNSTARTED)
        if how is GiveWay.FREEZE:
            self._lanes.pause(lane)
            self._turn.act(Pause(lane.front.name))


def _gives_way_first(lane: Lane) -> tuple[bool, float, int]:
    return lane.front.further, lane.front.granted_at, lane.name
