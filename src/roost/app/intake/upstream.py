"""Which elements lead to an element: what it needs itself, and everything that was needed for that."""

from collections.abc import Iterator

from roost.core.telling.views import TaskView
from roost.model.ids import TaskId
from roost.model.pools import above, below
from roost.model.ranges import EMPTY, RangeSet
from roost.model.task import Edge, EdgeKind, TaskSpec
from roost.runtime.service import NodeService


def needed(spec: TaskSpec, edge: Edge, source: TaskView, ranges: RangeSet) -> RangeSet:
    """Return the elements of an edge's source that feed these elements of a task."""
    levels = spec.depth - source.spec.depth
    match edge.kind:
        case EdgeKind.EACH | EdgeKind.SPREAD:
            return above(ranges, levels)
        case EdgeKind.GATHER:
            return below(ranges, -levels) & source.elements
        case EdgeKind.ALL | EdgeKind.BROADCAST | EdgeKind.AFTER:
            return source.elements


def leading_to(service: NodeService, view: TaskView, index: int) -> dict[TaskId, RangeSet]:
    """Return, of the same run, all elements that lead to this one, the nearest tasks first."""
    found: dict[TaskId, RangeSet] = {}
    waiting = [(view, RangeSet.span(index, index + 1))]
    while waiting:
        target, ranges = waiting.pop()
        for source, fed in _sources(service, target, ranges):
            news = fed - found.get(source.spec.id, EMPTY)
            if news and source.spec.run == view.spec.run:
                found[source.spec.id] = found.get(source.spec.id, EMPTY) | news
                waiting.append((source, news))
    return found


def _sources(service: NodeService, view: TaskView, ranges: RangeSet) -> Iterator[tuple[TaskView, RangeSet]]:
    for edge in view.spec.edges:
        source = service.task(edge.source)
        yield source, needed(view.spec, edge, source, ranges)
    if view.spec.mapper is not None:
        # How many elements there are is the mapper's doing, whether or not its list arrives.
        yield service.task(view.spec.mapper), above(ranges)
