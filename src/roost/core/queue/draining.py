"""Draining: a node takes no new work and ends what it has, so that it may be switched off without loss.

Rules
- While it drains it bids for nothing, and takes nothing that is handed in here either; others run it. Its heartbeats
  say so, and while there is somebody else nobody chooses it to keep a copy, except of what was handed in here.
- The element at hand of each lane ends. What waits behind it goes back to the others at once, and so does what is
  frozen, which might never end. If it is to be ``at_once``, everything goes back.
- It may be switched off when nothing runs, nothing waits for the disk or for a copy, and nothing is only here. The disk
  of another node that drains does not count, for it may be switched off as well: what is here has to be confirmed by
  nodes that stay, after this one began to drain (data/re_replication.py). If all drain, nobody is left to give anything
  to.
- A restart ends it: a node that is started is meant to work.
"""

from typing import TYPE_CHECKING

import msgspec

from roost.core.actions import StopMode
from roost.core.events import DrainAsked
from roost.core.queue.lanes import Lane
from roost.model.ids import LeaseId, NodeId

if TYPE_CHECKING:
    from roost.core.node import Node


class Remaining(msgspec.Struct, frozen=True):
    """What keeps a node from being switched off without loss."""

    draining: bool
    #: Leases that it works on.
    running: int
    #: Changes that are not on its disk yet.
    unwritten: int
    #: What only its own disk is known to hold (``only_here``).
    only_here: int
    #: Other nodes that could take over: those that do not drain.
    others: int

    @property
    def may_stop(self) -> bool:
        """Whether it takes nothing any more, and has given everything away."""
        return self.draining and not (self.running or self.unwritten or self.only_here)


class Draining:
    def __init__(self, node: "Node") -> None:
        self._node = node
        self.on = False
        self._at_once = False
        #: Leases that were told to end whatever they do.
        self._ended: dict[LeaseId, None] = {}
        #: Nodes that said that they drain, too, since their last heartbeat.
        self.others: dict[NodeId, None] = {}

    def asked(self, event: DrainAsked) -> None:
        begins = event.on and not self.on
        self.on = self._node.scheduler.closed = event.on
        self._at_once = event.on and event.at_once
        if begins:
            self._node.mesh.re_replication.hand_over()

    def heard(self, other: NodeId, *, drains: bool) -> None:
        """Another node said whether it drains, beside what its heartbeats say."""
        if drains:
            self.others[other] = None
        else:
            self.others.pop(other, None)

    def follow(self) -> None:
        """Give back what need not, or cannot, end here; after every event, because people may freeze more of it."""
        if not self.on:
            self._ended.clear()
            return
        active = self._node.leases.active
        self._ended = {lease: None for lease in self._ended if lease in active}
        for lane in self._node.scheduler.lanes.open_lanes.values():
            self._empty(lane)

    def _empty(self, lane: Lane) -> None:
        for lease in lane.leases.values():
            if self._at_once or lane.paused:
                if lease.name not in self._ended:
                    self._ended[lease.name] = None
                    self._node.stop(lease, lease.outstanding, StopMode.KILL)
                continue
            behind = lease.outstanding - lease.stopping
            if lease is lane.front:
                behind -= lease.outstanding.take(1)
            if behind:
                self._node.stop(lease, behind, StopMode.UNSTARTED)

    def remaining(self) -> Remaining:
        node = self._node
        return Remaining(
            self.on,
            len(node.leases.active),
            node.tickets.unwritten,
            only_here(node),
            len(node.mesh.staying),
        )


def only_here(node: "Node") -> int:
    """Return how many things are known to be on this node's disk only, though another node could hold them, too.

    Alone, and among nodes that all drain, there is nobody to whom anything could be given.
    """
    mesh = node.mesh
    waiting = len(mesh.acknowledgements) + len(mesh.quorum) if mesh.others else 0
    return waiting + (mesh.re_replication.left if mesh.staying else 0)


def drains(node: "Node", other: NodeId) -> bool:
    """Whether another node has said that it drains."""
    if other in node.draining.others:
        return True
    member = None if node.mesh.members is None else node.mesh.members.member(other)
    return member is not None and member.heartbeat is not None and member.heartbeat.draining
