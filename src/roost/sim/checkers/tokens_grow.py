"""Fencing: every attempt of a node at an element has a larger token than its last, through all its lives; and every
accepted result was made under a lease that its maker really had, or in a further attempt, unless it was handed in.

Each edition of an element has tokens of its own. A power cut may let a node forget that work was sent back: then it
begins another attempt in the earlier edition, which nothing can come of, and which must not be taken for another one.
"""

from roost.core.actions import Action, Persist, Start
from roost.core.facts import Fact, StatesMerged, TaskAdded
from roost.core.node import Node
from roost.model.ids import NodeId, TaskId
from roost.model.ranges import EMPTY, RangeSet
from roost.model.states import Done, Leased
from roost.model.task import UNRUN
from roost.model.token import NO_TOKEN, Token
from roost.sim.checkers.mesh_observer import MeshChecker
from roost.sim.checkers.observer import Broken
from roost.sim.journal import SimDisk


class TokensGrow(MeshChecker):
    def __init__(self) -> None:
        self._last: dict[tuple[NodeId, TaskId, int, int], Token] = {}
        #: What each node leased to itself, or attempted, under each token; a lease may be renewed while it runs.
        self._leased: dict[tuple[NodeId, TaskId, Token], RangeSet] = {}
        #: Tasks that nobody runs: their results come from people.
        self._unrun: dict[TaskId, None] = {}
        #: How often elements were started; those that ran more often than once were executed twice.
        self.starts = 0

    def on_action(self, action: Action, node: Node, disk: SimDisk) -> None:
        if isinstance(action, Start):
            self._start(action, node.name)
            if action.lease in node.queue.leases.attempts:
                self._note(node.name, action.spec.id, action.token, action.ranges)
        elif isinstance(action, Persist):
            for fact in action.facts:
                if isinstance(fact, StatesMerged):
                    self._note_leases(fact, node.name)
                elif isinstance(fact, TaskAdded) and isinstance(fact.spec.work, UNRUN):
                    self._unrun[fact.spec.id] = None

    def _start(self, start: Start, node: NodeId) -> None:
        task, token = start.spec.id, start.token
        if task in self._unrun:
            raise Broken(f"{task} is started on {node}, and nobody runs it")
        for index in start.ranges:
            if self._last.get((node, task, index, token.edition), NO_TOKEN) >= token:
                raise Broken(f"{task}[{index}]: the token {token} of {node} does not grow")
            self._last[node, task, index, token.edition] = token
        self.starts += len(start.ranges)

    def _note_leases(self, fact: StatesMerged, node: NodeId) -> None:
        for state, ranges in fact.delta.items():
            if isinstance(state, Leased) and state.node == node:
                self._note(node, fact.task, state.token, ranges)

    def _note(self, node: NodeId, task: TaskId, token: Token, ranges: RangeSet) -> None:
        lease = (node, task, token)
        self._leased[lease] = self._leased.get(lease, EMPTY) | ranges

    def on_written(self, node: NodeId, facts: tuple[Fact, ...]) -> None:
        for fact in facts:
            if isinstance(fact, StatesMerged):
                for state, ranges in fact.delta.items():
                    if isinstance(state, Done) and fact.task not in self._unrun:
                        self._check_maker(node, fact.task, state, ranges)

    def _check_maker(self, node: NodeId, task: TaskId, done: Done, ranges: RangeSet) -> None:
        unmade = ranges - self._leased.get((done.node, task, done.token), EMPTY)
        if unmade:
            raise Broken(f"{task}: {unmade} is done on {node} by {done}, and there was no such lease")
