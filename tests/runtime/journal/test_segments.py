"""Segments come back cut to what was asked for, in order, from the attempt that was accepted."""

import sqlite3
from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.core.facts import ItemsStored
from roost.model.elements import Elements
from roost.model.errors import InvariantViolated
from roost.model.ids import NodeId, TaskId
from roost.model.ranges import RangeSet
from roost.model.segments import Segment, pack
from roost.runtime.journal import segments
from roost.runtime.journal.rows import ITEMS_PER_ROW, Group, RowWriter
from roost.runtime.journal.schema import open_file
from roost.runtime.journal.segments import SegmentReader, item_stretches, result_key, result_stretches
from tests.runtime.journalling import NODE, TASK, OpenJournal, cancelled, done, moved, results, values
from tests.tokens import attempt


def flat(segments: list[Segment]) -> dict[int, bytes]:
    """Unpack segments, which must come in order and not overlap."""
    found: dict[int, bytes] = {}
    for segment in segments:
        assert not found or segment.start > max(found)
        found.update(zip(range(segment.start, segment.stop), segment.values(), strict=True))
    return found


def expected(ranges: RangeSet, word: str = "value") -> dict[int, bytes]:
    return {index: f"{word} {index}".encode() for index in ranges}


def items(start: int, stop: int) -> ItemsStored:
    return ItemsStored(TASK, pack(start, values(start, stop)))


def test_items_cover_exactly_what_was_asked_for(open_journal: OpenJournal) -> None:
    open_journal.write(items(0, 10), items(10, 15), items(15, 40))
    for text in ("0-39", "3", "9-10", "0,2,4,12-20", "39"):
        ranges = RangeSet.parse(text)
        assert flat(open_journal.journal.items(TASK, ranges)) == expected(ranges)


def test_a_whole_segment_is_handed_on_as_it_was_written(open_journal: OpenJournal) -> None:
    open_journal.write(items(0, 10), items(10, 15))
    assert open_journal.journal.items(TASK, RangeSet.span(0, 15)) == [items(0, 10).segment, items(10, 15).segment]


def test_many_items_are_kept_in_small_rows_so_that_a_small_lease_reads_little(open_journal: OpenJournal) -> None:
    count = 5 * ITEMS_PER_ROW
    open_journal.write(items(0, count))
    everything = open_journal.journal.items(TASK, RangeSet.span(0, count))
    assert max(segment.count for segment in everything) <= ITEMS_PER_ROW
    assert flat(everything) == expected(RangeSet.span(0, count))


def test_large_items_are_kept_in_rows_of_bounded_size(open_journal: OpenJournal) -> None:
    open_journal.write(ItemsStored(TASK, pack(0, [b"x" * 100_000] * 20)))
    everything = open_journal.journal.items(TASK, RangeSet.span(0, 20))
    assert max(len(segment.payload) for segment in everything) < 400_000


def test_an_input_that_is_missing_is_our_bug_and_said_so(open_journal: OpenJournal) -> None:
    open_journal.write(items(0, 5), items(6, 9))
    with pytest.raises(InvariantViolated, match="lacks the input of element 5 of 5-kedova/resize"):
        open_journal.journal.items(TASK, RangeSet.span(0, 9))


def test_results_are_those_of_the_accepted_attempt(open_journal: OpenJournal) -> None:
    other = NodeId("oak")
    open_journal.write(
        results(TASK, 0, 10, token=1, word="first"),
        results(TASK, 3, 6, token=2, word="second"),
        results(TASK, 8, 9, token=1, word="first"),
    )
    elements = Elements(
        {
            done(1): RangeSet.parse("0-2,6-7"),
            done(2): RangeSet.parse("3-5"),
            cancelled(): RangeSet.parse("8"),
        }
    )
    found = flat(list(open_journal.journal.results(TASK, elements, RangeSet.span(0, 100))))
    assert found == expected(RangeSet.parse("0-2,6-7"), "first") | expected(RangeSet.parse("3-5"), "second")
    with pytest.raises(InvariantViolated, match="lacks the result of element 0"):
        list(open_journal.journal.results(TASK, Elements({done(1, other): RangeSet.span(0, 1)}), RangeSet.span(0, 1)))


def test_results_that_overlap_are_read_from_whichever_covers(open_journal: OpenJournal) -> None:
    open_journal.write(results(TASK, 0, 10), results(TASK, 2, 4), results(TASK, 0, 3), results(TASK, 7, 12))
    elements = Elements({done(): RangeSet.span(0, 12)})
    found = flat(list(open_journal.journal.results(TASK, elements, RangeSet.span(0, 12))))
    assert found == expected(RangeSet.span(0, 12))


def test_reading_leaves_no_query_open_that_would_hold_back_the_log(open_journal: OpenJournal) -> None:
    open_journal.write(*(results(TASK, at, at + 1) for at in range(2_000)), moved(TASK, done(), 0, 2_000))
    elements = Elements({done(): RangeSet.span(0, 2_000)})
    reading = open_journal.journal.results(TASK, elements, RangeSet.span(0, 2_000))
    next(reading)
    open_journal.write(results(TASK, 2_000, 2_001))
    writer, reader = open_file(open_journal.path)
    busy, _, _ = writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    writer.close()
    reader.close()
    assert busy == 0
    assert len(list(reading)) == 1_999


def test_stretches_are_sorted_by_element_whatever_their_attempt() -> None:
    elements = Elements({done(1): RangeSet.parse("0,4"), done(2): RangeSet.parse("2,6")})
    stretches = result_stretches(TASK, elements, RangeSet.span(0, 6))
    keys = [result_key(TASK, attempt(number), NODE) for number in (1, 2, 1)]
    assert [(stretch.start, stretch.key) for stretch in stretches] == list(zip((0, 2, 4), keys, strict=True))
    assert item_stretches(TASK, RangeSet()) == []


@pytest.fixture(scope="module")
def connections(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[sqlite3.Connection, sqlite3.Connection]]:
    writer, reader = open_file(tmp_path_factory.mktemp("segments") / "journal.db")
    writer.execute("PRAGMA synchronous = OFF")
    yield writer, reader
    reader.close()
    writer.close()


@given(
    cuts=st.sets(st.integers(1, 59)),
    retried=st.sets(st.integers(0, 59)),
    asked=st.sets(st.integers(0, 59)),
    page_rows=st.integers(1, 4),
)
def test_any_ranges_come_back_from_any_segments(
    connections: tuple[sqlite3.Connection, sqlite3.Connection],
    cuts: set[int],
    retried: set[int],
    asked: set[int],
    page_rows: int,
) -> None:
    writer, reader = connections
    task = TaskId(f"5-kedova/t{writer.total_changes}")
    edges = [0, *sorted(cuts), 60]
    group = Group()
    group.add(results(task, start, stop, word="first") for start, stop in pairwise(edges))
    group.add(results(task, at, at + 1, token=2, word="second") for at in sorted(retried))
    RowWriter(writer).write(group)
    again, ranges = RangeSet.of(retried), RangeSet.of(asked)
    elements = Elements({done(1): RangeSet.span(0, 60) - again, done(2): again})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(segments, "PAGES_KEPT", page_rows)
        patch.setattr(segments, "PAGE_BYTES", 20 * page_rows)
        found = flat(list(SegmentReader(reader, lambda _: None).read(result_stretches(task, elements, ranges))))
    assert found == expected(ranges - again, "first") | expected(ranges & again, "second")
