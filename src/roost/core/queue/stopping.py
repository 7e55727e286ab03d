"""Stopping: elements that this node runs are told to end. Their executor answers for each (executors/port.py)."""

from roost.core.actions import Stop, StopMode
from roost.core.queue.leases import Lease, Leases
from roost.core.turn import Turn
from roost.model.ids import LeaseId, TaskId
from roost.model.ranges import EMPTY, RangeSet


class Stopping:
    def __init__(self, turn: Turn, leases: Leases) -> None:
        self._turn = turn
        self._leases = leases

    def stop(self, lease: Lease, ranges: RangeSet, mode: StopMode) -> None:
        lease.stopping |= ranges
        self._turn.act(Stop(lease.name, ranges, mode))

    def end(self, task: TaskId, ranges: RangeSet) -> dict[LeaseId, RangeSet]:
        """Stop what this node runs of these elements; return what is to be confirmed dead, by lease."""
        waiting: dict[LeaseId, RangeSet] = {}
        for lease in self._leases.in_hand():
            part = lease.outstanding & ranges if lease.spec.id == task else EMPTY
            if part:
                waiting[lease.name] = part
                self.stop(lease, part, StopMode.KILL)
        return waiting
