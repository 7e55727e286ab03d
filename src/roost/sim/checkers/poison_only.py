"""Nothing fails as poison that is none: an element that has failed by the deaths of nodes is one that kills them.

Who looks on knows which these are. In worlds without any nothing fails so, however many machines die.
"""

from roost.core.facts import Fact, StatesMerged
from roost.model.ids import NodeId, TaskId
from roost.model.states import Failed
from roost.sim.checkers.mesh_observer import MeshChecker
from roost.sim.checkers.observer import Broken
from roost.sim.poison import is_poison


class PoisonOnly(MeshChecker):
    def __init__(self, share: float) -> None:
        """``share`` of the elements are poison."""
        self._share = share
        #: Those that have failed by it.
        self.found: set[tuple[TaskId, int]] = set()

    def on_written(self, node: NodeId, facts: tuple[Fact, ...]) -> None:
        for fact in facts:
            if isinstance(fact, StatesMerged):
                self._check(fact)

    def _check(self, fact: StatesMerged) -> None:
        for state, ranges in fact.delta.items():
            if isinstance(state, Failed) and state.downed:
                for index in ranges:
                    self._failed(fact.task, index, state)

    def _failed(self, task: TaskId, index: int, state: Failed) -> None:
        if not is_poison(task, index, self._share):
            raise Broken(f"{task}[{index}] has failed because {state.downed} died, and it kills no nodes")
        self.found.add((task, index))
