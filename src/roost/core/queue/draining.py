"""Draining: a node takes no new work and ends what it has, so that it may be switched off without loss.

Rules
- While it drains it bids for nothing, and takes nothing that is handed in here either; others run it. Its heartbeats
  say so, and while there is somebody else nobody chooses it to keep a copy, except of what was handed in here.
- The element at hand of each lane ends. What waits behind it goes back to the others at once, and so does what is
  frozen, which might never end. If it is to be ``at_once``, everything goes back. Further attempts end at once, too:
  others run what they are at.
- It may be switched off when nothing runs, nothing waits for the disk or for a copy, and nothing is only here. The disk
  of another node that drains does not count, for it may be switched off as well: what is here has to be confirmed by
  nodes that stay, after this one began to drain (data/re_replication.py). If all drain, nobody is left to give anything
  to.
- A restart ends it: a node that is started is meant to work.
"""

import msgspec

from roost.core.actions import StopMode
from roost.core.events import DrainAsked
from roost.core.peers import Peers
from roost.core.queue.lanes import Lane
from roost.core.queue.leases import Leases
from roost.core.queue.scheduler import Scheduler
from roost.core.queue.stopping import Stopping
from roost.core.tickets import Tickets
from roost.model.ids import LeaseId


class Remaining(msgspec.Struct, frozen=True):
    """What keeps a node from being switched off without loss."""

    draining: bool
    #: Leases that it works on.
    running: int
    #: Changes that are not on its disk yet.
    unwritten: int
    #: What only its own disk is known to hold, though another node could hold it, too.
    only_here: int
    #: Other nodes that could take over: those that do not drain.
    others: int

    @property
    def may_stop(self) -> bool:
        """Whether it takes nothing any more, and has given everything away."""
        return self.draining and not (self.running or self.unwritten or self.only_here)


class Draining:
    def __init__(
        self, peers: Peers, tickets: Tickets, leases: Leases, scheduler: Scheduler, stopping: Stopping
    ) -> None:
        self._peers = peers
        self._tickets = tickets
        self._leases = leases
        self._scheduler = scheduler
        self._lanes = scheduler.lanes
        self._stopping = stopping
        self.on = False
        self._at_once = False
        #: Leases that were told to end whatever they do.
        self._ended: dict[LeaseId, None] = {}

    def asked(self, event: DrainAsked) -> bool:
        """Begin to drain, or end it; return whether it begins."""
        begins = event.on and not self.on
        self.on = self._scheduler.closed = event.on
        self._at_once = event.on and event.at_once
        return begins

    def follow(self) -> None:
        """Give back what need not, or cannot, end here; after every event, because people may freeze more of it."""
        if not self.on:
            self._ended.clear()
            return
        self._ended = {lease: None for lease in self._ended if self._leases.find(lease) is not None}
        for lane in self._lanes.open_lanes.values():
            self._empty(lane)

    def _empty(self, lane: Lane) -> None:
        for lease in lane.leases.values():
            if self._at_once or lane.paused or lease.further:
                if lease.name not in self._ended:
                    self._ended[lease.name] = None
                    self._stopping.stop(lease, lease.outstanding, StopMode.KILL)
                continue
            behind = lease.outstanding - lease.stopping
            if lease is lane.front:
                behind -= lease.outstanding.take(1)
            if behind:
                self._stopping.stop(lease, behind, StopMode.UNSTARTED)

    def remaining(self, only_here: int) -> Remaining:
        return Remaining(
            self.on, len(self._leases.in_hand()), self._tickets.unwritten, only_here, len(self._peers.staying)
        )
