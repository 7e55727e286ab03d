"""The leases of a process of ours: what is said of their elements is reported, and each is answered exactly once."""

from collections.abc import Iterator

from roost.core.events import ElementFailed, ElementsDone, ElementsReturned, Progressed
from roost.executors.order import Order
from roost.executors.port import Report
from roost.executors.worker.messages import Done, Failed, FromChild, Progress, Returned
from roost.model.errors import PeerError
from roost.model.ids import LeaseId
from roost.model.ranges import EMPTY, RangeSet
from roost.model.segments import Segment, pack
from roost.model.task import Command, Failure
from roost.wire.values import what_matters


def cannot_start(order: Order, error: OSError, report: Report) -> None:
    """Answer for a lease for which the system gives no process; trying again later, or elsewhere, may help."""
    failure = Failure(f"no process could be started for it on this node: {(error.strerror or str(error)).lower()}")
    for index in order.ranges:
        report(ElementFailed(order.lease, index, failure))


class OpenLease:
    """A lease of which not everything is answered."""

    def __init__(self, order: Order) -> None:
        self.lease = order.lease
        self.lane = order.lane
        self.task = order.spec.id
        self.time_limit_s = order.spec.needs.time_limit_s
        #: Whether only a part of its results is compared with those of other nodes.
        self.compares_a_part = order.spec.agreement is not None and isinstance(order.spec.work, Command)
        self.open = order.ranges
        self.paused = False


class OpenLeases:
    """Oldest first."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._leases: dict[int, OpenLease] = {}

    def __contains__(self, lease: int) -> bool:
        return lease in self._leases

    def __bool__(self) -> bool:
        return bool(self._leases)

    def __iter__(self) -> Iterator[OpenLease]:
        return iter(list(self._leases.values()))

    def add(self, order: Order) -> None:
        self._leases[order.lease] = OpenLease(order)

    def get(self, lease: int) -> OpenLease | None:
        return self._leases.get(lease)

    @property
    def lanes(self) -> set[int]:
        """Return the lanes that have leases here."""
        return {entry.lane for entry in self._leases.values()}

    def pass_on(self, message: FromChild) -> None:
        """Report a message about elements; others are none of its business."""
        match message:
            case Done(lease, segments, busy_s, lengths):
                entry = self.get(lease)
                compared = _parts(segments) if entry is not None and entry.compares_a_part else ()
                for segment in segments:
                    self._close(lease, segment.ranges)
                self._report(ElementsDone(LeaseId(lease), segments, busy_s, lengths, compared=compared))
            case Failed(lease, index, failure):
                self.fail(lease, index, failure)
            case Returned(lease, ranges, no_room):
                self.give_back(lease, ranges, no_room)
            case Progress(lease, index, fraction, note):
                entry = self.get(lease)
                if entry is not None and index in entry.open:
                    self._report(Progressed(entry.lease, index, fraction, note))

    def fail(self, lease: int, index: int, failure: Failure) -> None:
        if self._close(lease, RangeSet.span(index, index + 1)):
            self._report(ElementFailed(LeaseId(lease), index, failure))

    def give_back(self, lease: int, ranges: RangeSet, no_room: str = "") -> None:
        returned = self._close(lease, ranges)
        if returned:
            self._report(ElementsReturned(LeaseId(lease), returned, no_room))

    def give_back_all(self) -> None:
        for entry in self:
            self.give_back(entry.lease, entry.open)

    def fail_all(self, failure: Failure) -> None:
        for entry in self:
            for index in entry.open:
                self.fail(entry.lease, index, failure)

    def _close(self, lease: int, ranges: RangeSet) -> RangeSet:
        """Take elements as answered; return those that were open, which alone may be reported."""
        entry = self.get(lease)
        if entry is None:
            return EMPTY
        fresh = entry.open & ranges
        entry.open -= fresh
        if not entry.open:
            del self._leases[lease]
        return fresh


def _parts(segments: tuple[Segment, ...]) -> tuple[Segment, ...]:
    """Return what matters about commands' results; nothing of what are no results, so that all bytes are compared."""
    try:
        return tuple(pack(segment.start, [what_matters(value) for value in segment.values()]) for segment in segments)
    except PeerError:
        return ()
