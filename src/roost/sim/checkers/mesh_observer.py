"""The observer of many nodes: it hands everything that happens anywhere to each checker."""

from collections.abc import Sequence
from typing import NamedTuple

from roost.core.actions import Action
from roost.core.events import Event
from roost.core.facts import Fact
from roost.core.node import Node
from roost.model.ids import NodeId
from roost.sim.journal import SimDisk


class Member(NamedTuple):
    """A node of the healed core; nodes of one cluster hear each other."""

    node: Node
    disk: SimDisk
    cluster: int


class MeshChecker:
    """A checker of many nodes keeps its own books, outside of them. It overrides what it looks at."""

    def on_event(self, event: Event, node: Node) -> None:
        """A node is about to handle an event."""

    def on_action(self, action: Action, node: Node, disk: SimDisk) -> None:
        """A node did something; what promises has waited for the disk."""

    def on_written(self, node: NodeId, facts: tuple[Fact, ...]) -> None:
        """Facts reached a disk, where a power cut may still undo them."""

    def on_end(self, node: NodeId) -> None:
        """A life ended, and its memory is gone."""

    def on_disk_lost(self, node: NodeId) -> None:
        """A disk is gone, and its node with it."""

    def at_rest(self, core: Sequence[Member]) -> None:
        """No fault is left to come, and the core has had its time."""


class MeshObserver(MeshChecker):
    def __init__(self, checkers: Sequence[MeshChecker]) -> None:
        self._checkers = checkers
        # Most look at few kinds of things, and there are hundreds of thousands of events and actions in a world.
        self._see_event = [checker.on_event for checker in checkers if _overrides(checker, "on_event")]
        self._see_action = [checker.on_action for checker in checkers if _overrides(checker, "on_action")]

    def on_event(self, event: Event, node: Node) -> None:
        for see in self._see_event:
            see(event, node)

    def on_action(self, action: Action, node: Node, disk: SimDisk) -> None:
        for see in self._see_action:
            see(action, node, disk)

    def on_written(self, node: NodeId, facts: tuple[Fact, ...]) -> None:
        for checker in self._checkers:
            checker.on_written(node, facts)

    def on_end(self, node: NodeId) -> None:
        for checker in self._checkers:
            checker.on_end(node)

    def on_disk_lost(self, node: NodeId) -> None:
        for checker in self._checkers:
            checker.on_disk_lost(node)

    def at_rest(self, core: Sequence[Member]) -> None:
        for checker in self._checkers:
            checker.at_rest(core)


def _overrides(checker: MeshChecker, method: str) -> bool:
    return getattr(type(checker), method, None) is not getattr(MeshChecker, method)
