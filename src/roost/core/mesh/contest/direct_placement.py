"""Direct placement: interactive work that its submitter has no room for, and another node seems to have.

Rules
- With the news of interactive elements that it cannot take itself, the submitter names a node for as many of them as
  others seem to have room for; one node each, in turn, and no node for more than it seems to have room for.
- Who holds no lease that is known has all its room; else what its last heartbeat said, less what it was handed since.
- A node that is named takes them at once, without a window, as far as it has room. Otherwise it does nothing.
- For everybody else, the submitter among them, it counts as a bid of the named node that was made when the work was
  submitted: they leave the elements to it, and bid for them when they are not leased in time.
- Only the submitter's word counts, so that no element is handed to two nodes.
"""

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

from roost.core.queue.draining import drains
from roost.model.clock import Stamp
from roost.model.ids import NodeId
from roost.model.ranges import RangeSet
from roost.model.states import Leased
from roost.model.task import Priority, TaskSpec
from roost.policy.bids import EQUAL_SCORE
from roost.policy.match import reasons_never
from roost.wire.messages import Bid, Handed, Standing

if TYPE_CHECKING:
    from roost.core.node import Node


class DirectPlacement:
    def __init__(self, node: "Node") -> None:
        self._node = node
        #: Who got something last: the next one begins.
        self._last = NodeId("")
        #: What was handed on of late.
        self._given: list[Handed] = []

    def hand_on(self, submitted: Iterable[TaskSpec]) -> tuple[Handed, ...]:
        """Return what of these tasks, which are new, others are to take at once."""
        handed, own_cpus = [], 0.0
        for spec in submitted:
            if spec.priority is Priority.INTERACTIVE:
                ready = self._node.ready(spec.id)
                room = self._node.scheduler.free_lanes(spec) - math.ceil(own_cpus / spec.needs.cpus)
                own = ready.take(max(room, 0))
                own_cpus += len(own) * spec.needs.cpus
                handed += self._shared_out(spec, ready - own)
        for part in handed:
            self.heard(self._node.name, part)
        return tuple(handed)

    def heard(self, sender: NodeId, part: Handed) -> None:
        """The submitter has named a node, perhaps this one."""
        node = self._node
        entry = node.replica.tasks.get(part.task)
        if entry is None or sender != entry.spec.submitted.node or entry.spec.priority is not Priority.INTERACTIVE:
            return
        if part.node == node.name:
            room = node.scheduler.free_lanes(entry.spec)
            node.mesh.bidding.given(part.task, (node.ready_here(part.task) & part.ranges).take(room))
        elif part.ranges:
            submitted = entry.spec.submitted
            at = Stamp(submitted.wall_ms, submitted.count, part.node)
            node.mesh.bidding.heard(Bid(part.task, part.ranges, entry.spec.priority, EQUAL_SCORE, at))

    def _shared_out(self, spec: TaskSpec, left: RangeSet) -> list[Handed]:
        shares = []
        for other in self._in_turn() if left else ():
            share = left.take(self._lanes_of(other, spec))
            if share:
                left -= share
                shares.append(Handed(spec.id, other, share))
                self._last = other
            if not left:
                break
        self._given += shares
        return shares

    def _in_turn(self) -> list[NodeId]:
        others = self._node.mesh.others
        return [other for other in others if other > self._last] + [other for other in others if other <= self._last]

    def _lanes_of(self, other: NodeId, spec: TaskSpec) -> int:
        """Return for how many elements of a task a node seems to have room."""
        member = None if self._node.mesh.members is None else self._node.mesh.members.member(other)
        if member is None or member.heartbeat is None or member.standing is not Standing.ALIVE:
            return 0
        offers = member.heartbeat.offers
        if drains(self._node, other) or reasons_never(spec, offers):
            return 0
        free = offers.cpus - self._cpus_held_by(other)
        if free < offers.cpus:
            free = min(free, member.heartbeat.free_cpus)
        return max(0, int((free - self._cpus_given_to(other) + 1e-9) // spec.needs.cpus))

    def _cpus_held_by(self, other: NodeId) -> float:
        """Return what a node needs at least for the leases that it is known to hold."""
        tasks = self._node.replica.tasks
        return sum(
            tasks[task].spec.needs.cpus
            for task in self._node.replica.leased
            if any(isinstance(state, Leased) and state.node == other for state, _ in tasks[task].elements.items())
        )

    def _cpus_given_to(self, other: NodeId) -> float:
        """Return the room for what a node was handed, and nobody is known to hold yet."""
        tasks = self._node.replica.tasks
        self._given = [part for part in self._given if self._is_pending(part)]
        mine = [part for part in self._given if part.node == other]
        return sum(tasks[part.task].spec.needs.cpus * len(part.ranges & tasks[part.task].pending) for part in mine)

    def _is_pending(self, part: Handed) -> bool:
        entry = self._node.replica.tasks.get(part.task)
        return entry is not None and not part.ranges.isdisjoint(entry.pending)
