"""Reading segments back: any ranges of elements, in order, from segments as they happened to be written.

Rows are read in short pages and no query is left open between them: an open one would keep the write-ahead log from
being cut for as long as a slow reader takes.
"""

import sqlite3
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import Any, Final

import msgspec

from roost.model.elements import Elements
from roost.model.errors import InvariantViolated
from roost.model.ids import TaskId
from roost.model.limits import MIB
from roost.model.ranges import RangeSet
from roost.model.segments import Segment, pack
from roost.model.states import Done
from roost.runtime.recent import RecentSegments

#: Payload that one query reads at most, apart from its last row.
PAGE_BYTES = 1 * MIB
#: Rows that one query reads at most; small next to the rest of the work on a row.
PAGE_ROWS = 256
#: Pages that one read keeps, each for results of another token or node.
PAGES_KEPT = 8


class Stretch(msgspec.Struct, frozen=True):
    """Neighbouring elements whose segments are in one table under one key."""

    start: int
    stop: int
    source: "Source"
    key: tuple[Any, ...]


class Source:
    """A table of segments, with the queries that find those that cover an element."""

    def __init__(self, table: str, *key: str) -> None:
        where = f"FROM {table} WHERE {' AND '.join(f'{column} = ?{at}' for at, column in enumerate(key, 1))} AND"
        at = f"?{len(key) + 1}"
        columns = "SELECT start, count, payload"
        #: From the last segment that begins at or before the element on.
        self.onwards: Final = (
            f"{columns} {where} start >= COALESCE((SELECT MAX(start) {where} start <= {at}), {at}) "
            f"ORDER BY start LIMIT {PAGE_ROWS}"
        )
        #: Any segment that covers the element: for overlapping ones, of which the last to begin may be too short.
        self.covering: Final = f"{columns} {where} start <= {at} AND start + count > {at} LIMIT 1"
        self.noun: Final = "input" if table == "items" else "result"


ITEMS: Final = Source("items", "task")
RESULTS: Final = Source("results", "task", "token", "node")


def item_stretches(task: TaskId, ranges: RangeSet) -> list[Stretch]:
    return [Stretch(start, stop, ITEMS, (task,)) for start, stop in ranges.spans()]


def result_stretches(task: TaskId, elements: Elements, ranges: RangeSet) -> list[Stretch]:
    """Return the elements of ``ranges`` that are done, in order, each with the key of its accepted result."""
    found = [
        Stretch(start, stop, RESULTS, (task, state.token, state.node))
        for state, part in elements.entries_within(ranges)
        if isinstance(state, Done)
        for start, stop in part.spans()
    ]
    return sorted(found, key=lambda stretch: stretch.start)


class _Page:
    """A few neighbouring segments in memory, and the last one of them that was unpacked: it is often cut again."""

    def __init__(self, segments: list[Segment]) -> None:
        self._segments = segments
        self._starts = [segment.start for segment in segments]
        self._unpacked = -1
        self._values: list[bytes] = []

    def part(self, start: int, stop: int) -> Segment | None:
        """Return the elements from ``start`` on, to ``stop`` or as far as one segment goes; None if none has them."""
        at = bisect_right(self._starts, start) - 1
        while at >= 0 and self._segments[at].stop <= start:
            at -= 1
        return self._cut(at, start, min(stop, self._segments[at].stop)) if at >= 0 else None

    def _cut(self, at: int, start: int, stop: int) -> Segment:
        segment = self._segments[at]
        if (start, stop) == (segment.start, segment.stop):
            return segment
        if at != self._unpacked:
            self._unpacked, self._values = at, segment.values()
        return pack(start, self._values[start - segment.start : stop - segment.start])


class SegmentReader:
    """Reads stretches over one connection."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._recent = RecentSegments()

    def remember(self, source: Source, key: tuple[Any, ...], segment: Segment) -> None:
        """A segment is being written, and will soon be asked for."""
        self._recent.remember((source.noun, *key), segment)

    def read(self, stretches: Iterable[Stretch]) -> Iterator[Segment]:
        """Yield segments that cover the stretches exactly; raise InvariantViolated where something is missing."""
        # Elements that were tried again lie like holes between the others, so several keys take turns.
        pages: dict[tuple[Any, ...], _Page] = {}
        for stretch in stretches:
            recent = self._recent.read((stretch.source.noun, *stretch.key), stretch.start, stretch.stop)
            if recent is not None:
                yield from recent
                continue
            at = stretch.start
            while at < stretch.stop:
                page = pages.get(stretch.key)
                part = page.part(at, stretch.stop) if page else None
                if part is None:
                    if len(pages) >= PAGES_KEPT:
                        pages.clear()
                    page = pages[stretch.key] = self._page(stretch, at)
                    part = page.part(at, stretch.stop)
                    assert part is not None, "a page that was read for an element covers it"
                yield part
                at = part.stop

    def _page(self, stretch: Stretch, at: int) -> _Page:
        """Read segments in the order of their start, of which at least one covers ``at``."""
        rows = self._rows(stretch.source.onwards, (*stretch.key, at))
        if not rows or not rows[0].start <= at < rows[0].stop:
            rows = self._rows(stretch.source.covering, (*stretch.key, at))
        if not rows:
            task, noun = stretch.key[0], stretch.source.noun
            raise InvariantViolated(f"the journal lacks the {noun} of element {at} of {task}, which it should have")
        return _Page(rows)

    def _rows(self, query: str, parameters: tuple[Any, ...]) -> list[Segment]:
        rows: list[Segment] = []
        size = 0
        cursor = self._connection.execute(query, parameters)
        for start, count, payload in cursor:
            rows.append(Segment(start, count, payload))
            size += len(payload)
            if size >= PAGE_BYTES:
                break
        cursor.close()
        return rows
