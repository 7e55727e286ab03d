"""Pieces of timelines, and how they merge."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.model.ids import NodeId, TaskId
from roost.model.ranges import RangeSet
from roost.model.spans import SEVERAL, Span, merge_neighbours, span_of

ASH, OAK = NodeId("ash"), NodeId("oak")
A, B = TaskId("1-bababa/a"), TaskId("1-bababa/b")


def span(start: float, end: float, task: TaskId = A, node: NodeId = ASH, lane: int = 0, elements: int = 1) -> Span:
    return span_of(task, node, lane, RangeSet.span(0, elements), end - start, 0.0, end)


def test_a_span_ends_now_and_is_as_long_as_its_work_took() -> None:
    made = span_of(A, ASH, 3, RangeSet.parse("4-5,9"), 6.0, 0.0, 10.0, failed=1)
    assert (made.start, made.end, made.busy_s) == (4.0, 10.0, 6.0)
    assert (made.elements, made.failed, made.first, made.last) == (3, 1, 4, 9)
    assert made.squares == pytest.approx(12.0)


def test_a_span_does_not_begin_before_its_lease() -> None:
    assert span_of(A, ASH, 0, RangeSet.parse("1"), 6.0, 8.0, 10.0).start == 8.0
    assert span_of(A, ASH, 0, RangeSet.parse("1"), -1.0, 20.0, 10.0).start == 10.0


def test_few_spans_stay_as_they_are_in_the_order_of_their_beginnings() -> None:
    spans = [span(5, 6), span(0, 1, node=OAK), span(2, 3)]
    assert merge_neighbours(spans, 3) == [spans[1], spans[2], spans[0]]


def test_neighbours_of_one_task_in_one_lane_become_one_and_keep_their_sums() -> None:
    spans = [span(at, at + 1) for at in range(10)]
    (one,) = merge_neighbours(spans, 1)
    assert (one.task, one.start, one.end, one.busy_s, one.elements, one.answers) == (A, 0.0, 10.0, 10.0, 10, 10)
    assert one.squares == pytest.approx(10.0)


def test_other_lanes_and_nodes_are_not_merged_with_each_other() -> None:
    spans = [span(at, at + 1, lane=at % 2, node=node) for at in range(10) for node in (ASH, OAK)]
    merged = merge_neighbours(spans, 1)
    assert sorted((one.node, one.lane, one.elements) for one in merged) == [
        ("ash", 0, 5),
        ("ash", 1, 5),
        ("oak", 0, 5),
        ("oak", 1, 5),
    ]


def test_unlike_tasks_are_merged_only_when_there_is_no_other_way() -> None:
    spans = [span(at, at + 1, task=A if at < 5 else B) for at in range(10)]
    assert [one.task for one in merge_neighbours(spans, 2)] == [A, B]
    (one,) = merge_neighbours(spans, 1)
    assert (one.task, one.elements, one.first, one.last) == (SEVERAL, 10, 0, 0)


def test_pieces_of_a_merged_timeline_are_about_equally_long() -> None:
    spans = [span(at, at + 1, lane=at % 4) for at in range(4_000)]
    merged = merge_neighbours(spans, 100)
    assert 25 < len(merged) <= 100
    assert max(one.end - one.start for one in merged) < 3 * 4_000 * 4 / 100


def test_spans_of_no_length_at_one_moment_are_merged_as_well() -> None:
    assert len(merge_neighbours([span(1, 1) for _ in range(50)], 10)) == 1


@given(
    st.lists(
        st.builds(
            span,
            st.floats(0, 100),
            st.floats(100, 200),
            st.sampled_from([A, B]),
            st.sampled_from([ASH, OAK]),
            st.integers(0, 2),
        ),
        max_size=40,
    ),
    st.integers(6, 12),
)
def test_merging_stays_within_the_limit_and_loses_nothing(spans: list[Span], limit: int) -> None:
    merged = merge_neighbours(spans, limit)
    # Six lanes are all that the limit cannot join.
    assert len(merged) <= max(limit, 6)
    assert sum(one.elements for one in merged) == len(spans)
    assert math.isclose(sum(one.busy_s for one in merged), sum(one.busy_s for one in spans), abs_tol=1e-6)
