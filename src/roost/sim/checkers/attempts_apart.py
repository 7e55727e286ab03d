"""Further attempts stay apart from the leases of record, and end with the element that they are at.

- An attempt begins at what its node believes another one to hold, and at nothing that must not be repeated.
- No record ever names it: no lease, no release and no failure has its token. Only its result may.
- A node that knows an element to have ended has told its own attempt at it to stop.
"""

from roost.core.actions import Action, Persist, Start, Stop
from roost.core.events import ElementFailed, ElementsDone, ElementsReturned, Event
from roost.core.executor_reports import what_counts
from roost.core.facts import StatesMerged
from roost.core.node import Node
from roost.core.queue.leases import Lease
from roost.core.queue.replica import FINAL_PHASES
from roost.model.ids import LeaseId, NodeId, TaskId
from roost.model.ranges import EMPTY, RangeSet
from roost.model.states import Failed, Leased, Released
from roost.model.token import Token
from roost.sim.checkers.mesh_observer import MeshChecker
from roost.sim.checkers.observer import Broken
from roost.sim.journal import SimDisk


class AttemptsApart(MeshChecker):
    def __init__(self) -> None:
        #: What was attempted in all lives, by whom under which token.
        self._made: dict[tuple[NodeId, TaskId, Token], RangeSet] = {}
        #: How many attempts were begun.
        self.begun = 0
        #: Those that go on and were not told to stop, by node.
        self._going_on: dict[NodeId, dict[LeaseId, Start]] = {}

    def on_event(self, event: Event, node: Node) -> None:
        for start in self._going_on.get(node.name, {}).values():
            entry = node.queue.replica.tasks.get(start.spec.id)
            for phase in FINAL_PHASES if entry is not None else ():
                if entry is not None and start.ranges & entry.phases[phase]:
                    raise Broken(f"{node.name} goes on with an attempt at {start.spec.id}[{start.ranges}], {phase}")
        if isinstance(event, ElementsDone | ElementFailed | ElementsReturned):
            self._answered(event, node)

    def _answered(self, event: ElementsDone | ElementFailed | ElementsReturned, node: Node) -> None:
        lease = node.queue.leases.find(event.lease)
        if lease is not None and what_counts(lease, event) is not None:
            self._going_on.get(node.name, {}).pop(event.lease, None)

    def on_action(self, action: Action, node: Node, disk: SimDisk) -> None:
        match action:
            case Start(lease=name):
                lease = node.queue.leases.attempts.get(name)
                if lease is not None:
                    self._begun(action, lease, node)
            case Stop(lease=name):
                self._going_on.get(node.name, {}).pop(name, None)
            case Persist(facts=facts):
                for fact in facts:
                    if isinstance(fact, StatesMerged):
                        self._check_record(fact)

    def _begun(self, start: Start, lease: Lease, node: Node) -> None:
        if not start.spec.may_repeat:
            raise Broken(f"{start.spec.id} must not be repeated, and {node.name} does")
        unheld = start.ranges
        for state, ranges in node.queue.replica.tasks[start.spec.id].elements.entries_within(start.ranges):
            if state.token >= lease.token:
                raise Broken(f"{node.name} attempts {start.spec.id}[{ranges}] under {lease.token}, and it is {state}")
            if isinstance(state, Leased) and state.node != node.name:
                unheld -= ranges
        if unheld:
            raise Broken(f"{node.name} attempts {start.spec.id}[{unheld}] beside others, and no other node holds it")
        made = (node.name, start.spec.id, start.token)
        self._made[made] = self._made.get(made, EMPTY) | start.ranges
        self.begun += 1
        self._going_on.setdefault(node.name, {})[start.lease] = start

    def _check_record(self, fact: StatesMerged) -> None:
        for state, ranges in fact.delta.items():
            if isinstance(state, Leased | Released | Failed):
                told = ranges & self._made.get((state.node, fact.task, state.token), EMPTY)
                if told:
                    raise Broken(f"{fact.task}: {told} is {state} by a further attempt, which no record names")

    def on_end(self, node: NodeId) -> None:
        self._going_on.pop(node, None)
