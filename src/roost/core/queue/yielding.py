"""Yielding: what becomes of running work when a node offers less than it takes, because its owner is there.

Rules
- Who watches over the machine says what it offers, and how work gives way (``CapacityChanged``): the core knows no
  owners. What is offered again is taken at once.
- Lanes give way until the rest is within the offer, the youngest work first: it has the least to lose.
- A lane that is to ``FINISH`` ends its element at hand, one that is to ``FREEZE`` keeps it where it is until there is
  room again. Either way what waits behind it goes back to the others. From a lane that is to ``GIVE_BACK``, all does.
- A lane that is lent takes no processor, and has nothing to give.
- While more runs than is offered nothing starts, and no lane gets more to do.
"""

from typing import TYPE_CHECKING

from roost.core.actions import Pause, StopMode
from roost.core.events import CapacityChanged, GiveWay
from roost.core.queue.lanes import Lane, is_over

if TYPE_CHECKING:
    from roost.core.node import Node


def change_offer(node: "Node", event: CapacityChanged) -> None:
    node.scheduler.set_capacity(event.capacity)
    lanes = node.scheduler.lanes
    # What a lane gives back or finishes is free later; until then it counts as free here, so that no other gives way.
    expected = lanes.free
    running = [lane for lane in lanes.open_lanes.values() if not lane.paused and not lane.lent]
    for lane in sorted(running, key=lambda lane: (lane.front.granted_at, lane.name), reverse=True):
        if not is_over(expected):
            return
        expected = expected.plus(lane.needs)
        _give_way(node, lane, event.how)


def _give_way(node: "Node", lane: Lane, how: GiveWay) -> None:
    at_hand = lane.front.outstanding.take(1)
    for lease in lane.leases.values():
        if how is GiveWay.GIVE_BACK:
            node.stop(lease, lease.outstanding, StopMode.KILL)
            continue
        behind = lease.outstanding - lease.stopping
        if lease is lane.front:
            behind -= at_hand
        if behind:
            node.stop(lease, behind, StopMode.UNSTARTED)
    if how is GiveWay.FREEZE:
        node.scheduler.lanes.pause(lane)
        node.act(Pause(lane.front.name))
