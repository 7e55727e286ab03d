"""What is left to others for fairness is begun in time: by one of them, or by whoever has left it.

No node leaves its work to others for longer than FAIR's patience allows, while nobody begins anything anywhere.
"""

from collections.abc import Callable

from roost.core.actions import Action, Start
from roost.core.events import Event
from roost.core.node import Node
from roost.model.ids import NodeId
from roost.policy.fairness import PATIENCE_S, STRATEGIES
from roost.sim.checkers.mesh_observer import MeshChecker
from roost.sim.checkers.observer import Broken
from roost.sim.journal import SimDisk

#: Beside the patience itself: for clocks that go wrong, and contests on slow networks.
GRACE_S = 5.0
#: A node that hears nothing for so long sleeps, or its clock was set; what it said before does not count.
AWAKE_S = 2.0


class LeftInTime(MeshChecker):
    def __init__(self, nodes: int, now: Callable[[], float]) -> None:
        self._limit_s = PATIENCE_S * nodes + GRACE_S
        self._now = now
        #: Since when each node leaves its work to others, and when it was last seen.
        self._since: dict[NodeId, float] = {}
        self._seen: dict[NodeId, tuple[float, float]] = {}

    def on_event(self, event: Event, node: Node) -> None:
        now, why = self._now(), node.medium.why_abstains()
        seen_at, clock = self._seen.get(node.name, (now, node.now))
        self._seen[node.name] = now, node.now
        awake = max(now - seen_at, node.now - clock) < AWAKE_S
        if why is None or not awake or not why.endswith(tuple(f"({name})" for name in STRATEGIES)):
            self._since.pop(node.name, None)
        elif now - self._since.setdefault(node.name, now) > self._limit_s:
            raise Broken(f"for {self._limit_s:g} s nothing was begun, and {node.name} leaves all to others: {why}")

    def on_action(self, action: Action, node: Node, disk: SimDisk) -> None:
        if isinstance(action, Start):
            self._since.clear()

    def on_end(self, node: NodeId) -> None:
        self._since.pop(node, None)
        self._seen.pop(node, None)
