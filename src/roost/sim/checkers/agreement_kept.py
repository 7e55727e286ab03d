"""Agreement keeps its word: what has to agree counts nowhere before enough nodes have made the same of it.

The books are kept of what executors say: which node has made what of which element, by what it is compared. They are
looked into when a node hands the state to its disk, which is before anybody is told. An element that failed because
nobody agrees was run by as many nodes as its limit says.

Rounds are not told apart: a person's retry is another round of the same edition, and what was made before may count in
the books, though not in the core (tests/core/agreement).
"""

from typing import TypeAlias

from roost.core.actions import Action, Persist
from roost.core.events import ElementFailed, ElementsDone, Event
from roost.core.executor_reports import what_counts
from roost.core.facts import StatesMerged, StoryTold, TaskAdded
from roost.core.node import Node
from roost.model.happenings import ResultsDiffer
from roost.model.ids import NodeId, TaskId
from roost.model.ranges import RangeSet
from roost.model.segments import Segment
from roost.model.states import Done
from roost.model.task import Agreement
from roost.model.token import Token
from roost.sim.checkers.mesh_observer import MeshChecker
from roost.sim.checkers.observer import Broken
from roost.sim.journal import SimDisk

#: A task, an element and its edition.
_Key: TypeAlias = tuple[TaskId, int, int]


class AgreementKept(MeshChecker):
    def __init__(self) -> None:
        self._asked: dict[TaskId, Agreement] = {}
        #: By what each node's results of an element were compared, one for each time that it ran it.
        self._made: dict[_Key, dict[NodeId, dict[Token, bytes]]] = {}
        #: Which nodes have run it, to whatever end.
        self._ran: dict[_Key, set[NodeId]] = {}
        #: How many results counted, and how many elements failed because nobody agreed.
        self.counted = 0
        self.differed = 0

    def on_event(self, event: Event, node: Node) -> None:
        if not isinstance(event, ElementsDone | ElementFailed):
            return
        lease = node.queue.leases.find(event.lease)
        answer = None if lease is None else what_counts(lease, event)
        if lease is None or answer is None or lease.spec.agreement is None:
            return
        task, tokens = lease.spec.id, (lease.token, *lease.earlier_tokens)
        if isinstance(answer, ElementFailed):
            self._ran.setdefault((task, answer.index, lease.edition), set()).add(node.name)
        elif isinstance(answer, ElementsDone):
            for index, key in _keys(answer.compared or answer.segments):
                self._ran.setdefault((task, index, lease.edition), set()).add(node.name)
                made = self._made.setdefault((task, index, lease.edition), {}).setdefault(node.name, {})
                made.update(dict.fromkeys(tokens, key))

    def on_action(self, action: Action, node: Node, disk: SimDisk) -> None:
        if isinstance(action, Persist):
            for fact in action.facts:
                match fact:
                    case TaskAdded(spec=spec) if spec.agreement is not None:
                        self._asked[spec.id] = spec.agreement
                    case StatesMerged(task=task) if task in self._asked:
                        self._look_at(fact, node.name)
                    case StoryTold(what=ResultsDiffer(found=found)):
                        self._differs(fact.task, fact.ranges, found, node)

    def _look_at(self, fact: StatesMerged, node: NodeId) -> None:
        for state, ranges in fact.delta.items():
            if isinstance(state, Done):
                for index in ranges:
                    self._counts(fact.task, index, state, node)

    def _counts(self, task: TaskId, index: int, state: Done, node: NodeId) -> None:
        made, asked = self._made.get((task, index, state.edition), {}), self._asked[task]
        key = made.get(state.node, {}).get(state.token)
        if key is None:
            raise Broken(f"{task}[{index}] counts on {node} as {state}, which nobody has made")
        alike = sum(key in results.values() for results in made.values())
        if alike < asked.agreeing:
            raise Broken(f"{task}[{index}] counts on {node} as {state}, and {alike} of {asked.agreeing} nodes agree")
        self.counted += 1

    def _differs(self, task: TaskId, ranges: RangeSet, found: tuple[tuple[NodeId, str], ...], node: Node) -> None:
        limit, keys = self._asked[task].limit, [key for _, key in found if key]
        if any(keys.count(key) >= self._asked[task].agreeing for key in keys):
            raise Broken(f"{node.name} gives up {task}[{ranges}], on which enough nodes agree: {found}")
        for index in ranges:
            edition = node.queue.replica.tasks[task].edition_of(index)
            ran = self._ran.get((task, index, edition), set())
            if len(ran) < limit:
                raise Broken(f"{node.name} gives up {task}[{index}], which {len(ran)} of {limit} nodes have run")
            self.differed += 1


def _keys(segments: tuple[Segment, ...]) -> list[tuple[int, bytes]]:
    return [pair for segment in segments for pair in enumerate(segment.values(), segment.start)]
