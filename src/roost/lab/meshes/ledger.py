"""What is noted of a simulated mesh while it works: who ran what and when, and when its runs had ended.

It looks on as checkers do (sim/checkers/), and changes nothing.
"""

from roost.core.actions import Action, Start
from roost.core.events import ElementsDone, Event
from roost.core.facts import Fact, RunFinished
from roost.core.node import Node
from roost.model.ids import LeaseId, NodeId, RunId, TaskId
from roost.sim.checkers.mesh_observer import MeshChecker
from roost.sim.journal import SimDisk
from roost.sim.mesh import Mesh


class Ledger(MeshChecker):
    def __init__(self, mesh: Mesh) -> None:
        self._mesh = mesh
        self._tasks: dict[tuple[NodeId, LeaseId], TaskId] = {}
        #: For each task, when each of its executions that ended well began and ended.
        self.executions: dict[TaskId, list[tuple[float, float]]] = {}
        #: When the end of a run was first written, by anybody.
        self.ends: dict[RunId, float] = {}

    def on_action(self, action: Action, node: Node, disk: SimDisk) -> None:
        if isinstance(action, Start):
            self._tasks[node.name, action.lease] = action.spec.id

    def on_event(self, event: Event, node: Node) -> None:
        if isinstance(event, ElementsDone):
            task = self._tasks[node.name, event.lease]
            now = self._mesh.now
            self.executions.setdefault(task, []).append((now - event.busy_s, now))

    def on_written(self, node: NodeId, facts: tuple[Fact, ...]) -> None:
        for fact in facts:
            if isinstance(fact, RunFinished):
                self.ends.setdefault(fact.run, self._mesh.now)
