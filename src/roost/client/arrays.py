"""The outcomes of a whole array, kept as the segments they arrive in and opened when they are taken out, in order."""

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

from roost.client.failures import error_for, unreadable
from roost.client.forking import of_the_parent, tell_after_fork
from roost.client.futures import element_id, end_error
from roost.client.lending import waiting
from roost.client.pickling import load
from roost.model.ids import TaskId
from roost.model.ranges import EMPTY, RangeSet
from roost.model.segments import Segment
from roost.model.task import Failure


class ArrayResults:
    """Filled by the session's thread while another takes out. Each element is taken out once."""

    def __init__(self, elements: RangeSet, read: Callable[[bytes], Any] = load) -> None:
        self.elements = elements
        #: Set when the task is sent; it may change until the node has accepted it.
        self.task: TaskId | None = None
        self.is_accepted = False
        self._read = read
        self._changed = threading.Condition()
        self._missing = elements
        self._segments: dict[int, Segment] = {}
        self._failures: dict[int, Failure] = {}
        self._ended: dict[str, RangeSet] = {}
        self._error: BaseException | None = None
        tell_after_fork(self)

    @property
    def finished(self) -> bool:
        return not self._missing

    @property
    def missing(self) -> RangeSet:
        return self._missing

    def arrived(self, segment: Segment) -> None:
        with self._changed:
            # What was sent again after a broken connection may be here already, in part.
            for start, stop in (segment.ranges & self._missing).spans():
                self._segments[start] = segment.cut(start, stop)
            self._settled(segment.ranges)

    def failed(self, index: int, failure: Failure) -> None:
        with self._changed:
            if index in self._missing:
                self._failures[index] = failure
                self._settled(RangeSet.span(index, index + 1))

    def ended(self, state: str, ranges: RangeSet) -> None:
        with self._changed:
            self._ended[state] = self._ended.get(state, EMPTY) | (ranges & self._missing)
            self._settled(ranges)

    def lost(self, error: BaseException) -> None:
        with self._changed:
            self._error = error
            self._settled(self._missing)

    def forsake(self) -> None:
        """See Heir. What has arrived can be taken out in the child, too."""
        self._changed = threading.Condition()
        if self._missing:
            self.lost(of_the_parent(f"task {self.task}" if self.task else "this map"))

    def _settled(self, ranges: RangeSet) -> None:
        self._missing -= ranges
        self._changed.notify_all()

    def chunks(self, deadline: float | None = None) -> Iterator[list[Any]]:
        """Yield the values in order, as many at a time as are there. Raise what the next element ended with.

        ``deadline`` is a time of the monotonic clock, after which TimeoutError is raised.
        """
        for start, stop in self.elements.spans():
            at = start
            while at < stop:
                segment = self._take(at, deadline)
                at = segment.stop
                yield [self._loaded(index, data) for index, data in enumerate(segment.values(), segment.start)]

    def _loaded(self, index: int, data: bytes) -> Any:
        try:
            return self._read(data)
        except SystemExit as error:
            raise unreadable(element_id(self.task or TaskId("map"), index), error) from None

    def _take(self, index: int, deadline: float | None) -> Segment:
        left = None if deadline is None else max(0.0, deadline - time.monotonic())
        if index in self._missing:
            self._await(index, left)
        with self._changed:
            segment = self._segments.pop(index, None)
        if segment is None:
            raise self._error_of(index)
        return segment

    def _await(self, index: int, left: float | None) -> None:
        with waiting(), self._changed:
            if not self._changed.wait_for(lambda: index not in self._missing, left):
                raise TimeoutError(f"element {index} of {self.task or 'this map'} did not end in time")

    def _error_of(self, index: int) -> BaseException:
        id_ = element_id(self.task or TaskId("map"), index)
        failure = self._failures.get(index)
        if failure is not None:
            return error_for(id_, failure)
        for state, ranges in self._ended.items():
            if index in ranges:
                return end_error(id_, state)
        assert self._error is not None
        return self._error
