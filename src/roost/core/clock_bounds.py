"""Clock bounds: how far the stamps of other nodes may lead, so that one absurd clock does not date the work of all.

Hybrid stamps follow the largest that was seen (model/clock.py). A machine that is ten years ahead would therefore leave
all nodes ten years ahead, also when it is gone. So a stamp counts only up to CLOCK_LEAD_MAX_S after the time that most
nodes agree on.

Rules
- How far each other node is ahead of this one is known from what its own clock showed when it last said something. Its
  stamps do not say that: they follow those of others, and times that follow each other would creep on.
- The time that counts is the median of all clocks, this one's among them, but not before this one's own. Of two nodes
  this one's own counts, unless its clock was never set.
- A node whose own clock leads two others or more by CLOCK_LEAD_MAX_S or more does not go by it, while they are there.
- A stamp that leads more is not followed. Records that carry one are merged all the same: they order by themselves
  whatever they order, and whoever changes one after that takes the next stamp (``after``).
"""

from roost.model.clock import NEVER, Stamp, observe, tick, zero
from roost.model.ids import NodeId
from roost.model.limits import CLOCK_LEAD_MAX_S, MEMBERS_MAX

#: Clocks that show an earlier time were never set: Roost did not exist.
SENSIBLE_CLOCK_S = 1_735_689_600.0
#: Clocks and messages waver; a change of less is none.
_NOTICED_S = 1.0


class ClockBounds:
    def __init__(self, node: NodeId, last: Stamp = NEVER) -> None:
        """``last`` is the largest stamp that this node made or saw in earlier lives."""
        self._last = observe(zero(node), last)
        self._ahead: dict[NodeId, float] = {}
        #: By how much the time that counts is after this node's own; less than 0 if its own does not count.
        self._lead_s = 0.0
        self._is_known = True

    def stamp(self, now: float) -> Stamp:
        """Return a stamp that is larger than all that were made here, and those that were heard and count."""
        self._last = tick(self._last, self.wall(now), self.latest(now))
        return self._last

    def heard(self, node: NodeId, sent: Stamp, wall_ms: int, now: float) -> None:
        """A node said something under a stamp, when its own clock showed this; 0 if that is not known."""
        if wall_ms:
            self._compare(node, wall_ms / 1000 - now)
        self._last = observe(self._last, sent, self.latest(now))

    def _compare(self, node: NodeId, ahead: float) -> None:
        known = self._ahead.get(node)
        if known is None and len(self._ahead) >= MEMBERS_MAX:
            return
        if known is None or abs(ahead - known) > _NOTICED_S:
            self._ahead[node] = ahead
            self._is_known = False

    def gone(self, node: NodeId) -> None:
        self._ahead.pop(node, None)
        self._is_known = False

    def latest(self, now: float) -> float:
        """Return the largest time, in seconds, that a stamp may have now to be followed."""
        return now + self._lead(now) + CLOCK_LEAD_MAX_S

    def wall(self, now: float) -> float:
        """Return the time that this node's own stamps begin with: what its clock shows, unless that must be wrong."""
        lead_s = self._lead(now)
        return now if lead_s >= 0.0 else now + lead_s

    def leads(self, stamp: Stamp, now: float) -> bool:
        """Whether a stamp leads so far that its maker's clock must be wrong."""
        return stamp.wall_ms > self.latest(now) * 1000

    def _lead(self, now: float) -> float:
        if not self._is_known:
            self._lead_s, self._is_known = self._median(now), True
        return self._lead_s

    def _median(self, now: float) -> float:
        ahead = sorted([0.0, *self._ahead.values()])
        was_set = now >= SENSIBLE_CLOCK_S
        median = ahead[(len(ahead) - 1) // 2 if was_set else len(ahead) // 2]
        return median if median > 0.0 or (len(ahead) > 2 and median < -CLOCK_LEAD_MAX_S) else 0.0
