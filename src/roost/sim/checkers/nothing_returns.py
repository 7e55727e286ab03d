"""No resurrection: what a node has told done or cancelled never starts, waits or fails there again.

A result of its own that it told by the word of a keeper, on whose disk it is accepted, may be missing on its own disk
after the end of its life, and comes back from the keeper (core/mesh/keepers.py). Until then it may begin again.
"""

from roost.core.actions import Action, Notify, RunChanged, Start, TaskChanged
from roost.core.node import Node
from roost.model.ids import NodeId, RunId, TaskId, run_of
from roost.model.ranges import EMPTY, RangeSet
from roost.model.states import Done
from roost.sim.checkers.mesh_observer import MeshChecker
from roost.sim.checkers.observer import Broken
from roost.sim.journal import Records, SimDisk

#: What an element may be told to be after it was told done, or cancelled. Done beats cancelled; and where a run was
#: cancelled on one side of a partition while the other learnt how long its pool is, so does absent (model/states.py).
_AFTER = {"done": ("done",), "cancelled": ("cancelled", "absent", "done")}


def editions_of(start: Start, node: Node) -> list[tuple[int, RangeSet]]:
    """Return what is started, by edition."""
    states = node.queue.replica.tasks[start.spec.id].elements.entries_within(start.ranges)
    parts = [(state.edition, part) for state, part in states]
    fresh = start.ranges
    for _, part in parts:
        fresh -= part
    return [*parts, (0, fresh)] if fresh else parts


def _done_on(records: Records, task: TaskId) -> RangeSet:
    return records.tasks[task].elements.in_state(Done) if task in records.tasks else EMPTY


class NothingReturns(MeshChecker):
    def __init__(self) -> None:
        #: What each node told, by task, edition and word: another edition is another matter.
        self._final: dict[tuple[NodeId, TaskId, int, str], RangeSet] = {}
        #: What of it each node told done before its own disk had it, and that disk.
        self._by_word: dict[tuple[NodeId, TaskId, int], tuple[RangeSet, SimDisk]] = {}

    def on_action(self, action: Action, node: Node, disk: SimDisk) -> None:
        if isinstance(action, Start):
            for edition, part in editions_of(action, node):
                self._check(node.name, action.spec.id, edition, "started", part)
        elif isinstance(action, Notify) and isinstance(action.change, RunChanged):
            if action.change.state == "forgotten":
                self._forget(node.name, action.change.run)
        elif isinstance(action, Notify) and isinstance(action.change, TaskChanged):
            change = action.change
            self._check(node.name, change.task, change.edition, change.state, change.ranges)
            if change.state in _AFTER:
                key = (node.name, change.task, change.edition, change.state)
                self._final[key] = self._final.get(key, EMPTY) | change.ranges
            if change.state == "done":
                self._note_word(node.name, change, disk)

    def _note_word(self, node: NodeId, change: TaskChanged, disk: SimDisk) -> None:
        early = change.ranges - _done_on(disk.flushed, change.task)
        if early:
            key = (node, change.task, change.edition)
            before, _ = self._by_word.get(key, (EMPTY, disk))
            self._by_word[key] = (before | early, disk)

    def on_end(self, node: NodeId) -> None:
        for task, edition in [key[1:] for key in self._by_word if key[0] == node]:
            early, disk = self._by_word.pop((node, task, edition))
            key = (node, task, edition, "done")
            if key in self._final:
                self._final[key] -= early - _done_on(disk, task)

    def _forget(self, node: NodeId, run: RunId) -> None:
        """A forgotten run that comes back is told anew; whether it may come back is another's matter."""
        for key in [key for key in self._final if key[0] == node and run_of(key[1]) == run]:
            del self._final[key]

    def _check(self, node: NodeId, task: TaskId, edition: int, word: str, ranges: RangeSet) -> None:
        for before, allowed in _AFTER.items():
            again = self._final.get((node, task, edition, before), EMPTY) & ranges
            if again and word not in allowed:
                raise Broken(f"{task}: {again} was {before} on {node} and is {word} again")
