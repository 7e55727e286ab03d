"""Bounds: no table of a node grows beyond its named limit, whatever the others say."""

from roost.core.events import Event
from roost.core.node import Node
from roost.sim.checkers.mesh_observer import MeshChecker
from roost.sim.checkers.observer import Broken

#: Looking costs more than handling an event; tables do not jump.
LOOK_EVERY = 16


class TablesBounded(MeshChecker):
    def __init__(self) -> None:
        self._events = 0

    def on_event(self, event: Event, node: Node) -> None:
        self._events += 1
        if self._events % LOOK_EVERY == 0:
            for name, (size, limit) in node.sizes().items():
                if size > limit:
                    raise Broken(f"the table '{name}' of {node.name} holds {size}, and its limit is {limit}")
