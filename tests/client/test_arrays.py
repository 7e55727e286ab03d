import pickle
import threading
import time
from concurrent.futures import CancelledError

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.client.arrays import ArrayResults
from roost.client.failures import TaskFailed
from roost.executors.worker.failures import failure_of
from roost.model.ids import TaskId
from roost.model.ranges import RangeSet
from roost.model.segments import Segment, pack


def array(count: int) -> ArrayResults:
    results = ArrayResults(RangeSet.span(0, count))
    results.task = TaskId("5-kedova/f-1")
    return results


def segment(start: int, stop: int) -> Segment:
    return pack(start, [pickle.dumps(index) for index in range(start, stop)])


def values(results: ArrayResults) -> list[int]:
    return [value for chunk in results.chunks(time.monotonic() + 5) for value in chunk]


def test_values_come_out_in_order_however_the_segments_arrived() -> None:
    results = array(6)
    for start, stop in ((4, 6), (0, 1), (1, 4)):
        results.arrived(segment(start, stop))
    assert values(results) == [0, 1, 2, 3, 4, 5]
    assert results.finished


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(1, 12)), max_size=20), st.randoms(use_true_random=False))
def test_segments_that_overlap_or_come_twice_count_once(spans: list[tuple[int, int]], random: object) -> None:
    results = array(43)
    for start, length in spans:
        results.arrived(segment(start, min(start + length, 43)))
    for start, stop in results.missing.spans():
        results.arrived(segment(start, stop))
    assert values(results) == list(range(43))


def test_a_chunk_is_there_before_the_array_is_finished() -> None:
    results = array(4)
    results.arrived(segment(0, 2))
    chunks = results.chunks(time.monotonic() + 5)
    assert next(chunks) == [0, 1]
    results.arrived(segment(2, 4))
    assert next(chunks) == [2, 3]


def test_a_failure_is_raised_in_its_place() -> None:
    results = array(3)
    results.failed(1, failure_of(LookupError("no 1"), 0.0))
    results.arrived(segment(2, 3))
    results.arrived(segment(0, 1))
    chunks = results.chunks()
    assert next(chunks) == [0]
    with pytest.raises(LookupError, match="no 1") as caught:
        next(chunks)
    assert "5-kedova/f-1[1]" in str(caught.value.__cause__)


def test_ends_without_a_result_are_raised_in_their_place() -> None:
    cancelled, aborted = array(1), array(1)
    cancelled.ended("cancelled", RangeSet.span(0, 1))
    aborted.ended("aborted", RangeSet.span(0, 1))
    with pytest.raises(CancelledError):
        values(cancelled)
    with pytest.raises(TaskFailed, match="never ran"):
        values(aborted)


def test_waiting_ends_when_the_node_is_lost() -> None:
    results = array(1)
    losing = threading.Timer(0.01, results.lost, [RuntimeError("gone")])
    losing.start()
    with pytest.raises(RuntimeError, match="gone"):
        values(results)
    losing.join()


def test_a_deadline_that_passed_is_a_timeout() -> None:
    with pytest.raises(TimeoutError, match="element 0"):
        next(array(1).chunks(time.monotonic() - 1))
