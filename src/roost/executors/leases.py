"""How orders become messages, and which elements of which lease have not been answered yet."""

from collections.abc import Iterable, Iterator
from typing import TypedDict

import msgspec

from roost.executors.port import Order
from roost.executors.worker.messages import EachPort, SharedPort
from roost.model.ids import LeaseId
from roost.model.limits import MIB
from roost.model.ranges import RangeSet
from roost.model.segments import Segment
from roost.model.token import Token

#: The inputs of one message; an order with more goes out in several.
INPUT_BYTES = 64 * MIB


class OpenLease:
    """A lease of which not everything is answered."""

    def __init__(self, order: Order) -> None:
        self.lease = order.lease
        self.lane = order.lane
        self.task = order.spec.id
        self.time_limit_s = order.spec.needs.time_limit_s
        self.open = order.ranges
        self.paused = False

    def close(self, ranges: RangeSet) -> RangeSet:
        """Take elements as answered; return those of them that were not yet."""
        fresh = self.open & ranges
        self.open -= fresh
        return fresh


def in_parts(order: Order) -> Iterator[Order]:
    """Split an order whose inputs are too much for one message; nearly all are yielded as they are."""
    total = sum(len(segment.payload) for segment in _segments(order))
    if total <= INPUT_BYTES or len(order.ranges) == 1:
        yield order
        return
    first = order.ranges.take(len(order.ranges) // 2)
    yield from in_parts(_cut(order, first))
    yield from in_parts(_cut(order, order.ranges - first))


def _segments(order: Order) -> Iterator[Segment]:
    yield from order.items
    for each in order.each:
        yield from each.segments


def _cut(order: Order, ranges: RangeSet) -> Order:
    return msgspec.structs.replace(
        order,
        ranges=ranges,
        items=cut_segments(order.items, ranges),
        each=tuple(msgspec.structs.replace(each, segments=cut_segments(each.segments, ranges)) for each in order.each),
    )


def cut_segments(segments: Iterable[Segment], ranges: RangeSet) -> tuple[Segment, ...]:
    return tuple(segment.cut(*span) for segment in segments for span in (ranges & segment.ranges).spans())


class LeaseFields(TypedDict):
    """What messages about leases of all kinds of work have in common (worker/messages.py, Lease)."""

    lease: int
    task: str
    token: Token
    again: bool
    bounds: tuple[int, ...]
    items: tuple[Segment, ...]
    each: tuple[EachPort, ...]
    shared: tuple[SharedPort, ...]
    is_mapped: bool


def lease_fields(order: Order) -> LeaseFields:
    return {
        "lease": order.lease,
        "task": order.spec.id,
        "token": order.token,
        "again": order.again,
        "bounds": order.ranges.bounds,
        "items": order.items,
        "each": _each_ports(order),
        "shared": _shared_ports(order),
        "is_mapped": order.spec.is_mapped,
    }


def _each_ports(order: Order) -> tuple[EachPort, ...]:
    return tuple(EachPort(each.port, each.segments, each.kind, each.pick, each.type) for each in order.each)


def _shared_ports(order: Order) -> tuple[SharedPort, ...]:
    return tuple(
        SharedPort(
            shared.port,
            shared.kind,
            shared_key(shared.key),
            shared.pick,
            shared.type,
            shared.levels,
            shared.parents.bounds,
        )
        for shared in order.shared
    )


def shared_key(key: str) -> str:
    """Apart from the hashes of blobs, which are keys too."""
    return f"shared {key}"


class Ledger:
    """All leases that are open at one process, oldest first."""

    def __init__(self) -> None:
        self._leases: dict[LeaseId, OpenLease] = {}

    def __contains__(self, lease: int) -> bool:
        return LeaseId(lease) in self._leases

    def __bool__(self) -> bool:
        return bool(self._leases)

    def __iter__(self) -> Iterator[OpenLease]:
        return iter(list(self._leases.values()))

    def add(self, lease: OpenLease) -> None:
        self._leases[lease.lease] = lease

    @property
    def lanes(self) -> set[int]:
        """Return the lanes that have leases here."""
        return {entry.lane for entry in self._leases.values()}

    def get(self, lease: int) -> OpenLease | None:
        return self._leases.get(LeaseId(lease))

    def close(self, lease: int, ranges: RangeSet) -> RangeSet:
        """Take elements as answered; return those that were open, which alone may be reported."""
        entry = self.get(lease)
        if entry is None:
            return RangeSet()
        fresh = entry.close(ranges)
        if not entry.open:
            del self._leases[entry.lease]
        return fresh
