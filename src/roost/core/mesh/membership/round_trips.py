"""Round trips: how long messages take, measured without comparing clocks.

Rules
- A beat that a neighbour echoes tells the time of a round trip: from its sending to the echo, less the time for which
  the neighbour held it. Both durations are measured by one clock each.
- A delivery is half a round trip. What counts is the slow end: the 95th percentile of the last measurements of all
  neighbours, or the mean of the slowest one if that is more.
- Times include those in which a busy node did not get to its messages, because bids wait for the same turns.
"""

from collections import deque
from collections.abc import Collection

from roost.model.ids import NodeId

#: What is assumed before anything was measured.
DELIVERY_UNKNOWN_S = 0.05
#: Longer round trips count as this long: they are stalls, and no window should follow them.
ROUND_TRIP_MAX_S = 2.0
#: Measurements of which the percentile is taken: 8 s of a mesh of five, 4 s of a large one. More: steadier. Fewer: it
#: follows a network that changes.
SAMPLES = 64
QUANTILE = 0.95
#: The weight of the newest measurement in a neighbour's mean.
WEIGHT_OF_NEWEST = 1 / 8
#: Beats of which the time of sending is remembered.
BEATS_KEPT = 16


class RoundTrips:
    def __init__(self) -> None:
        self._sent_at: dict[int, float] = {}
        self._latest: deque[float] = deque(maxlen=SAMPLES)
        self._means: dict[NodeId, float] = {}
        #: The last answer, and for whom: whoever chooses work asks, far more often than anybody is measured.
        self._delivery: tuple[tuple[NodeId, ...], float] | None = None

    def sent(self, beat: int, now: float) -> None:
        self._sent_at[beat] = now
        while len(self._sent_at) > BEATS_KEPT:
            del self._sent_at[next(iter(self._sent_at))]

    def echoed(self, by: NodeId, beat: int, held_s: float, now: float) -> None:
        """A node heard one of our last beats, ``held_s`` before it said so."""
        sent_at = self._sent_at.get(beat)
        if sent_at is None or not 0 <= held_s <= now - sent_at:
            return
        took_s = min(now - sent_at - held_s, ROUND_TRIP_MAX_S)
        mean_s = self._means.get(by, took_s)
        self._means[by] = mean_s + WEIGHT_OF_NEWEST * (took_s - mean_s)
        self._latest.append(took_s)
        self._delivery = None

    def keep(self, nodes: Collection[NodeId]) -> None:
        """Forget all but these."""
        self._means = {node: mean_s for node, mean_s in self._means.items() if node in nodes}
        self._delivery = None

    def round_trip_s(self, node: NodeId) -> float | None:
        """Return the mean round trip to a neighbour, if it was measured."""
        return self._means.get(node)

    def delivery_s(self, nodes: tuple[NodeId, ...]) -> float:
        """Return how long a message to these nodes takes at most, with few exceptions."""
        if self._delivery is None or self._delivery[0] is not nodes:
            self._delivery = nodes, self._slow_end_s(nodes)
        return self._delivery[1]

    def _slow_end_s(self, nodes: tuple[NodeId, ...]) -> float:
        slowest_s = max((self._means[node] for node in nodes if node in self._means), default=None)
        if slowest_s is None:
            return DELIVERY_UNKNOWN_S
        ordered = sorted(self._latest)
        return max(ordered[int(QUANTILE * (len(ordered) - 1))], slowest_s) / 2
