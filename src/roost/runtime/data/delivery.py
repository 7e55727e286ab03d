"""Delivery: what this disk holds of what another node asks for, as much of it as one answer holds.

An answer holds at least one value, however large, if there is any: so whoever asks on gets everything in the end. What
is damaged here is not here for others.
"""

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from operator import itemgetter
from typing import TypeAlias

from roost.core.queue.replica import TaskEntry
from roost.model.elements import Elements
from roost.model.errors import Damaged, NotFound
from roost.model.ids import BlobHash, NodeId, TaskId
from roost.model.limits import ANSWER_BYTES_MAX
from roost.model.ranges import EMPTY, RangeSet
from roost.model.segments import Segment, pack
from roost.model.states import Done
from roost.model.token import Token
from roost.runtime.journal.journal import Journal
from roost.wire.messages import Delivery, Fetch

#: What a segment costs beside its values, and a value beside its bytes.
_SEGMENT_BYTES = 64
_VALUE_BYTES = 5

Result: TypeAlias = tuple[TaskId, Token, NodeId, Segment]


class Room:
    """What is left of an answer's size."""

    def __init__(self, size: int = ANSWER_BYTES_MAX) -> None:
        self._left = size
        self._empty = True
        #: Whether something that was asked for had to be left out.
        self.overflowed = False

    def takes(self, size: int) -> bool:
        """Put something into the answer; only into an empty one if it is larger than what is left."""
        if self.overflowed or (size > self._left and not self._empty):
            self.overflowed = True
            return False
        self._empty = False
        self._left -= size
        return True

    def part(self, segment: Segment) -> Segment | None:
        """Put as much of a segment into the answer as there is room for; return it."""
        size = len(segment.payload) + _SEGMENT_BYTES
        if segment.count == 1 or size <= self._left:
            return segment if self.takes(size) else None
        values: list[bytes] = []
        for value in segment.values():
            if not self.takes(len(value) + _VALUE_BYTES):
                break
            values.append(value)
        return pack(segment.start, values) if values else None


def answer(fetch: Fetch, journal: Journal, known: Mapping[TaskId, TaskEntry]) -> Delivery:
    """Return what was asked for and is here; perhaps nothing, so that the other node asks elsewhere.

    ``known`` are the tasks in memory: that results count may be known there, and not be written here yet.
    """
    room = Room()
    blobs = [
        (blob, content)
        for blob in fetch.blobs
        if not room.overflowed and (content := _blob(journal, blob)) is not None and room.takes(len(content))
    ]
    items = [(task, segment) for task, ranges in fetch.items for segment in _items(journal, task, ranges, room)]
    results = [
        found
        for task, ranges in fetch.results
        for found in (
            _results(journal, task, known[task].elements, ranges, room)
            if task in known
            else accepted_results(journal, task, ranges, room)
        )
    ]
    results += [found for wanted in fetch.made for found in _made_results(journal, *wanted, room)]
    return Delivery(fetch.purpose, fetch.number, tuple(items), tuple(results), tuple(blobs), more=room.overflowed)


def _blob(journal: Journal, blob: BlobHash) -> bytes | None:
    """Return a function or an argument, if it is here; one that is damaged is not."""
    try:
        return journal.blob(blob)
    except (NotFound, Damaged):
        return None


def accepted_results(journal: Journal, task: TaskId, ranges: RangeSet, room: Room) -> Iterator[Result]:
    """Yield the accepted results of these elements that are here, from the first on, while there is room."""
    try:
        elements = journal.task_record(task).elements
    except (NotFound, Damaged):
        return
    yield from _results(journal, task, elements, ranges, room)


def _results(journal: Journal, task: TaskId, elements: Elements, ranges: RangeSet, room: Room) -> Iterator[Result]:
    held = {(token, node): part for token, node, part in journal.holdings(task).results}
    here = EMPTY
    stretches: list[tuple[int, Done]] = []
    for state, part in elements.entries_within(ranges):
        if isinstance(state, Done):
            of_state = part & held.get((state.token, state.node), EMPTY)
            here |= of_state
            stretches += [(start, state) for start, _ in of_state.spans()]
    stretches.sort(key=itemgetter(0))
    for segment in _fitting(journal.results(task, elements, here, partly=True), room):
        _, state = stretches[bisect_right(stretches, segment.start, key=itemgetter(0)) - 1]
        yield task, state.token, state.node, segment


def _made_results(
    journal: Journal, task: TaskId, token: Token, maker: NodeId, ranges: RangeSet, room: Room
) -> Iterator[Result]:
    """Yield results that a node made under a token and that are here, accepted or not, while there is room."""
    held = {(token, node): part for token, node, part in journal.holdings(task).results}
    here = held.get((token, maker), EMPTY) & ranges
    made = Elements({Done(token, maker): here})
    for segment in _fitting(journal.results(task, made, here, partly=True), room):
        yield task, token, maker, segment


def _items(journal: Journal, task: TaskId, ranges: RangeSet, room: Room) -> Iterator[Segment]:
    here = journal.holdings(task).items & ranges
    yield from _fitting(journal.items_one_by_one(task, here, partly=True), room)


def _fitting(segments: Iterator[Segment], room: Room) -> Iterator[Segment]:
    for segment in segments:
        part = room.part(segment)
        if part is not None:
            yield part
        if room.overflowed:
            return
