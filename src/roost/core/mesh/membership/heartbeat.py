"""Heartbeats of this node: when they are due, what they echo, and what they say of the time that it did not run.

Rules
- A node beats every HEARTBEAT_S while there is anybody to hear it.
- The beats are also its clock. One that is late by more than LATE_S shows that the node did not run: its lid was
  closed, or its machine busy. The clock of the membership stands still meanwhile, so that this is nobody's silence.
- Numbers of beats grow from boot * BEATS_PER_BOOT, so that a beat of an earlier life is never taken for one of this.
- Every beat that was heard is echoed once, in the next own one, with the time for which it was held.
"""

from roost.core.mesh.membership.round_trips import RoundTrips
from roost.core.mesh.membership.suspicion import HEARTBEAT_S
from roost.model.ids import NodeId
from roost.model.limits import BEATS_PER_BOOT, HEARTBEAT_ECHOES_MAX
from roost.wire.messages import Echo

#: Larger: a slow turn of the node counts as silence of the others. Smaller: ordinary delays stretch every silence.
LATE_S = 0.05


class Heartbeats:
    def __init__(self, boot: int, round_trips: RoundTrips) -> None:
        self.number = boot * BEATS_PER_BOOT
        #: When the next is due by the clock that stands still; None while there is nobody to beat to.
        self.due_at: float | None = None
        self._round_trips = round_trips
        #: How long this node did not run though it lived.
        self.absent_s = 0.0
        self._heard: dict[NodeId, tuple[int, float]] = {}

    def notice(self, now: float) -> float:
        """Return for how long this node has not run before now, and stop its clock for that time."""
        late_s = 0.0 if self.due_at is None else now - self.absent_s - self.due_at
        if late_s <= LATE_S:
            return 0.0
        self.absent_s += late_s
        return late_s

    def time(self, now: float) -> float:
        """Return the time by the clock that stands still while this node does not run."""
        return now - self.absent_s

    def follow(self, alone: bool, at: float) -> None:
        """Others have come or gone; to the first of them a node beats at once."""
        if alone:
            self.due_at = None
        elif self.due_at is None:
            self.due_at = at

    def heard(self, node: NodeId, beat: int, now: float) -> None:
        if node in self._heard or len(self._heard) < HEARTBEAT_ECHOES_MAX:
            self._heard[node] = (beat, now)

    def next(self, now: float) -> tuple[Echo, ...]:
        """Count one beat that is sent now; return what it echoes."""
        self.number += 1
        if self.due_at is not None:
            at = self.time(now)
            on_time = at - HEARTBEAT_S < self.due_at <= at
            self.due_at = (self.due_at if on_time else at) + HEARTBEAT_S
        self._round_trips.sent(self.number, now)
        echoes = tuple(Echo(node, beat, max(now - heard_at, 0.0)) for node, (beat, heard_at) in self._heard.items())
        self._heard = {}
        return echoes
