"""Promise 1 in a mesh: nothing accepted is lost, although any one node may be, with its disk.

An accepted submission is on the disk of the node that accepted it. If that node had company for a while, it is on
another disk, too. If the person wanted it on more, it is, or the answer says on how many. From then on it is on some
disk that is left, and in the end on all of the core.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Protocol

from roost.core.actions import Accepted, Action, Reply
from roost.core.events import Event, Submitted
from roost.core.node import Node
from roost.model.ids import CauseId, NodeId, TaskId, run_of
from roost.sim.checkers.mesh_observer import Member, MeshChecker
from roost.sim.checkers.nothing_lost import NothingLost
from roost.sim.checkers.observer import Broken
from roost.sim.journal import SimDisk

#: How an answer says that there are fewer disks than a person wants.
_FEWER = re.compile(r"it is on (\d+) disks? and not on \d+")


class Scene(Protocol):
    @property
    def disks(self) -> Mapping[NodeId, SimDisk]:
        """The disks that are not lost, also those of nodes that do not run."""

    def has_company(self, node: NodeId) -> bool:
        """Whether another node of its cluster could be heard, and could hear it, for long enough to know it."""


class AcceptedKept(MeshChecker):
    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        #: What a node owes to those who asked it, by the rules for one node.
        self._books: defaultdict[NodeId, NothingLost] = defaultdict(NothingLost)
        #: On how many disks those who asked want what they handed in, and how many disks had been lost then.
        self._wanted: dict[tuple[NodeId, CauseId], tuple[int, int]] = {}
        self._disks_lost = 0
        #: Each accepted task with the clusters' nodes that had it on disk at that moment.
        self.accepted: dict[TaskId, tuple[NodeId, ...]] = {}

    def on_event(self, event: Event, node: Node) -> None:
        self._books[node.name].on_event(event, node)
        if isinstance(event, Submitted):
            self._wanted[node.name, event.cause] = event.safe, self._disks_lost

    def on_action(self, action: Action, node: Node, disk: SimDisk) -> None:
        if not isinstance(action, Reply):
            return
        book = self._books[node.name]
        before = len(book.accepted)
        book.on_action(action, node, disk)
        wanted, lost_before = self._wanted.pop((node.name, action.cause), (0, 0))
        for task in list(book.accepted)[before:]:
            self._accept(task, node.name)
            assert isinstance(action.outcome, Accepted)
            self._check_disks(task, wanted, action.outcome, self._disks_lost - lost_before)

    def on_end(self, node: NodeId) -> None:
        self._books[node].on_crash()

    def on_disk_lost(self, node: NodeId) -> None:
        self._books.pop(node, None)
        self._disks_lost += 1
        for task, holders in self.accepted.items():
            if len(holders) > 1 and not self._holders(task) and not self._is_forgotten(task):
                raise Broken(f"{task} was accepted and on {len(holders)} disks, and is on none that is left")

    def at_rest(self, core: Sequence[Member]) -> None:
        for member in core:
            there = {task for other in core if other.cluster == member.cluster for task in other.disk.flushed.tasks}
            for task in self.accepted:
                if task in there and task not in member.disk.flushed.tasks:
                    raise Broken(f"{task} was accepted and is not on {member.node.name}, although others have it")

    def _accept(self, task: TaskId, node: NodeId) -> None:
        holders = self._holders(task)
        if self._is_forgotten(task):
            # Somebody forgot it elsewhere before who handed it in was answered.
            self.accepted[task] = holders
            return
        if len(holders) < 2 and self._scene.has_company(node):
            raise Broken(f"{task} was accepted by {node}, which was not alone, and is on one disk only")
        self.accepted[task] = holders

    def _check_disks(self, task: TaskId, wanted: int, answer: Accepted, lost: int) -> None:
        """What was wanted, or what the answer owns up to, is there: so many disks, and one less may be lost.

        A disk that was lost while the answer was waited for may have been counted, for nobody could know yet.
        """
        for told in (_FEWER.search(warning) for warning in answer.warnings):
            if told is not None:
                wanted = int(told[1])
        if len(self.accepted[task]) + lost < wanted and not self._is_forgotten(task):
            raise Broken(f"{task} was accepted as being on {wanted} disks, and is on {len(self.accepted[task])}")

    def _is_forgotten(self, task: TaskId) -> bool:
        return any(run_of(task) in disk.flushed.tombstones for disk in self._scene.disks.values())

    def _holders(self, task: TaskId) -> tuple[NodeId, ...]:
        return tuple(name for name, disk in self._scene.disks.items() if task in disk.flushed.tasks)
