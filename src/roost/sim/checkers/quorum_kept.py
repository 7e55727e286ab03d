"""A quorum keeps its word: of an element and edition no two results ever count anywhere, not even for a moment.

That is stricter than what holds for other runs, where both sides of a partition may accept a result (results_agree.py).
It is looked at when a node hands the state to its disk, which is before anybody is told. What a power cut takes from
the disk of the only voter before it is flushed, vote and all, has not counted: nobody was told. When it is first told,
most voters have the result on disk; a voter whose disk is lost may have had it, and one where a person had the run
forgotten since has had it if its vote says so, which stays. What was told stays, unless a person sends it back; unless
a node told it that was alone, which may be lost with all that it knew.
"""

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from roost.core.actions import Action, Notify, Persist, TaskChanged
from roost.core.events import Event, Heard
from roost.core.facts import Fact, StatesMerged, TaskAdded
from roost.core.node import Node
from roost.model.ids import NodeId, TaskId, run_of
from roost.model.ranges import EMPTY, RangeSet
from roost.model.states import Done
from roost.sim.checkers.accepted_kept import Scene
from roost.sim.checkers.mesh_observer import Member, MeshChecker
from roost.sim.checkers.observer import Broken
from roost.sim.journal import SimDisk
from roost.wire.messages import Keep

#: A task, an element and its edition.
_Key: TypeAlias = tuple[TaskId, int, int]


class _Counted(NamedTuple):
    """A result that counts, and where it was first called done: on which node, in which of its lives."""

    state: Done
    node: NodeId
    boot: int


class QuorumKept(MeshChecker):
    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._voters: dict[TaskId, tuple[NodeId, ...]] = {}
        #: The first result of each element and edition that counted anywhere.
        self._counted: dict[_Key, _Counted] = {}
        #: Those that were told.
        self.told: dict[_Key, Done] = {}
        #: Those of them that were on two disks as done by then, or more.
        self._safe: dict[_Key, None] = {}
        #: What others have offered to each node: they know that it counts.
        self._offered: dict[tuple[NodeId, TaskId], RangeSet] = {}
        self._disk_lost = False

    def on_event(self, event: Event, node: Node) -> None:
        if isinstance(event, Heard) and isinstance(event.message, Keep):
            for task, offered in event.message.offers:
                key = (node.name, task)
                self._offered[key] = self._offered.get(key, EMPTY) | offered.known()

    def on_action(self, action: Action, node: Node, disk: SimDisk) -> None:
        if isinstance(action, Persist):
            for fact in action.facts:
                self._look_at(fact, node)
        elif isinstance(action, Notify) and isinstance(action.change, TaskChanged):
            change = action.change
            if change.state == "done" and change.task in self._voters:
                self._tell(change.task, change.edition, change.ranges, node.name)

    def on_disk_lost(self, node: NodeId) -> None:
        self._disk_lost = True

    def at_rest(self, core: Sequence[Member]) -> None:
        for task, index, edition in self._safe:
            told = self.told[task, index, edition]
            for member in core:
                records = member.disk.flushed
                state = records.state(task, index)
                if task in records.tasks and state != told and (state is None or state.edition <= edition):
                    raise Broken(f"{task}[{index}] was told done by {told} and is {state} on {member.node.name}")

    def _look_at(self, fact: Fact, node: Node) -> None:
        if isinstance(fact, TaskAdded) and fact.spec.voters:
            self._voters[fact.spec.id] = fact.spec.voters
        elif isinstance(fact, StatesMerged) and fact.task in self._voters:
            for state, ranges in fact.delta.items():
                if isinstance(state, Done):
                    self._count(fact.task, state, ranges, node)

    def _count(self, task: TaskId, state: Done, ranges: RangeSet, node: Node) -> None:
        for index in ranges:
            key, now = (task, index, state.edition), _Counted(state, node.name, node.boot)
            first = self._counted.setdefault(key, now)
            if first.state != state and self._is_taken_back(key, first):
                self._counted[key] = now
            elif first.state != state:
                raise Broken(f"{task}[{index}]: {first.state} counts on {first.node}, and {state} on {node.name}")

    def _is_taken_back(self, key: _Key, first: _Counted) -> bool:
        """Whether the life of the only voter that called it done has ended, and it is on no disk and was not told."""
        task, index, _ = key
        disk = self._scene.disks.get(first.node)
        has_ended = disk is not None and disk.boot > first.boot and self._voters[task] == (first.node,)
        return has_ended and key not in self.told and not self._is_on_any_disk(task, index, first.state)

    def _is_on_any_disk(self, task: TaskId, index: int, state: Done) -> bool:
        return any(_is_done(disk, task, index, state) for disk in self._scene.disks.values())

    def _tell(self, task: TaskId, edition: int, ranges: RangeSet, node: NodeId) -> None:
        for index in ranges:
            key = (task, index, edition)
            if key not in self._counted:
                raise Broken(f"{task}[{index}] is told done by {node}, and nobody has written that")
            state = self._counted[key].state
            if key not in self._safe:
                self._check_known(key, state, node)
            if key not in self.told:
                self.told[key] = state
                self._check_held(key, state, node)

    def _check_known(self, key: _Key, state: Done, node: NodeId) -> None:
        """Who has company tells that its own result counts when another knows it: on disk, or by having offered it."""
        task, index, _ = key
        offered = index in self._offered.get((node, task), EMPTY)
        known = [name for name, disk in self._scene.disks.items() if _is_done(disk, task, index, state)]
        if len(known) > 1:
            self._safe[key] = None
        elif known in ([], [node]) and self._is_maker_in_company(node, state) and not offered:
            raise Broken(f"{task}[{index}] is told done by {node}, which is not alone, and nobody else knows that")

    def _is_maker_in_company(self, node: NodeId, state: Done) -> bool:
        return node == state.node and not self._disk_lost and self._scene.has_company(node)

    def _check_held(self, key: _Key, state: Done, node: NodeId) -> None:
        task, index, _ = key
        voters, disks = self._voters[task], self._scene.disks
        lost = [voter for voter in voters if voter not in disks]
        holders = [voter for voter in voters if voter in disks and _has_held(disks[voter], task, index, state)]
        if 2 * (len(holders) + len(lost)) <= len(voters):
            raise Broken(
                f"{task}[{index}] is told done by {node}, and of its voters {voters} only {holders} hold {state}"
            )


def _is_done(disk: SimDisk, task: TaskId, index: int, state: Done) -> bool:
    found = disk.flushed.state(task, index)
    return found is not None and (found == state or found.edition > state.edition)


def _has_held(disk: SimDisk, task: TaskId, index: int, state: Done) -> bool:
    """Whether a voter holds a result, or has voted for it before it forgot the run."""
    has_voted = any(vote.held.at(index) == state for vote in disk.flushed.votes.get(task, ()))
    holds = index in disk.flushed.made_by(task, state.token, state.node)
    return holds or (has_voted and run_of(task) in disk.flushed.tombstones)
