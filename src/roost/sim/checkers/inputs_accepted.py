"""Dataflow in a mesh: an element starts only when everything that it needs was accepted somewhere before."""

from roost.core.actions import Action, Start
from roost.core.facts import Fact, StatesMerged
from roost.core.node import Node
from roost.core.queue.dataflow import needed_results
from roost.model.ids import NodeId, TaskId
from roost.model.ranges import EMPTY, RangeSet
from roost.model.states import Done
from roost.sim.checkers.mesh_observer import MeshChecker
from roost.sim.checkers.observer import Broken
from roost.sim.journal import SimDisk


def check_behind(action: Start, node: Node) -> None:
    """What is leased ahead needs nothing but what the lease before it makes, in the same lane."""
    before = node.queue.leases.active.get(action.behind)
    if before is None or before.lane != action.lane:
        raise Broken(f"{action.spec.id} is behind lease {action.behind}, which its lane does not have")
    if any(edge.source != before.spec.id for edge in action.spec.edges):
        raise Broken(f"{action.spec.id} is behind {before.spec.id} and needs more than that")


class InputsAccepted(MeshChecker):
    def __init__(self) -> None:
        #: What was done on any disk at any time.
        self._done: dict[TaskId, RangeSet] = {}

    def on_written(self, node: NodeId, facts: tuple[Fact, ...]) -> None:
        for fact in facts:
            if isinstance(fact, StatesMerged):
                done = fact.delta.in_state(Done)
                if done:
                    self._done[fact.task] = self._done.get(fact.task, EMPTY) | done

    def on_action(self, action: Action, node: Node, disk: SimDisk) -> None:
        if not isinstance(action, Start):
            return
        if action.behind:
            check_behind(action, node)
            return
        for edge in action.spec.edges:
            needed = needed_results(action.spec, edge, node.queue.replica.tasks[edge.source], action.ranges)
            lacking = needed - self._done.get(edge.source, EMPTY)
            if lacking:
                raise Broken(f"{action.spec.id} starts on {node.name} and {edge.source} lacks {lacking}")
