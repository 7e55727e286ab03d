"""The observer of a lone node: it hands everything to each checker. Checkers keep their own books, outside the node."""

from collections.abc import Sequence
from typing import Protocol

from roost.core.actions import Action
from roost.core.events import Event
from roost.core.node import Node
from roost.sim.checkers.observer import Onlooker
from roost.sim.journal import SimDisk


class Checker(Onlooker, Protocol):
    def on_crash(self) -> None:
        """The node lost its memory."""

    def at_rest(self, node: Node, disk: SimDisk) -> None:
        """Nothing is left to do, and no fault is left to come."""


class Observer:
    def __init__(self, checkers: Sequence[Checker]) -> None:
        self._checkers = checkers

    def on_event(self, event: Event, node: Node) -> None:
        for checker in self._checkers:
            checker.on_event(event, node)

    def on_action(self, action: Action, node: Node, disk: SimDisk) -> None:
        for checker in self._checkers:
            checker.on_action(action, node, disk)

    def on_crash(self) -> None:
        for checker in self._checkers:
            checker.on_crash()

    def at_rest(self, node: Node, disk: SimDisk) -> None:
        for checker in self._checkers:
            checker.at_rest(node, disk)
