"""Segments that were just written: what a task hands in is started soon, and what it makes is soon asked for.

Keeping them saves a look into the database for each lease and each answer. The oldest are forgotten first.
"""

from bisect import bisect_right, insort
from collections import deque
from collections.abc import Hashable

from roost.model.limits import KIB, MIB
from roost.model.segments import Segment

#: More: longer chains find their inputs in memory. Less: a smaller node.
RECENT_BYTES = 16 * MIB
#: Longer ones are read from the database, which holds them in pieces that suit a lease.
RECENT_ELEMENTS_MAX = 1024
RECENT_PAYLOAD_MAX = 256 * KIB
#: What a segment takes beside its payload, about.
_OVERHEAD_BYTES = 300


class RecentSegments:
    """Keyed by whatever says of which table and task a segment is. Segments of one key do not overlap."""

    def __init__(self, limit: int = RECENT_BYTES) -> None:
        self._limit = limit
        self._bytes = 0
        self._order: deque[tuple[Hashable, int]] = deque()
        self._segments: dict[Hashable, dict[int, Segment]] = {}
        self._starts: dict[Hashable, list[int]] = {}

    def remember(self, key: Hashable, segment: Segment) -> None:
        if segment.count > RECENT_ELEMENTS_MAX or len(segment.payload) > RECENT_PAYLOAD_MAX:
            return
        of_key = self._segments.setdefault(key, {})
        if segment.start in of_key:
            self._order.remove((key, segment.start))
            self._forget(key, segment.start)
            of_key = self._segments.setdefault(key, {})
        of_key[segment.start] = segment
        insort(self._starts.setdefault(key, []), segment.start)
        self._order.append((key, segment.start))
        self._bytes += len(segment.payload) + _OVERHEAD_BYTES
        while self._bytes > self._limit:
            self._forget(*self._order.popleft())

    def read(self, key: Hashable, start: int, stop: int) -> list[Segment] | None:
        """Return segments that cover ``start`` to ``stop`` exactly, in order; None if a part is not here."""
        starts = self._starts.get(key)
        if starts is None:
            return None
        found = []
        while start < stop:
            at = bisect_right(starts, start) - 1
            segment = self._segments[key][starts[at]] if at >= 0 else None
            if segment is None or segment.stop <= start:
                return None
            end = min(stop, segment.stop)
            found.append(segment.cut(start, end))
            start = end
        return found

    def _forget(self, key: Hashable, start: int) -> None:
        segment = self._segments[key].pop(start)
        self._starts[key].remove(start)
        self._bytes -= len(segment.payload) + _OVERHEAD_BYTES
        if not self._segments[key]:
            del self._segments[key], self._starts[key]
