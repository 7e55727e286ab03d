"""Orders: leases with everything that is needed to run them. Executors get them, and tell their processes of them."""

from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

from roost.model.ids import BlobHash, LeaseId
from roost.model.limits import MIB
from roost.model.ranges import EMPTY, RangeSet
from roost.model.segments import Segment
from roost.model.task import EdgeKind, PortType, TaskSpec
from roost.model.token import Token

#: The inputs of one message; an order with more goes out in several.
INPUT_BYTES: Final = 64 * MIB


class EachPort(msgspec.Struct, frozen=True, array_like=True):
    """A port at which every element finds the result of the source's element of the same index, or, with GATHER, those
    of all elements that lie below it, packed into one."""

    port: str
    segments: tuple[Segment, ...]
    kind: EdgeKind = EdgeKind.EACH
    pick: str = ""
    type: PortType = PortType.ANY


class SharedInput(msgspec.Struct, frozen=True, array_like=True):
    """The same for many elements: all results of a source (ALL), or its only one (BROADCAST).

    In a pool also the result of the element outside in whose block they lie (EACH), or its items (SPREAD).
    """

    port: str
    kind: EdgeKind
    #: Equal keys mean equal values: a process that has them is not sent them again. It names the source, as no hash of
    #: a blob does.
    key: str
    values: tuple[bytes, ...]
    pick: str = ""
    type: PortType = PortType.ANY
    #: How many pools further out the values come from, and of which elements there, in order.
    levels: int = 0
    parents: RangeSet = EMPTY


class Order(msgspec.Struct, frozen=True, tag="order"):
    lease: LeaseId
    lane: int
    spec: TaskSpec
    ranges: RangeSet
    token: Token
    #: Whether an element of it was tried before, and may have left output behind.
    again: bool = False
    #: The elements' own inputs, if the task has items: segments that cover ``ranges`` exactly, in order.
    items: tuple[Segment, ...] = ()
    each: tuple[EachPort, ...] = ()
    shared: tuple[SharedInput, ...] = ()
    #: The blobs that the work names (a function's code, its initializer).
    blobs: tuple[tuple[BlobHash, bytes], ...] = ()
    #: An earlier lease of the lane, of one element, whose result the shared inputs stand for; 0 if there is none.
    behind: LeaseId = LeaseId(0)


def told(order: Order) -> Order:
    """Return an order as a process hears of it that was sent what many orders share (kept.py)."""
    shared = tuple(msgspec.structs.replace(one, values=()) for one in order.shared)
    return msgspec.structs.replace(order, shared=shared, blobs=())


def in_parts(order: Order) -> Iterator[Order]:
    """Split an order whose inputs are too much for one message; nearly all are yielded as they are."""
    total = sum(len(segment.payload) for segment in _segments(order))
    if total <= INPUT_BYTES or len(order.ranges) == 1:
        yield order
        return
    first = order.ranges.take(len(order.ranges) // 2)
    yield from in_parts(restricted(order, first))
    yield from in_parts(restricted(order, order.ranges - first))


def _segments(order: Order) -> Iterator[Segment]:
    yield from order.items
    for each in order.each:
        yield from each.segments


def restricted(order: Order, ranges: RangeSet) -> Order:
    """Return the part of an order for these of its elements."""
    if ranges == order.ranges:
        return order
    return msgspec.structs.replace(
        order,
        ranges=ranges,
        items=_cut(order.items, ranges),
        each=tuple(msgspec.structs.replace(each, segments=_cut(each.segments, ranges)) for each in order.each),
    )


def _cut(segments: Iterable[Segment], ranges: RangeSet) -> tuple[Segment, ...]:
    return tuple(segment.cut(*span) for segment in segments for span in (ranges & segment.ranges).spans())
