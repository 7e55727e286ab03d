"""What counts of what executors say. Their processes run the programs of others, which can make them say anything.

Rules
- An element of a lease is answered once. What is said of it after that, of elements that are not in the lease, and of
  leases that are over, is not true or too late, and changes nothing.
- How far an element is lies between 0 and 1 and never falls; how long it took is a time. What is neither is not heard.
"""

from math import inf, isnan
from typing import TypeAlias

from roost.core.events import ElementFailed, ElementsDone, ElementsReturned
from roost.core.queue.leases import Lease
from roost.model.errors import PeerError
from roost.model.ranges import EMPTY, RangeSet
from roost.model.segments import Segment

Answer: TypeAlias = ElementsDone | ElementFailed | ElementsReturned


def what_counts(lease: Lease, answer: Answer) -> Answer | None:
    """Return the part of an answer that is about elements which have none yet; None if there is no such part."""
    owed = lease.outstanding
    match answer:
        case ElementFailed(index=index):
            return answer if index in owed else None
        case ElementsReturned(ranges=ranges):
            part = ranges & owed
            return ElementsReturned(answer.lease, part, answer.no_room) if part else None
        case ElementsDone(segments=segments):
            whole = _ranges(segments)
            if whole and whole.issubset(owed) and len(whole) == sum(segment.count for segment in segments):
                return answer
            kept = _owed_parts(segments, owed)
            share = sum(segment.count for segment in kept) / max(1, sum(segment.count for segment in segments))
            return ElementsDone(answer.lease, kept, answer.busy_s * share) if kept else None


def _ranges(segments: tuple[Segment, ...]) -> RangeSet:
    ranges = EMPTY
    for segment in segments:
        ranges |= segment.ranges
    return ranges


def _owed_parts(segments: tuple[Segment, ...], owed: RangeSet) -> tuple[Segment, ...]:
    parts: list[Segment] = []
    for segment in segments:
        try:
            found = [segment.cut(*span) for span in (segment.ranges & owed).spans()]
        except PeerError:
            continue
        owed -= segment.ranges
        parts += found
    return tuple(parts)


def is_duration(seconds: float) -> bool:
    return 0.0 <= seconds < inf


def further(before: float, fraction: float) -> float:
    """Return how far an element is that was ``before`` there, and says that it is at ``fraction``."""
    return before if isnan(fraction) else max(before, min(fraction, 1.0))
