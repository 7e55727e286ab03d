"""Promise 1 in a mesh: nothing accepted is lost, although any one node may be, with its disk.

An accepted submission is on the disk of the node that accepted it. If that node had company for a while, it is on
another disk, too. From then on it is on some disk that is left, and in the end on all of the core.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol

from roost.core.actions import Action, Reply
from roost.core.events import CancelAsked, Event, RetryAsked, Submitted
from roost.core.node import Node
from roost.model.ids import NodeId, TaskId
from roost.sim.checkers.mesh_observer import Member, MeshChecker
from roost.sim.checkers.nothing_lost import NothingLost
from roost.sim.checkers.observer import Broken
from roost.sim.disk import SimDisk


class Scene(Protocol):
    @property
    def disks(self) -> Mapping[NodeId, SimDisk]:
        """The disks that are not lost, also those of nodes that do not run."""

    def has_company(self, node: NodeId) -> bool:
        """Whether another node of its cluster could be heard, and could hear it, for long enough to know it."""


class AcceptedKept(MeshChecker):
    events = (Submitted, RetryAsked, CancelAsked)
    actions = (Reply,)

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        #: What a node owes to those who asked it, by the rules for one node.
        self._books: dict[NodeId, NothingLost] = {}
        #: Each accepted task with the clusters' nodes that had it on disk at that moment.
        self.accepted: dict[TaskId, tuple[NodeId, ...]] = {}

    def on_event(self, event: Event, node: Node) -> None:
        self._book(node.name).on_event(event, node)

    def on_action(self, action: Action, node: Node, disk: SimDisk) -> None:
        if not isinstance(action, Reply):
            return
        book = self._book(node.name)
        before = len(book.accepted)
        book.on_action(action, node, disk)
        for task in list(book.accepted)[before:]:
            self._accept(task, node.name)

    def on_end(self, node: NodeId) -> None:
        self._book(node).on_crash()

    def on_disk_lost(self, node: NodeId) -> None:
        self._books.pop(node, None)
        for task, holders in self.accepted.items():
            if len(holders) > 1 and not self._holders(task):
                raise Broken(f"{task} was accepted and on {len(holders)} disks, and is on none that is left")

    def at_rest(self, core: Sequence[Member]) -> None:
        for member in core:
            there = _on_disks([other.disk for other in core if other.cluster == member.cluster])
            for task in self.accepted:
                if task in there and task not in member.disk.flushed.tasks:
                    raise Broken(f"{task} was accepted and is not on {member.node.name}, although others have it")

    def _accept(self, task: TaskId, node: NodeId) -> None:
        holders = self._holders(task)
        if len(holders) < 2 and self._scene.has_company(node):
            raise Broken(f"{task} was accepted by {node}, which was not alone, and is on one disk only")
        self.accepted[task] = holders

    def _holders(self, task: TaskId) -> tuple[NodeId, ...]:
        return tuple(name for name, disk in self._scene.disks.items() if task in disk.flushed.tasks)

    def _book(self, node: NodeId) -> NothingLost:
        return self._books.setdefault(node, NothingLost())


def _on_disks(disks: Sequence[SimDisk]) -> dict[TaskId, None]:
    return {task: None for disk in disks for task in disk.flushed.tasks}
