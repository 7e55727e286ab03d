"""Bounded waiting: what a node could start, it or another one starts soon, whatever their policies.

It is looked at from outside, every LOOK_S. A node could start an element if it lives and hears all others that live,
has done so for a while, knows that the element is ready, has its inputs, and has room for it and for all that waits
there with it. The time is added up for which this is so on any node, until somebody begins with the element; so one
that is passed over again and again is noticed, too. It may be as long as this together:

    a holder's death is noticed             SILENCE_MAX_S + SUSPICION_MAX_S, and CONFIRM_S if nobody names its lease
    all others may go before it             SKIPS_MAX times and once more, each after a window
    who leaves it to others for fairness    as long as its wrapper says, for each node that could take it

Why a node takes something or not is not looked at. Only of one that says that it is unstable nobody expects anything
but what is pure, and of one that is too unstable nothing. What several nodes have to find alike begins more often than
once, and is looked at by others (agreement_kept.py).
"""

from collections.abc import Iterator, Sequence
from typing import Final

from roost.core.events import Event
from roost.core.mesh.contest.lease_expiry import CONFIRM_S
from roost.core.mesh.membership.suspicion import SILENCE_MAX_S, SUSPICION_MAX_S
from roost.core.node import Node
from roost.model.ids import NodeId, TaskId
from roost.model.ranges import RangeSet
from roost.model.vitals import NodeState
from roost.policy.groups import SKIPS_MAX
from roost.policy.window import WINDOW_S_MAX
from roost.sim.checkers.mesh_observer import MeshChecker
from roost.sim.checkers.observer import Broken
from roost.sim.mesh import Mesh

#: How often is looked.
LOOK_S: Final = 0.5
#: How long all must have heard each other before a node counts that has room.
SETTLED_S: Final = 5.0
#: Elements of a task that are followed: its first ones.
FOLLOWED_MAX: Final = 8
#: What is waited for at the longest.
WAIT_MAX_S: Final = SILENCE_MAX_S + SUSPICION_MAX_S + CONFIRM_S + (SKIPS_MAX + 1) * WINDOW_S_MAX


class BoundedWaiting(MeshChecker):
    def __init__(self, mesh: Mesh, fairness_s: float = 0.0) -> None:
        """``fairness_s`` is how long a node may leave something to others, for each that could take it."""
        self._mesh = mesh
        self._fairness_s = fairness_s
        self._looked_at = 0.0
        #: For how long elements could have been started that nobody has begun with.
        self._waited: dict[TaskId, dict[int, float]] = {}
        #: The longest of these times so far.
        self.longest_s = 0.0

    def on_event(self, event: Event, node: Node) -> None:
        passed_s = self._mesh.now - self._looked_at
        if passed_s >= LOOK_S:
            self._looked_at = self._mesh.now
            # Where nothing at all happens for long, nobody was there.
            self._look(min(passed_s, 2 * LOOK_S))

    def _look(self, passed_s: float) -> None:
        nodes = [host.life.node for host in self._mesh.hosts if host.life is not None]
        waiting: dict[TaskId, dict[int, NodeId]] = {}
        for node in nodes:
            if self._mesh.hears_all(node.name, SETTLED_S):
                for task, ranges in _could_start(node):
                    waiting.setdefault(task, {}).update(dict.fromkeys(ranges.take(FOLLOWED_MAX), node.name))
        self._forget_what_has_begun(nodes)
        for task, elements in waiting.items():
            for index, name in elements.items():
                self._waits(task, index, name, passed_s)

    def _forget_what_has_begun(self, nodes: Sequence[Node]) -> None:
        """What any node knows not to wait has begun, or must not begin."""
        for task in list(self._waited):
            known = [node for node in nodes if task in node.queue.replica.tasks]
            if not known:
                del self._waited[task]
            for node in known:
                ready = node.queue.readiness.ready(task)
                waited = {index: seconds for index, seconds in self._waited[task].items() if index in ready}
                self._waited[task] = waited

    def _waits(self, task: TaskId, index: int, name: NodeId, passed_s: float) -> None:
        waited = self._waited.setdefault(task, {})
        waited[index] = seconds = waited.get(index, 0.0) + passed_s
        self.longest_s = max(self.longest_s, seconds)
        limit_s = WAIT_MAX_S + self._fairness_s * len(self._mesh.hosts)
        if seconds > limit_s:
            raise Broken(f"{task}[{index}] waits though nodes have had room for {seconds:.1f} s, {name} among them")


def _could_start(node: Node) -> Iterator[tuple[TaskId, RangeSet]]:
    """Yield what a node could start now, as far as it knows; nothing if it keeps room for something larger."""
    queue = node.queue
    waiting = queue.scheduler.waiting()
    state = node.condition.state
    is_closed = node.draining.on or queue.readiness.trouble or state is NodeState.TOO_UNSTABLE
    if is_closed or not all(queue.lanes.fits(one.spec.needs) for one in waiting):
        return
    for entry in waiting:
        if entry.spec.agreement is None and (state < NodeState.UNSTABLE or entry.spec.is_pure):
            yield entry.spec.id, node.inventory.startable(entry.spec, queue.readiness.ready_here(entry.spec.id))
