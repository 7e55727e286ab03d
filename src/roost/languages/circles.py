"""Nodes of a workflow that wait for each other."""

from collections.abc import Mapping, Sequence
from graphlib import CycleError
from typing import TypeVar

from roost.model.order import in_order

_Node = TypeVar("_Node", str, int)


def circle_in(sources: Mapping[_Node, Sequence[_Node]]) -> list[_Node]:
    """Return a circle, each node behind one that it waits for, beginning with the first; none if all is well."""
    try:
        in_order(sources)
    except CycleError as error:
        # graphlib names the first of them again at the end.
        circle: list[_Node] = error.args[1][1:]
        members = set(circle)
        first = circle.index(next(node for node in sources if node in members))
        return circle[first:] + circle[:first]
    return []
