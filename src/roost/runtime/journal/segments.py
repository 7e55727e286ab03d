"""Reading segments back: any ranges of elements, in order, from segments as they happened to be written.

Rows are read in short pages and no query is left open between them: an open one would keep the write-ahead log from
being cut for as long as a slow reader takes.
"""

import sqlite3
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

import msgspec

from roost.model.elements import Elements
from roost.model.errors import Damaged, InvariantViolated
from roost.model.ids import NodeId, TaskId, run_of
from roost.model.limits import MIB
from roost.model.ranges import RangeSet
from roost.model.segments import Segment, pack
from roost.model.states import Done
from roost.model.token import Token
from roost.runtime.journal.checksums import sum_of
from roost.runtime.journal.damage import Damage, of_task
from roost.runtime.journal.recent import RecentSegments

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
        columns = "SELECT rowid, start, count, payload, crc"
        #: From the last segment that begins at or before the element on.
        self.onwards: Final = (
            f"{columns} {where} start >= COALESCE((SELECT MAX(start) {where} start <= {at}), {at}) "
            f"ORDER BY start LIMIT {PAGE_ROWS}"
        )
        #: Any segment that covers the element: for overlapping ones, of which the last to begin may be too short.
        self.covering: Final = f"{columns} {where} start <= {at} AND start + count > {at} LIMIT 1"
        self.table: Final = table
        self.noun: Final = "input" if table == "items" else "result"

    def damage(self, key: tuple[Any, ...], rowid: int, ranges: RangeSet) -> Damage:
        task = TaskId(key[0])
        elements = f"element {ranges}" if len(ranges) == 1 else f"elements {ranges}"
        what = f"the {self.noun} of {elements} {of_task(task)}"
        return Damage(self.table, rowid, what, run_of(task), task, ranges)


ITEMS: Final = Source("items", "task")
RESULTS: Final = Source("results", "task", "token", "node")


def result_key(task: TaskId, token: Token, node: NodeId) -> tuple[TaskId, bytes, NodeId]:
    """Return what results that a node made under a token are found by."""
    return task, token.to_bytes(), node


def item_stretches(task: TaskId, ranges: RangeSet) -> list[Stretch]:
    return [Stretch(start, stop, ITEMS, (task,)) for start, stop in ranges.spans()]


def result_stretches(task: TaskId, elements: Elements, ranges: RangeSet) -> list[Stretch]:
    """Return the elements of ``ranges`` that are done, in order, each with the key of its accepted result."""
    found = [
        Stretch(start, stop, RESULTS, key)
        for state, part in elements.entries_within(ranges)
        if isinstance(state, Done)
        for key in (result_key(task, state.token, state.node),)
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

    def __init__(self, connection: sqlite3.Connection, on_damage: Callable[[Damage], None]) -> None:
        self._connection = connection
        self._on_damage = on_damage
        self._recent = RecentSegments()

    def remember(self, source: Source, key: tuple[Any, ...], segment: Segment) -> None:
        """A segment is being written, and will soon be asked for."""
        self._recent.remember((source.noun, *key), segment)

    def read(self, stretches: Iterable[Stretch], *, partly: bool = False) -> Iterator[Segment]:
        """Yield segments that cover the stretches exactly.

        Where something is damaged, raise Damaged, or pass over it if it is to be read ``partly``; raise
        InvariantViolated where something is missing.
        """
        # Elements that were tried again lie like holes between the others, so several keys take turns.
        pages: dict[tuple[Any, ...], _Page] = {}
        damages: list[Damage] = []
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
                    try:
                        page = pages[stretch.key] = self._page(stretch, at, damages)
                    except (Damaged, InvariantViolated):
                        if not partly:
                            raise
                        at += 1
                        continue
                    part = page.part(at, stretch.stop)
                    assert part is not None, "a page that was read for an element covers it"
                yield part
                at = part.stop

    def _page(self, stretch: Stretch, at: int, damages: list[Damage]) -> _Page:
        """Read segments in the order of their start, of which at least one covers ``at``; note which are damaged."""
        rows, found = self._rows(stretch, stretch.source.onwards, at)
        if not rows or not rows[0].start <= at < rows[0].stop:
            rows, more = self._rows(stretch, stretch.source.covering, at)
            found += [damage for damage in more if damage not in found]
        for damage in found:
            self._on_damage(damage)
        damages += found
        if not rows and damages:
            raise damages[-1].error()
        if not rows:
            task, noun = stretch.key[0], stretch.source.noun
            raise InvariantViolated(f"the journal lacks the {noun} of element {at} of {task}, which it should have")
        return _Page(rows)

    def _rows(self, stretch: Stretch, query: str, at: int) -> tuple[list[Segment], list[Damage]]:
        """Read segments, those that are sound and those that are damaged."""
        rows: list[Segment] = []
        damages: list[Damage] = []
        size = 0
        cursor = self._connection.execute(query, (*stretch.key, at))
        for rowid, start, count, payload, crc in cursor:
            if sum_of((*stretch.key, start, count, payload)) == crc:
                rows.append(Segment(start, count, payload))
            else:
                span = RangeSet.span(start, start + max(count, 1))
                damages.append(stretch.source.damage(stretch.key, rowid, span))
            size += len(payload)
            if size >= PAGE_BYTES:
                break
        cursor.close()
        return rows, damages
