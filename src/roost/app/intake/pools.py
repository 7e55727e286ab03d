"""Where the tasks of a submission lie: in which pools, and so with which elements and by which edges (model/pools.py).

People write what they mean: ``sized_by`` a list, ``all`` of a pool. What follows is worked out here: how deep a task
lies, which blocks of indices it has, and whether it gathers the whole of a pool or only what lies below each of its own
elements.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from roost.api.requests import TaskAsked
from roost.model.errors import InvalidInput
from roost.model.pools import POOL_DEPTH_MAX, above, below
from roost.model.ranges import EMPTY, ONE, RangeSet
from roost.model.task import EdgeKind
from roost.model.visible import quoted


class PoolPlace(NamedTuple):
    """Where one task lies."""

    elements: RangeSet
    mapper: str | None = None
    depth: int = 0


#: That of most tasks: one element, in no pool.
_ALONE: Final = PoolPlace(ONE)


class PoolPlaces:
    """Works out the place of every task; ``elements`` are those of each, none for a task that is in a pool."""

    def __init__(self, tasks: Sequence[TaskAsked], elements: Sequence[RangeSet]) -> None:
        """Raise InvalidInput, with the task and the field, if a pool cannot be."""
        #: The places of those that are not alone.
        self._places: dict[str, PoolPlace] = {}
        pooled: dict[str, TaskAsked] = {}
        for task, own in zip(tasks, elements, strict=True):
            if own is ONE:
                continue
            if own:
                self._places[task.name] = PoolPlace(own)
            else:
                pooled[task.name] = task
        self._pooled = pooled
        self._names = frozenset([task.name for task in tasks]) if pooled else frozenset[str]()
        for name in pooled:
            self._find(name, ())
        self.mapped = frozenset(place.mapper for place in self._places.values() if place.mapper is not None)

    def of(self, name: str) -> PoolPlace:
        return self._places.get(name, _ALONE)

    def kind(self, task: str, source: str, kind: EdgeKind) -> EdgeKind:
        """Return how an edge between two tasks leads: ``all`` of what lies below gathers."""
        if kind is not EdgeKind.ALL:
            return kind
        target, origin = self.of(task), self.of(source)
        outwards = origin.depth - target.depth
        if outwards > 0 and above(origin.elements, outwards) == target.elements:
            return EdgeKind.GATHER
        return kind

    def _find(self, name: str, inside: tuple[str, ...]) -> PoolPlace:
        if name in self._places or name not in self._pooled:
            return self.of(name)
        mapper = mapper_of(self._pooled[name])
        assert mapper is not None, "a task without a mapper has elements of its own"
        if mapper not in self._names:
            raise _wrong(name, f"{quoted(mapper)} is not a task of this submission")
        if mapper in (*inside, name):
            raise _wrong(name, f"it and {quoted(mapper)} would be sized by each other")
        outer = self._find(mapper, (*inside, name))
        if outer.depth >= POOL_DEPTH_MAX:
            raise _wrong(name, f"at most {POOL_DEPTH_MAX} pools may lie inside each other")
        place = self._places[name] = PoolPlace(below(outer.elements), mapper, outer.depth + 1)
        return place


def mapper_of(task: TaskAsked) -> str | None:
    """Return the task whose list says how many elements this one has: the one it names, or whose items it takes."""
    if task.sized_by is not None:
        return task.sized_by
    for edge in task.edges:
        if edge.kind is EdgeKind.SPREAD:
            return edge.source
    return None


def elements_in_pool(task: TaskAsked) -> RangeSet:
    """Raise InvalidInput if a pool's task says itself which elements it has."""
    for field, given in (("array", task.array), ("items", task.items)):
        if given is not None:
            raise InvalidInput(
                f"field '{field}': the task is in a pool, which has as many elements as a list has items"
            )
    return EMPTY


def _wrong(name: str, why: str) -> InvalidInput:
    return InvalidInput(f"task {quoted(name)}, field 'sized_by': {why}")
