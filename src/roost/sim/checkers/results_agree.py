"""Promise 2 in a mesh: one result. What is told done is done, and all nodes come to agree on whose result it is.

What is told done is done on the disk of whoever tells it; or it was offered from there and is done on that of a keeper,
and the result is on two disks, or with the voters, or was until people forgot the run there. Then it is done on its own
disk in the end, unless the run is forgotten there, too.

A result that was on two disks when it was told is on one in the end; what a node accepted alone may go with it.
Both sides of a partition may accept a result. The merge keeps the larger, so a node's word on an element only grows,
until it forgets the run: one that comes back is as those know it who had not forgotten it (core/tombstones.py).
What it told of its own by the word of a keeper, and lost with its power before its own disk had it, comes back from the
keeper (core/mesh/keepers.py); until then it may tell an older one, of which it hears from the other side.
A simulated result tells its element; of a fickle one every attempt gives another, so what one attempt gave (that of a
node under a token) must be the same bytes wherever it is.
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from roost.core.actions import Action, Notify, TaskChanged
from roost.core.facts import Fact, ResultsStored, RunForgotten
from roost.core.node import Node
from roost.model.ids import NodeId, TaskId, run_of
from roost.model.states import Done
from roost.model.token import Token
from roost.sim.checkers.accepted_kept import Scene
from roost.sim.checkers.mesh_observer import Member, MeshChecker
from roost.sim.checkers.observer import Broken
from roost.sim.journal import SimDisk
from roost.sim.liars import is_result_of

_Result: TypeAlias = tuple[int, Token, NodeId]


class ResultsAgree(MeshChecker):
    def __init__(self, scene: Scene, is_result: Callable[[bytes, TaskId, int], bool] = is_result_of) -> None:
        self._scene = scene
        self._is_result = is_result
        #: The result that each node told last: its edition, its token and its maker.
        self._told: dict[tuple[NodeId, TaskId, int], _Result] = {}
        #: What each node had told of runs before it forgot them.
        self._told_before: dict[tuple[NodeId, TaskId, int], _Result] = {}
        #: What of it a node told before its own disk had it, and lost with the end of that life.
        self._lost: dict[tuple[NodeId, TaskId, int], None] = {}
        #: Results that were on two disks or more when they were first told; one of those must be left in the end.
        self._safe: dict[tuple[TaskId, int, int, Token, NodeId], None] = {}
        self._disk_lost = False
        #: What each attempt gave.
        self._values: dict[tuple[TaskId, int, Token, NodeId], bytes] = {}

    def on_disk_lost(self, node: NodeId) -> None:
        self._disk_lost = True

    def on_end(self, node: NodeId) -> None:
        disk = self._scene.disks.get(node)
        for key, told in self._told.items() if disk is not None else ():
            known = _accepted(disk, *key[1:]) if key[0] == node and disk is not None else told
            if told[2] == node and (known is None or known < told):
                self._lost[key] = None

    def on_written(self, node: NodeId, facts: tuple[Fact, ...]) -> None:
        for fact in facts:
            if isinstance(fact, ResultsStored):
                for index, value in enumerate(fact.segment.values(), fact.segment.start):
                    self._check_value(node, fact, index, value)
            elif isinstance(fact, RunForgotten):
                forgotten = [key for key in self._told if key[0] == node and run_of(key[1]) == fact.tombstone.run]
                for key in forgotten:
                    self._told_before[key] = self._told.pop(key)

    def _check_value(self, node: NodeId, fact: ResultsStored, index: int, value: bytes) -> None:
        if not self._is_result(value, fact.task, index):
            raise Broken(f"{fact.task}[{index}]: the result on {node} is {value!r}, another than its own")
        first = self._values.setdefault((fact.task, index, fact.token, fact.node), value)
        if first != value:
            attempt = f"the attempt of {fact.node} under token {fact.token}"
            raise Broken(f"{fact.task}[{index}]: {attempt} gave {first!r}, and on {node} {value!r}")

    def on_action(self, action: Action, node: Node, disk: SimDisk) -> None:
        if isinstance(action, Notify) and isinstance(action.change, TaskChanged) and action.change.state == "done":
            for index in action.change.ranges:
                self._tell(node.name, action.change, index, disk)

    def at_rest(self, core: Sequence[Member]) -> None:
        for member in core:
            self._check_told(member)
            self._check_agreed(member, core)

    def _tell(self, node: NodeId, change: TaskChanged, index: int, disk: SimDisk) -> None:
        task = change.task
        accepted = _accepted(disk, task, index) or self._kept_elsewhere(change, index, disk)
        if accepted is None and (_was_sent_back(disk, task, index) or run_of(task) in disk.flushed.tombstones):
            return
        if accepted is None:
            raise Broken(f"{task}[{index}] is told done by {node} and is not done on its disk, nor on a keeper's")
        before = self._told.get((node, task, index))
        if before is not None and before > accepted:
            if (node, task, index) in self._lost:
                return
            raise Broken(f"{task}[{index}]: {node} told the result {before}, and later {accepted}, which is older")
        self._told[node, task, index] = accepted
        self._lost.pop((node, task, index), None)
        holders = [holder for holder in self._scene.disks.values() if _holds(holder, task, index, accepted)]
        # What a node accepted before it forgot the run comes back from whoever kept it, who may be the only one.
        is_new = before is None and self._told_before.get((node, task, index)) != accepted
        if len(holders) > 1:
            self._safe[task, index, *accepted] = None
        elif self._is_forgotten_elsewhere(task, disk):
            return
        elif node == accepted[2] and is_new and not self._disk_lost and self._scene.has_company(node):
            raise Broken(f"{task}[{index}] was accepted by {node}, which is not alone, and its result is on one disk")

    def _kept_elsewhere(self, change: TaskChanged, index: int, disk: SimDisk) -> _Result | None:
        """Return a result that a node tells of by the word of a keeper; None if there is no keeper that has it so."""
        task, disks = change.task, list(self._scene.disks.values())
        others = [other for other in disks if other is not disk]
        known = [_accepted(other, task, index) for other in others]
        own = (change.edition, change.token, disk.node)
        same = [one for one in known if one is not None and one[:2] == own[:2]]
        # It is its own if a keeper has accepted just that; else voters may have chosen what another made.
        told = own if own in same or not same else same[0]
        is_accepted = any(_has_accepted(other, task, index, told) for other in others)
        has_voters = task in disk.tasks and bool(disk.tasks[task].spec.voters)
        # Where disks were lost, the keeper's may be among them.
        is_held = has_voters or sum(_holds(one, task, index, told) for one in disks) > 1 - self._disk_lost
        is_held = is_held or self._is_forgotten_elsewhere(task, disk)
        return told if is_held and (is_accepted or self._disk_lost) else None

    def _is_forgotten_elsewhere(self, task: TaskId, disk: SimDisk) -> bool:
        """Whether people have forgotten the run on another node, and with it all that this had of it."""
        others = [other for other in self._scene.disks.values() if other is not disk]
        return any(run_of(task) in other.flushed.tombstones for other in others)

    def _check_told(self, member: Member) -> None:
        for (node, task, index), told in self._told.items():
            if node == member.node.name and run_of(task) not in member.disk.flushed.tombstones:
                state = member.disk.flushed.state(task, index)
                if state is not None and state.edition > told[0]:
                    continue
                now = _accepted(member.disk, task, index)
                if now is None or now < told:
                    raise Broken(f"{task}[{index}] was told done on {node} by {told} and is now by {now}")

    def _check_agreed(self, member: Member, core: Sequence[Member]) -> None:
        others = [other for other in core if other.cluster == member.cluster]
        for task, record in member.disk.flushed.tasks.items():
            for index in record.elements.in_state(Done):
                accepted = _accepted(member.disk, task, index)
                for other in others:
                    if _accepted(other.disk, task, index) != accepted:
                        raise Broken(f"{task}[{index}]: {member.node.name} and {other.node.name} do not agree")
                if accepted is None or (task, index, *accepted) not in self._safe:
                    continue
                if any(run_of(task) in other.disk.flushed.tombstones for other in others):
                    # It came back, and who had its results may have been among those who forgot it.
                    continue
                if not any(_holds(other.disk, task, index, accepted) for other in others):
                    raise Broken(f"{task}[{index}] is done by {accepted}, and nobody has that result")


def _accepted(disk: SimDisk, task: TaskId, index: int) -> _Result | None:
    state = disk.flushed.state(task, index)
    return (state.edition, state.token, state.node) if isinstance(state, Done) else None


def _has_accepted(disk: SimDisk, task: TaskId, index: int, told: _Result) -> bool:
    """Whether a keeper has accepted a result; it may know a better one by now, or that its run is forgotten."""
    accepted = _accepted(disk, task, index)
    is_known = accepted is not None and accepted >= told
    return is_known or _was_sent_back(disk, task, index) or run_of(task) in disk.flushed.tombstones


def _was_sent_back(disk: SimDisk, task: TaskId, index: int) -> bool:
    """Whether the disk has a later edition already: it is written in groups, and told of one by one."""
    state = disk.flushed.state(task, index)
    return state is not None and state.edition > 0


def _holds(disk: SimDisk, task: TaskId, index: int, accepted: _Result) -> bool:
    _, token, maker = accepted
    return index in disk.flushed.made_by(task, token, maker)
