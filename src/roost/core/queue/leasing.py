"""Leasing: what this node takes next, decided once after an event, on what is ready then.

Rules
- While the disk refuses, or was just found full (disk_pressure.py), nothing new starts, because what it leaves could
  not be kept; nor while tokens of a node with more lives are known and that is not on disk (lives.py).
- New leases are written down in one go, and started without waiting for the disk: losing one costs an attempt.
"""

from typing import TYPE_CHECKING

from roost.core.actions import Continue, StopMode
from roost.core.facts import Fact, LivesHeard, StatesMerged
from roost.core.queue.lanes import Lane
from roost.core.queue.leases import Lease
from roost.core.queue.leasing_ahead import lease_ahead
from roost.core.queue.lives import Lives
from roost.core.queue.replica import TaskEntry
from roost.core.tickets import LivesNoted, Note
from roost.model.elements import Elements
from roost.model.happenings import LeasedBy
from roost.model.ids import RunId
from roost.model.ranges import RangeSet

if TYPE_CHECKING:
    from roost.core.node import Node


class Leasing:
    def __init__(self, node: "Node", lives: Lives) -> None:
        self._node = node
        self._lives = lives

    @property
    def may_lease(self) -> bool:
        return self._node.trouble is None and self._lives.are_noted

    def schedule(self) -> None:
        """Let frozen lanes go on where there is room, and lease what can be taken to lanes."""
        node = self._node
        self._note_lives()
        if not self.may_lease:
            return
        while (lane := node.scheduler.resumable(self._may_run)) is not None:
            node.scheduler.lanes.resume(lane)
            node.act(Continue(lane.front.name))
        granted: list[tuple[Lease, Elements]] = []

        def grant(entry: TaskEntry, ranges: RangeSet, lane: Lane) -> Lease:
            lease, delta = node.leases.grant(entry, ranges, lane.name, node.now)
            granted.append((lease, delta))
            node.applying.lease(entry, ranges, delta)
            node.scheduler.set_ready(entry, ready=bool(node.ready_here(entry.spec.id)))
            return lease

        node.scheduler.assign(node.now, node.takeable, grant, node.mesh.bidding.won if node.mesh.others else None)
        lease_ahead(node, grant)
        if node.mesh.others:
            node.mesh.bidding.leave_the_rest()
        self._start(granted)

    def steal(self) -> None:
        """Have the fullest lane give back half of what it has not begun, if another has nothing to do."""
        node = self._node
        victim = None if node.trouble else node.scheduler.steal(node.now)
        if victim is not None:
            given = (node.scheduler.lanes.open_lanes[victim.lane].unbegun(victim) + 1) // 2
            kept = victim.outstanding.take(len(victim.outstanding) - given)
            node.stop(victim, victim.outstanding - kept, StopMode.UNSTARTED)

    def _note_lives(self) -> None:
        life = self._lives.to_note()
        if life is not None:
            self._node.persist(LivesNoted(life), LivesHeard(life))

    def _start(self, granted: list[tuple[Lease, Elements]]) -> None:
        if not granted:
            return
        node, facts = self._node, list[Fact]()
        for lease, delta in granted:
            what = LeasedBy(node.name, lease.lane, lease.token)
            told = node.story(lease.spec.id, lease.outstanding, what, f"lease {lease.name}")
            facts += (StatesMerged(lease.spec.id, delta), told)
        node.persist(Note(tuple(lease.spec.id for lease, _ in granted)), *facts)
        for lease, _ in granted:
            node.act(lease.start())

    def _may_run(self, run: RunId) -> bool:
        return not self._node.replica.runs[run].suspended
