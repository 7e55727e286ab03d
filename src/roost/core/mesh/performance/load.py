"""How much of this machine the lanes of Roost take, now and over a long time.

Rules
- The past counts half after HALF_LIFE_S, a quarter after twice that: a node whose lanes are always full comes to 1.
- It is worked out when a lane opens or closes. Between two events time stands still, so looking once at the end of each
  is enough, and as a rule nothing has changed.
- It is about this life of the node: one that was started anew has done nothing yet.
"""

from typing import Final

from roost.core.queue.lanes import Lanes
from roost.core.turn import Turn
from roost.model.resources import Capacity

#: FAIR counts jobs in an observation period of two hours. Longer: work is evened out over days, and a machine that was
#: away has to make up for them. Shorter: what was done this morning is forgotten at noon.
HALF_LIFE_S: Final = 3600.0


class Load:
    def __init__(self, turn: Turn, lanes: Lanes) -> None:
        self._turn = turn
        self._lanes = lanes
        self._free: Capacity | None = None
        self._at = 0.0
        self._worked = 0.0
        #: The share of what it offers that its lanes take.
        self.lanes = 0.0

    def follow(self) -> bool:
        """Look at the lanes; return whether they take more or less than before."""
        free = self._lanes.free
        if free is self._free:
            return False
        before = self.lanes
        self._worked, self._at = self.worked, self._turn.now
        self._free, self.lanes = free, _share_taken(free, self._lanes.capacity)
        return self.lanes != before

    @property
    def worked(self) -> float:
        """The share that they have taken over a long time, up to now."""
        left: float = 0.5 ** ((self._turn.now - self._at) / HALF_LIFE_S)
        return self._worked * left + self.lanes * (1.0 - left)


def _share_taken(free: Capacity, whole: Capacity) -> float:
    """Return which share of the processors is taken; all of them, if none are offered now."""
    return 1.0 - min(max(free.cpus / whole.cpus, 0.0), 1.0) if whole.cpus > 0 else 1.0
