"""Which elements of a run feed an element, from what the HTTP API says of its steps."""

from collections.abc import Mapping
from typing import Any

from roost.model.paths import read_ranges
from roost.model.pools import above, below
from roost.model.ranges import EMPTY, RangeSet
from roost.model.task import EdgeKind

Json = Mapping[str, Any]


class Feeding:
    """The edges of a run, element by element."""

    def __init__(self, steps: Mapping[str, Json]) -> None:
        self._steps = steps
        self.elements = {task: _elements(step) for task, step in steps.items()}

    def fed_by(self, task: str, edge: Json, index: int) -> RangeSet:
        """Return the elements of an edge's source that lead to an element; none if the source is of another run."""
        source = edge["source"]
        known = self.elements.get(source, EMPTY)
        levels = self._depth(task) - self._depth(source)
        match EdgeKind(edge["kind"]):
            case EdgeKind.EACH | EdgeKind.SPREAD:
                return above(RangeSet.span(index, index + 1), levels) & known
            case EdgeKind.GATHER:
                return below(RangeSet.span(index, index + 1), -levels) & known
            case EdgeKind.ALL | EdgeKind.BROADCAST | EdgeKind.AFTER:
                return known

    def edge_at(self, task: str, port: str) -> Json | None:
        return next((edge for edge in self._steps[task]["edges"] if edge["port"] == port), None)

    def _depth(self, task: str) -> int:
        """Return how many pools a task lies in."""
        depth = 0
        while task in self._steps and (mapper := self._steps[task].get("sized_by")):
            depth, task = depth + 1, mapper
        return depth


def _elements(step: Json) -> RangeSet:
    elements = EMPTY
    for ranges in step["ranges"].values():
        elements |= read_ranges(ranges)
    return elements
