"""The observer of many nodes: it hands everything that happens anywhere to each checker that looks at it."""

from collections.abc import Callable, Sequence
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

    #: The kinds of events and of actions that it looks at; all, if it names none.
    events: tuple[type[Event], ...] = ()
    actions: tuple[type[Action], ...] = ()

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
        # Most checkers look at one kind of thing only, and there are very many things: who hears of what is kept.
        self._event: dict[type[Event], list[Callable[[Event, Node], None]]] = {}
        self._action: dict[type[Action], list[Callable[[Action, Node, SimDisk], None]]] = {}
        self._written = [checker.on_written for checker in checkers if _overrides(checker, "on_written")]

    def on_event(self, event: Event, node: Node) -> None:
        kind = type(event)
        if kind not in self._event:
            lookers = [checker for checker in self._checkers if _overrides(checker, "on_event")]
            self._event[kind] = [one.on_event for one in lookers if not one.events or kind in one.events]
        for hear in self._event[kind]:
            hear(event, node)

    def on_action(self, action: Action, node: Node, disk: SimDisk) -> None:
        kind = type(action)
        if kind not in self._action:
            lookers = [checker for checker in self._checkers if _overrides(checker, "on_action")]
            self._action[kind] = [one.on_action for one in lookers if not one.actions or kind in one.actions]
        for hear in self._action[kind]:
            hear(action, node, disk)

    def on_written(self, node: NodeId, facts: tuple[Fact, ...]) -> None:
        for hear in self._written:
            hear(node, facts)

    def on_end(self, node: NodeId) -> None:
        for checker in self._checkers:
            checker.on_end(node)

    def on_disk_lost(self, node: NodeId) -> None:
        for checker in self._checkers:
            checker.on_disk_lost(node)

    def at_rest(self, core: Sequence[Member]) -> None:
        for checker in self._checkers:
            checker.at_rest(core)


def _overrides(checker: MeshChecker, name: str) -> bool:
    return getattr(type(checker), name) is not getattr(MeshChecker, name)
