"""Forgetting: only what has ended is forgotten, and what was forgotten does not come back.

It may come back if somebody had set it to work again whom those who forgot it had not heard of; his node's stamp in the
run's record tells. What has ended is worked out anew from the records on disk.
"""

from collections.abc import Sequence

from roost.core.actions import Accepted, Action, Reply
from roost.core.events import Event, ForgetAsked
from roost.core.node import Node
from roost.model.ids import CauseId, NodeId, RunId, TaskId, run_of
from roost.model.tombstones import Tombstone
from roost.sim.checkers.accepted_kept import Scene
from roost.sim.checkers.convergence import unended
from roost.sim.checkers.mesh_observer import Member, MeshChecker
from roost.sim.checkers.observer import Broken
from roost.sim.journal import SimDisk


class ForgottenStays(MeshChecker):
    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        #: What had not ended of what somebody wants forgotten, by who was asked.
        self._asked: dict[tuple[NodeId, CauseId], tuple[tuple[RunId, ...], list[TaskId]]] = {}

    def on_event(self, event: Event, node: Node) -> None:
        if isinstance(event, ForgetAsked):
            tasks = self._scene.disks[node.name].tasks
            left = [task for task in unended(tasks) if run_of(task) in event.runs]
            self._asked[node.name, event.cause] = (event.runs, left)

    def on_action(self, action: Action, node: Node, disk: SimDisk) -> None:
        if not isinstance(action, Reply) or not isinstance(action.outcome, Accepted):
            return
        runs, left = self._asked.pop((node.name, action.cause), ((), []))
        if left:
            raise Broken(f"{node.name} has forgotten {left[0]}, which had not ended")
        for run in runs:
            if run not in disk.flushed.tombstones:
                raise Broken(f"{node.name} says that it has forgotten run {run}, and a power cut would bring it back")

    def at_rest(self, core: Sequence[Member]) -> None:
        # Clusters know nothing of each other, and may use the same ids. Whoever forgot a run before anybody heard of it
        # may be gone.
        forgotten: dict[tuple[int, RunId], Tombstone] = {}
        for member in core:
            for run, tombstone in member.disk.flushed.tombstones.items():
                known = forgotten.get((member.cluster, run), tombstone)
                forgotten[member.cluster, run] = known.merge(tombstone)
        for member in core:
            for run, record in member.disk.flushed.runs.items():
                hidden_by = forgotten.get((member.cluster, run))
                if hidden_by is not None and hidden_by.hides(record.touched):
                    raise Broken(f"run {run} was forgotten, and is back on {member.node.name}")
