"""Who looks on while a node lives, and says what was broken."""

from typing import Protocol

from roost.core.actions import Action
from roost.core.events import Event
from roost.core.node import Node
from roost.sim.journal import SimDisk


class Broken(AssertionError):
    """A promise was broken. The message says which, and the trace tells how."""


class Onlooker(Protocol):
    """Sees what happens in the life of a node."""

    def on_event(self, event: Event, node: Node) -> None: ...

    def on_action(self, action: Action, node: Node, disk: SimDisk) -> None: ...
