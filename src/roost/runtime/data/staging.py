"""Staging: from a Start action to an executor's Order, with all inputs read from the journal.

Inputs of a leased element are on disk, or on their way there. What a full disk refused in the last moment is not: then
the elements are given back, and so they are if results that they need are damaged, which others may have and which can
be made again. If inputs cannot be read for another reason, the elements fail with it, so that the lease is answered.
"""

from collections.abc import Callable, Iterator
from typing import Final

import msgspec

from roost.core.actions import Start
from roost.core.events import DamageFound, ElementFailed, ElementsReturned, Event
from roost.core.node import Node
from roost.core.queue.replica import TaskEntry
from roost.executors.order import EachPort, Order, SharedInput
from roost.executors.port import Executor
from roost.model.errors import Damaged, RoostError
from roost.model.ids import run_of
from roost.model.pools import POOL_BLOCK, above, below
from roost.model.ranges import RangeSet
from roost.model.segments import Segment, pack
from roost.model.task import Edge, EdgeKind, Failure, Value, blobs_of
from roost.runtime.journal.damage import of_task
from roost.runtime.journal.journal import Journal

_GATHERED: Final = msgspec.msgpack.Encoder()


def stage(action: Start, journal: Journal, executor: Executor, node: Node, feed: Callable[[Event], None]) -> None:
    """Read the inputs of a lease and start it; or answer for all of it if something is missing."""
    try:
        order = _order(action, journal, node)
    except RoostError as error:
        if _was_refused(action, node) or _can_be_had(action, error, journal, node, feed):
            feed(ElementsReturned(action.lease, action.ranges))
            return
        failure = Failure(f"its inputs cannot be read: {error}", permanent=True)
        for index in action.ranges:
            feed(ElementFailed(action.lease, index, failure))
        return
    executor.start(order)


def _was_refused(action: Start, node: Node) -> bool:
    """Whether inputs that other nodes sent are no longer taken for here; then nobody tries again before they are."""
    return node.peers.on_network and node.inventory.startable(action.spec, action.ranges) != action.ranges


def _can_be_had(action: Start, error: RoostError, journal: Journal, node: Node, feed: Callable[[Event], None]) -> bool:
    """Whether what cannot be read may come from another node, or be made again. The core learns that it is not here."""
    may_come = isinstance(error, Damaged) and node.peers.has_company
    for source in {edge.source: None for edge in action.spec.edges if edge.kind is not EdgeKind.AFTER}:
        left = journal.holdings(source)
        gone = node.inventory.gone(left)
        if gone and not isinstance(error, Damaged):
            feed(DamageFound(f"a result {of_task(source)}", run_of(source), source, gone, left))
        may_come = may_come or (bool(gone) and not isinstance(node.queue.replica.tasks[source].spec.work, Value))
    return may_come


def _order(action: Start, journal: Journal, node: Node) -> Order:
    spec, ranges = action.spec, action.ranges
    each, shared = [], []
    for edge in spec.edges if not action.behind else ():
        source = node.queue.replica.tasks[edge.source]
        levels = spec.depth - source.spec.depth
        if edge.kind is EdgeKind.GATHER:
            each.append(_gathered(edge, source, ranges, -levels, journal))
        elif edge.kind is EdgeKind.EACH and not levels:
            segments = tuple(_results(edge, source, ranges, journal))
            each.append(EachPort(edge.port, segments, pick=edge.pick, type=edge.type))
        elif edge.kind is not EdgeKind.AFTER:
            shared.append(_shared(edge, source, ranges, levels, journal))
    if action.behind:
        # The worker has made it, or is about to.
        edges = [edge for edge in spec.edges if edge.kind is not EdgeKind.AFTER]
        shared = [SharedInput(edge.port, edge.kind, "", (), edge.pick, edge.type) for edge in edges]
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
        behind=action.behind,
    )


def _results(edge: Edge, source: TaskEntry, ranges: RangeSet, journal: Journal) -> Iterator[Segment]:
    return journal.results(edge.source, source.elements, ranges)


def _shared(edge: Edge, source: TaskEntry, ranges: RangeSet, levels: int, journal: Journal) -> SharedInput:
    """Return what all elements get, or, in a pool, what all in the block of one element outside get."""
    inwards = edge.kind in {EdgeKind.EACH, EdgeKind.SPREAD}
    parents = above(ranges, levels) if inwards else source.present
    values = [value for segment in _results(edge, source, parents, journal) for value in segment.values()]
    version = _version(source, parents)
    key = f"{edge.source}:{edge.kind}" + (f":{version}" if version else "") + (f":{parents}" if inwards else "")
    if not inwards:
        return SharedInput(edge.port, edge.kind, key, tuple(values), edge.pick, edge.type)
    return SharedInput(edge.port, edge.kind, key, tuple(values), edge.pick, edge.type, levels, parents)


def _version(source: TaskEntry, ranges: RangeSet) -> int:
    """Return a number that grows whenever one of these elements is done again in a later edition."""
    return sum(state.edition * len(part) for state, part in source.elements.entries_within(ranges))


def _gathered(edge: Edge, source: TaskEntry, ranges: RangeSet, levels: int, journal: Journal) -> EachPort:
    """Pack the results of all that lies below each element into one value for it."""
    below_each: dict[int, list[bytes]] = {index: [] for index in ranges}
    for segment in _results(edge, source, below(ranges, levels) & source.present, journal):
        for index, value in enumerate(segment.values(), segment.start):
            below_each[index // POOL_BLOCK**levels].append(value)
    segments = tuple(
        pack(start, [_GATHERED.encode(below_each[index]) for index in range(start, stop)])
        for start, stop in ranges.spans()
    )
    return EachPort(edge.port, segments, edge.kind, edge.pick, edge.type)
