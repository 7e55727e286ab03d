"""Staging: from a Start action to an executor's Order, with all inputs read from the journal.

Inputs of a leased element are on disk, or on their way there. What a full disk refused in the last moment is not: then
the elements are given back. If inputs cannot be read for another reason, the elements fail with it, so that the lease
is answered.
"""

from collections.abc import Callable, Iterator

from roost.core.actions import Start
from roost.core.events import ElementFailed, ElementsReturned, Event
from roost.core.node import Node
from roost.core.stock import blobs_of
from roost.executors.port import EachInput, Executor, Order, SharedInput
from roost.model.errors import RoostError
from roost.model.ranges import RangeSet
from roost.model.segments import Segment
from roost.model.task import Edge, EdgeKind, Failure
from roost.runtime.journal import Journal


def stage(action: Start, journal: Journal, executor: Executor, node: Node, feed: Callable[[Event], None]) -> None:
    """Read the inputs of a lease and start it; or answer for all of it if something is missing."""
    try:
        order = _order(action, journal, node)
    except RoostError as error:
        if _was_refused(action, node):
            feed(ElementsReturned(action.lease, action.ranges))
            return
        failure = Failure(f"its inputs cannot be read: {error}", permanent=True)
        for index in action.ranges:
            feed(ElementFailed(action.lease, index, failure))
        return
    executor.start(order)


def _was_refused(action: Start, node: Node) -> bool:
    """Whether inputs that other nodes sent are no longer taken for here; then nobody tries again before they are."""
    in_mesh = node.mesh.members is not None
    return in_mesh and node.stock.startable(action.spec, action.ranges) != action.ranges


def _order(action: Start, journal: Journal, node: Node) -> Order:
    spec, ranges = action.spec, action.ranges
    each, shared = [], []
    for edge in spec.edges:
        if edge.kind is EdgeKind.EACH:
            each.append(EachInput(edge.port, tuple(_results(edge, ranges, journal, node))))
        elif edge.kind is not EdgeKind.AFTER:
            shared.append(_shared(edge, journal, node))
    return Order(
        action.lease,
        action.lane,
        spec,
        ranges,
        action.token,
        again=action.again,
        items=tuple(journal.items(spec.id, ranges)) if spec.has_items else (),
        each=tuple(each),
        shared=tuple(shared),
        blobs=tuple((name, journal.blob(name)) for name in blobs_of(spec)),
    )


def _results(edge: Edge, ranges: RangeSet, journal: Journal, node: Node) -> Iterator[Segment]:
    return journal.results(edge.source, node.replica.tasks[edge.source].elements, ranges)


def _shared(edge: Edge, journal: Journal, node: Node) -> SharedInput:
    source = node.replica.tasks[edge.source].spec.elements
    values = [value for segment in _results(edge, source, journal, node) for value in segment.values()]
    return SharedInput(edge.port, edge.kind, f"{edge.source}:{edge.kind}", tuple(values))
