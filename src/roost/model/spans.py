"""Spans: who worked on what, and when. A run's timeline is made of them, and its outlook is learnt from them.

A span is what one lane of one node did for one task without a break that matters. Neighbours in a lane merge, so that
the timeline of a million elements takes no more room than that of a thousand. Whatever is merged keeps its sums.
"""

import math
from collections.abc import Iterable
from operator import attrgetter
from typing import Annotated, TypeAlias

import msgspec

from roost.model.ids import NodeId, TaskId
from roost.model.ranges import RangeSet

#: The task of a span that is merged from several.
SEVERAL = TaskId("")
#: How much wider the pieces of a timeline become when it still has too many.
_WIDEN = 1.5

_Moment: TypeAlias = Annotated[float, msgspec.Meta(ge=0, le=1e11)]
_Squares: TypeAlias = Annotated[float, msgspec.Meta(ge=0, le=1e22)]
_Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]


class Span(msgspec.Struct, frozen=True, array_like=True):
    task: TaskId
    node: NodeId
    lane: int
    #: Seconds since 1970, by the node's clock.
    start: _Moment
    end: _Moment
    #: The time that its elements took together; less than ``end - start`` if the lane was idle in between.
    busy_s: _Moment
    elements: _Count
    #: Of those, attempts that failed.
    failed: _Count
    #: The smallest and the largest index.
    first: _Count
    last: _Count
    #: Answers of the executor that it is made of, and the sum of busy² / elements over them: how elements differ.
    answers: _Count = 1
    squares: _Squares = 0.0

    def joined(self, other: "Span") -> "Span":
        """Return both as one."""
        same = self.task == other.task
        return Span(
            self.task if same else SEVERAL,
            self.node,
            self.lane,
            min(self.start, other.start),
            max(self.end, other.end),
            self.busy_s + other.busy_s,
            self.elements + other.elements,
            self.failed + other.failed,
            min(self.first, other.first) if same else 0,
            max(self.last, other.last) if same else 0,
            self.answers + other.answers,
            self.squares + other.squares,
        )


def span_of(
    task: TaskId, node: NodeId, lane: int, ranges: RangeSet, busy_s: float, since: float, now: float, *, failed: int = 0
) -> Span:
    """Return the span of elements that a lane has just answered for; it cannot have begun before ``since``.

    An executor may say anything of how long it was busy, but not that it was for longer, or for no number of seconds.
    """
    since = min(since, now)
    busy_s = 0.0 if math.isnan(busy_s) else min(max(busy_s, 0.0), now - since)
    start = now - busy_s
    count = len(ranges)
    return Span(task, node, lane, start, now, busy_s, count, failed, ranges.first, ranges.last, 1, busy_s**2 / count)


def merge_neighbours(spans: Iterable[Span], limit: int) -> list[Span]:
    """Merge spans of one lane that follow each other until at most ``limit`` are left, or nothing is left to merge.

    First those of one task that lie close together; if these are too many still, those of unlike tasks, too.
    The result is in the order of their beginnings.
    """
    merged = sorted(spans, key=attrgetter("node", "lane", "start", "end"))
    if len(merged) > limit:
        whole = max(span.end for span in merged) - min(span.start for span in merged)
        lanes = len({(span.node, span.lane) for span in merged})
        # If all lanes were busy all the time, pieces of this width would just be few enough.
        width = whole * lanes / max(limit, 1)
        for across_tasks in (False, True):
            fewest = _merged_once(merged, math.inf, across_tasks)
            if len(fewest) > limit or whole <= 0:
                merged = fewest
                continue
            while len(merged) > limit:
                merged = _merged_once(merged, width, across_tasks)
                width *= _WIDEN
            break
    return sorted(merged, key=attrgetter("start", "end", "node", "lane"))


def _merged_once(spans: list[Span], width: float, across_tasks: bool) -> list[Span]:
    """Merge neighbours into spans that are at most ``width`` long."""
    merged: list[Span] = []
    for span in spans:
        last = merged[-1] if merged else None
        if (
            last is not None
            and (last.node, last.lane) == (span.node, span.lane)
            and (across_tasks or last.task == span.task)
            and span.end - last.start <= width
        ):
            merged[-1] = last.joined(span)
        else:
            merged.append(span)
    return merged
