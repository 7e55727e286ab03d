"""Undecided: elements that are finished and wait until most voters hold their results, as people see them.

They count as running, wherever one asks: their node still has them, and they may yet be lost to another's result.
"""

from roost.core.agreement.agreeing import Agreeing
from roost.core.peers import Peers
from roost.core.queue.replica import Replica, TaskEntry
from roost.core.quorum.proposing import majority
from roost.core.quorum.quorum import Quorum
from roost.model.ids import NodeId, TaskId, run_number
from roost.model.limits import NAMED_MAX
from roost.model.ranges import EMPTY, RangeSet
from roost.model.states import Leased


class Undecided:
    def __init__(self, name: NodeId, peers: Peers, replica: Replica, quorum: Quorum, agreeing: Agreeing) -> None:
        self._name = name
        self._peers = peers
        self._replica = replica
        self._quorum = quorum
        self._agreeing = agreeing

    def by_node(self, task: TaskId) -> dict[NodeId, RangeSet]:
        """Return the elements of a task that are finished and not decided, by the node that has finished them.

        Of other nodes it is known as far as they are heard.
        """
        entry = self._replica.tasks[task]
        if not entry.spec.voters and entry.spec.agreement is None:
            return {}
        found = {self._name: (self._quorum.waiting(task) | self._own_findings(entry)) & entry.leased}
        for state, held in entry.elements.items():
            if isinstance(state, Leased) and state.node != self._name:
                found[state.node] = found.get(state.node, EMPTY) | (self._finished_by(state.node, task) & held)
        return {finisher: ranges for finisher, ranges in found.items() if ranges}

    def _own_findings(self, entry: TaskEntry) -> RangeSet:
        """Return what this node has leased and found, and is not decided."""
        if entry.spec.agreement is None:
            return EMPTY
        ours = EMPTY
        for state, held in entry.elements.items():
            if isinstance(state, Leased) and state.node == self._name:
                ours |= held
        return self._agreeing.waiting(entry.spec.id) & ours

    def all(self, task: TaskId) -> RangeSet:
        found = EMPTY
        for ranges in self.by_node(task).values():
            found |= ranges
        return found

    def _finished_by(self, other: NodeId, task: TaskId) -> RangeSet:
        heartbeat = self._peers.heartbeat_of(other)
        found = EMPTY
        for lease in () if heartbeat is None else heartbeat.leases:
            if lease.task == task and lease.fraction >= 1.0 and lease.running_s is None:
                found |= lease.ranges
        return found

    def why(self, task: TaskId, asked: RangeSet) -> list[tuple[RangeSet, list[str]]]:
        """Say of finished elements how many voters hold their results, and who is waited for."""
        parts = []
        for finisher, ranges in self.by_node(task).items():
            if finisher != self._name and (part := ranges & asked):
                parts.append((part, [f"running: finished on {finisher}, {self._waits_for(task)}"]))
                asked -= part
        for index in self._own_findings(self._replica.tasks[task]) & asked:
            one = RangeSet.span(index, index + 1)
            parts.append((one, [self._found(task, index)]))
            asked -= one
        for ranges, holders in self._quorum.standing(task):
            if part := ranges & asked:
                parts.append((part, self._standing(task, holders)))
                asked -= part
        return parts

    def _waits_for(self, task: TaskId) -> str:
        agreement = self._replica.tasks[task].spec.agreement
        if agreement is None:
            return "which waits until most voters hold its result"
        return f"which waits until {agreement.agreeing} nodes have found the same"

    def _found(self, task: TaskId, index: int) -> str:
        agreement = self._replica.tasks[task].spec.agreement
        assert agreement is not None, f"{task} asks for no agreement"
        nodes, alike = self._agreeing.standing(task, index)
        many = "node has" if nodes == 1 else "nodes have"
        return (
            f"running: {nodes} {many} run it, and at most {alike} found the same; {agreement.agreeing} must agree, "
            f"and after {agreement.limit} it has failed"
        )

    def _standing(self, task: TaskId, holders: list[NodeId]) -> list[str]:
        spec = self._replica.tasks[task].spec
        needed = majority(len(spec.voters))
        others = [voter for voter in spec.voters if voter not in holders]
        held = f"{len(holders)} of {len(spec.voters)} voters hold it, {needed} are needed"
        lines = [f"running: its result is here; {held}; waiting for: {_names(others)}"]
        away = [voter for voter in spec.voters if voter not in (self._name, *self._peers.others)]
        if len(spec.voters) - len(away) < needed:
            way_out = f"if they are gone for good it never will, and 'roost cancel {run_number(spec.run)}' ends it"
            lines.append(f"running: too few voters are there for it to count; away: {_names(away)}; {way_out}")
        return lines


def _names(nodes: list[NodeId]) -> str:
    more = len(nodes) - NAMED_MAX
    return ", ".join(nodes[:NAMED_MAX]) + (f" and {more} more" if more > 0 else "")
