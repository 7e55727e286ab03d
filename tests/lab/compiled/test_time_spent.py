"""What nodes do with their time, drawn and counted."""

import pytest

from roost.lab.compiled.nine_scenarios import Nine
from roost.lab.compiled.time_spent import (
    everybody,
    kinds_of_nodes_rows,
    overheads_figure,
    overheads_rows,
    spent_figure,
    spent_rows,
    stable_nodes,
    unstable_nodes,
)
from tests.lab.compiled.kept_results import TINY, KeptResults

NINE = Nine(TINY, 1)


def test_stacks_make_up_the_whole_time() -> None:
    groups = [("all: ", everybody), ("stable: ", stable_nodes), ("unstable: ", unstable_nodes)]
    figure = spent_figure(NINE, KeptResults(), "title", groups)
    assert len(figure.panels) == 27
    for panel in figure.panels:
        for at in range(5):
            assert sum(series.y[at] for series in panel.series) == pytest.approx(100.0)


def test_rows_say_what_the_text_says() -> None:
    rows = [*spent_rows(NINE, KeptResults()), *kinds_of_nodes_rows(NINE, KeptResults())]
    assert any(row.published == "empty for sizable periods" for row in rows)


def test_overheads_have_a_panel_for_each_scenario() -> None:
    assert len(overheads_figure(NINE, KeptResults(), "title").panels) == 9
    assert len(list(overheads_rows(NINE, KeptResults()))) == 9 * 5 + 1
