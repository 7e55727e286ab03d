"""Dataflow: an element starts only when all that it needs is done on disk; and running never exceeds the offer.

What was leased ahead (queue/leasing_ahead.py) is handed to the executor earlier, behind the lease that makes what it
needs.
"""

from typing import TYPE_CHECKING

from roost.core.actions import Action, Start
from roost.core.events import Event
from roost.core.node import Node
from roost.core.queue.dataflow import needed_results
from roost.core.queue.replica import TaskEntry
from roost.model.ranges import RangeSet
from roost.model.states import Done
from roost.sim.checkers.observer import Broken

if TYPE_CHECKING:
    from roost.sim.journal import SimDisk


def check_offer(node: Node) -> None:
    """A node begins nothing beyond what it offers. Elements that have waited for others may go on beyond it."""
    lanes = node.queue.lanes
    taken = sum(lane.taken.cpus for lane in lanes.open_lanes.values())
    if taken > lanes.capacity.cpus + 1e-9:
        raise Broken(f"{taken:g} CPUs are taken and {lanes.capacity.cpus:g} are offered")


def check_behind(action: Start, node: Node) -> None:
    """What is leased ahead needs nothing but what the lease before it makes, in the same lane."""
    before = node.queue.leases.active.get(action.behind)
    if before is None or before.lane != action.lane:
        raise Broken(f"{action.spec.id} is behind lease {action.behind}, which its lane does not have")
    if any(edge.source != before.spec.id for edge in action.spec.edges):
        raise Broken(f"{action.spec.id} is behind {before.spec.id} and needs more than that")


class InputsFirst:
    def on_event(self, event: Event, node: Node) -> None:
        """What happens is no promise of the node's."""

    def on_action(self, action: Action, node: Node, disk: "SimDisk") -> None:
        if isinstance(action, Start):
            check_offer(node)
        if not isinstance(action, Start) or not action.spec.edges:
            return
        if action.behind:
            check_behind(action, node)
            return
        for edge in action.spec.edges:
            source = TaskEntry.of(disk.tasks[edge.source])
            done: RangeSet = source.elements.in_state(Done)
            needed = needed_results(action.spec, edge, source, action.ranges)
            if not needed.issubset(done):
                raise Broken(f"{action.spec.id} starts and {edge.source} lacks {needed - done}")

    def on_crash(self) -> None:
        """It keeps no books."""

    def at_rest(self, node: Node, disk: "SimDisk") -> None:
        """Nothing more is asked at the end."""
