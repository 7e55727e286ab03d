"""Readings over several draws."""

import pytest

from roost.lab.office.published import MAKE_SPAN_MIN
from roost.lab.office.readings import OF_THE_LOG
from roost.lab.office.trials import Column, Failures, average_column, average_failures, floor_min
from roost.lab.office.workflows import draw_workflows


def test_the_row_of_one_node_is_the_published_one_within_what_draws_differ_by() -> None:
    """LAN table 5.3; the tolerance is the interval of 95 % around one draw."""
    for at, count in enumerate((5, 10, 15)):
        [tested] = average_column(Column(OF_THE_LOG, count, (1,), 40, 0)).values()
        assert tested.make_span_min == pytest.approx(MAKE_SPAN_MIN[1][at], abs=tested.spread_min)
        assert tested.spread_min < 0.2 * tested.make_span_min


def test_two_nodes_with_fifteen_workflows_lie_below_every_draw() -> None:
    [tested] = average_column(Column(OF_THE_LOG, 15, (2,), 40, 0)).values()
    assert tested.least_min > MAKE_SPAN_MIN[2][2] + 5.0


def test_no_draw_is_below_the_floor_of_its_own_work() -> None:
    for nodes, tested in average_column(Column(OF_THE_LOG, 10, (1, 4, 9), 10, 3)).items():
        assert tested.floor_min < tested.make_span_min, nodes


def test_what_is_left_does_the_work_of_those_that_fail() -> None:
    none, many = (average_failures(Failures(OF_THE_LOG, 10, 9, failing, 60.0, 5, 0)) for failing in (0, 8))
    assert many.make_span_min > 5 * none.make_span_min
    assert many.executions == pytest.approx(48.0, abs=1.0)


def test_the_floor_of_a_chain_for_each_node_is_eight_minutes() -> None:
    assert floor_min(draw_workflows(1, 5, 9), 9) == 8.0
