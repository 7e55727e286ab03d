"""Progress: whatever an element says, people and other nodes are told a part of the whole, and it only grows."""

from roost.core.actions import Action, Notify, ProgressChanged, Send, Start
from roost.core.node import Node
from roost.model.ids import NodeId, TaskId
from roost.sim.checkers.mesh_observer import MeshChecker
from roost.sim.checkers.observer import Broken
from roost.sim.journal import SimDisk
from roost.wire.messages import Heartbeat


class ProgressSane(MeshChecker):
    def __init__(self) -> None:
        #: How far each element was told to be in its last attempt on each node.
        self._told: dict[tuple[NodeId, TaskId, int], float] = {}

    def on_action(self, action: Action, node: Node, disk: SimDisk) -> None:
        match action:
            case Notify(change=ProgressChanged(task=task, index=index, fraction=fraction)):
                self._tell(node.name, task, index, fraction)
            case Send(message=Heartbeat(leases=leases)):
                for lease in leases:
                    _check(node.name, lease.task, lease.fraction)
            case Start(spec=spec, ranges=ranges) if self._told:
                for index in ranges:
                    self._told.pop((node.name, spec.id, index), None)
            case _:
                pass

    def _tell(self, node: NodeId, task: TaskId, index: int, fraction: float) -> None:
        _check(node, task, fraction)
        before = self._told.get((node, task, index), 0.0)
        if fraction < before:
            raise Broken(f"{task}[{index}] was {before:g} done on {node}, and is {fraction:g} done later")
        self._told[node, task, index] = fraction


def _check(node: NodeId, task: TaskId, fraction: float) -> None:
    # Written so that what is no number at all is found, too.
    if not 0.0 <= fraction <= 1.0:
        raise Broken(f"{node} says that an element of {task} is {fraction:g} done")
