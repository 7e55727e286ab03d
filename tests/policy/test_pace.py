"""What spans tell of the speed of a step."""

import random

import pytest

from roost.model.ids import NodeId, TaskId
from roost.model.ranges import RangeSet
from roost.model.spans import Span, span_of
from roost.policy.pace import LONGEST_LOOK_S, SHORTEST_LOOK_S, lanes_busy, looked_back_s, pace_of, share_since


def span(start: float, end: float, elements: int = 1, busy_s: float | None = None) -> Span:
    busy = end - start if busy_s is None else busy_s
    return span_of(TaskId("1-bababa/a"), NodeId("ash"), 0, RangeSet.span(0, elements), busy, start, end)


def test_nothing_is_said_before_anything_has_finished() -> None:
    assert pace_of([], 10.0) is None


def test_mean_spread_and_rate_follow_from_single_elements() -> None:
    pace = pace_of([span(0, 2), span(2, 6), span(6, 9)], 9.0)
    assert pace is not None
    assert (pace.finished, pace.mean_s, pace.spread_s) == (3, 3.0, pytest.approx(1.0))
    assert pace.rate_per_s == pytest.approx(3 / 9)


def test_the_spread_of_elements_shows_in_answers_for_many_at_once() -> None:
    chance = random.Random(1)
    answers, at = [], 0.0
    for _ in range(400):
        busy = sum(chance.gauss(10.0, 2.0) for _ in range(25))
        answers.append(span(at, at + busy, 25))
        at += busy
    pace = pace_of(answers, at)
    assert pace is not None
    assert pace.mean_s == pytest.approx(10.0, rel=0.02)
    assert pace.spread_s == pytest.approx(2.0, rel=0.15)


def test_one_answer_is_taken_for_a_rough_guess() -> None:
    pace = pace_of([span(0, 8)], 8.0)
    assert pace is not None
    assert pace.spread_s == 4.0


def test_the_rate_is_that_of_the_last_while() -> None:
    slow_then_quick = [span(at, at + 1) for at in range(0, 100, 10)] + [span(100 + at, 101 + at) for at in range(20)]
    pace = pace_of(slow_then_quick, 120.0)
    assert pace is not None
    assert pace.rate_per_s == pytest.approx(1.0)


def test_the_last_while_is_bounded() -> None:
    assert (looked_back_s(0.001), looked_back_s(1.0), looked_back_s(1e6)) == (SHORTEST_LOOK_S, 20.0, LONGEST_LOOK_S)


def test_lanes_that_were_busy_are_counted_by_their_work() -> None:
    spans = [span(0, 10), span(0, 10), span(5, 10)]
    assert lanes_busy(spans, 5.0, 10.0) == pytest.approx(3.0)
    assert lanes_busy(spans, 10.0, 10.0) == 0.0


def test_a_part_of_a_span_counts_by_its_length() -> None:
    assert [share_since(span(0, 10), at) for at in (-1.0, 0.0, 7.5, 10.0, 20.0)] == [1.0, 1.0, 0.25, 0.0, 0.0]
    assert share_since(span(5, 5), 6.0) == 0.0
