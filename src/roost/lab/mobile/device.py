"""A mobile device: its battery, its link, its place in the field, and what it works on."""

from roost.lab.mobile.battery import Battery
from roost.lab.mobile.movement import Movement, Place, distance
from roost.lab.mobile.radio import quality
from roost.model.ids import NodeId
from roost.model.vitals import SOUND, Condition, Vitals
from roost.policy.node_state import Seen, judge
from roost.policy.performance import performance

#: As in a real node, of what was worked half counts after this time (core/mesh/performance/load.py).
HALF_LIFE_S = 3600.0
#: So many looks back are more than a state is judged by (policy/node_state.py).
_SEEN_MAX = 16
#: A device that nobody knows to leave stays.
_STAYS = 1.0


class Device:
    def __init__(self, name: NodeId, battery: Battery, movement: Movement, supers: tuple[Place, ...]) -> None:
        """``supers`` is where the super-peers stand, which keep the queue; nowhere if links do not count."""
        self.name = name
        self.battery = battery
        self.movement = movement
        self.is_on = True
        self.processed = self.begun = 0
        #: Whether fault tolerance takes it to be unstable.
        self.is_unstable = False
        self.condition: Condition = SOUND
        self._supers = supers
        self._busy_since: float | None = None
        self._worked_s = 0.0
        self._past, self._past_at = 0.0, 0.0
        self._seen: list[Seen] = []

    # What it does.

    @property
    def is_busy(self) -> bool:
        return self._busy_since is not None

    def begins(self, now: float) -> None:
        self._past, self._past_at = self._past_share(now), now
        self._busy_since = now

    def stops(self, now: float) -> None:
        assert self._busy_since is not None
        self._past, self._past_at = self._past_share(now), now
        self._worked_s += now - self._busy_since
        self._busy_since = None

    # How it does.

    def remaining(self, now: float) -> float:
        worked_s = self._worked_s + (0.0 if self._busy_since is None else now - self._busy_since)
        return self.battery.remaining(now, worked_s)

    def link(self, now: float) -> float:
        """Return the quality of its link to the nearer super-peer."""
        if not self._supers:
            return 1.0
        place = self.movement(now)
        return max(quality(distance(place, other)) for other in self._supers)

    def vitals(self, now: float) -> Vitals:
        return Vitals(remaining=self.remaining(now), link=self.link(now))

    def performs(self, now: float, weighs: str) -> int:
        """Return f of FAIR 3.2, by Roost's own formula, of what the reading weighs."""
        lanes = 1.0 if self.is_busy and weighs != "remaining" else 0.0
        worked = self._past_share(now) if weighs == "roost" else 0.0
        return performance(self.vitals(now), lanes, worked)

    def look_at_itself(self, now: float) -> None:
        """Judge how stable it is, by what its vitals were so far (FAIR 3.1)."""
        self._seen = [*self._seen[-_SEEN_MAX:], Seen(now, self.vitals(now))]
        self.condition = judge(self._seen, now, _STAYS, self.condition)

    def _past_share(self, now: float) -> float:
        left: float = 0.5 ** ((now - self._past_at) / HALF_LIFE_S)
        return self._past * left + (1.0 - left if self.is_busy else 0.0)
