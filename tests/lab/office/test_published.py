"""What LAN publishes, as sentences of its text repeat it."""

import pytest

from roost.lab.office.published import MAKE_SPAN_MIN, NODES, WAIT_MIN, WITH_FAILURES_MIN, WORKFLOWS


def test_figures_that_the_text_repeats_are_those_of_the_tables() -> None:
    assert MAKE_SPAN_MIN[9][WORKFLOWS.index(10)] == 13.16
    assert MAKE_SPAN_MIN[1][WORKFLOWS.index(10)] == pytest.approx(60 + 40.76)
    assert WAIT_MIN[1][WORKFLOWS.index(10)] == 23.19


def test_the_tables_agree_where_they_are_about_the_same_test() -> None:
    assert WITH_FAILURES_MIN[0] == (WAIT_MIN[9][1], MAKE_SPAN_MIN[9][1])
    assert tuple(MAKE_SPAN_MIN) == tuple(WAIT_MIN) == NODES
