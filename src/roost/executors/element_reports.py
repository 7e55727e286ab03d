"""From the messages of a process of ours to the events of the port: each element is answered exactly once."""

from roost.core.events import ElementFailed, ElementsDone, ElementsReturned, Progressed
from roost.executors.leases import Ledger
from roost.executors.port import Order, Report
from roost.executors.worker.messages import Done, Failed, FromChild, Progress, Returned
from roost.model.ids import LeaseId
from roost.model.ranges import RangeSet
from roost.model.task import Failure


def cannot_start(order: Order, error: OSError, report: Report) -> None:
    """Answer for a lease for which the system gives no process; trying again later, or elsewhere, may help."""
    failure = Failure(f"no process could be started for it on this node: {(error.strerror or str(error)).lower()}")
    for index in order.ranges:
        report(ElementFailed(order.lease, index, failure))


class Answers:
    """Reports what is said about the leases in a ledger, and closes them there."""

    def __init__(self, ledger: Ledger, report: Report) -> None:
        self._ledger = ledger
        self._report = report

    def pass_on(self, message: FromChild) -> None:
        """Report a message about elements; others are none of its business."""
        match message:
            case Done(lease, segments, busy_s, lengths):
                for segment in segments:
                    self._ledger.close(lease, segment.ranges)
                self._report(ElementsDone(LeaseId(lease), segments, busy_s, lengths))
            case Failed(lease, index, failure):
                self.fail(lease, index, failure)
            case Returned(lease, bounds, no_room):
                self.give_back(lease, RangeSet(bounds), no_room)
            case Progress(lease, index, fraction, note):
                entry = self._ledger.get(lease)
                if entry is not None and index in entry.open:
                    self._report(Progressed(entry.lease, index, fraction, note))

    def fail(self, lease: int, index: int, failure: Failure) -> None:
        if self._ledger.close(lease, RangeSet.span(index, index + 1)):
            self._report(ElementFailed(LeaseId(lease), index, failure))

    def give_back(self, lease: int, ranges: RangeSet, no_room: str = "") -> None:
        returned = self._ledger.close(lease, ranges)
        if returned:
            self._report(ElementsReturned(LeaseId(lease), returned, no_room))

    def give_back_all(self) -> None:
        for entry in self._ledger:
            self.give_back(entry.lease, entry.open)

    def fail_all(self, failure: Failure) -> None:
        for entry in self._ledger:
            for index in entry.open:
                self.fail(entry.lease, index, failure)
