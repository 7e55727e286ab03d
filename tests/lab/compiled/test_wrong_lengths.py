"""Lengths that are stated wrongly."""

from roost.lab.compiled.nine_scenarios import make_span
from roost.lab.compiled.wrong_lengths import (
    POLICIES,
    WrongLengths,
    best_rows,
    cells,
    figure,
    first_dropped,
    reduction_rows,
)
from tests.lab.compiled.kept_results import KeptResults

SMALL = WrongLengths(20, 1e7, 1, (1.0, 3.0))


def test_each_policy_has_a_curve_and_the_ideal_grows() -> None:
    drawn = figure(SMALL, 1, KeptResults(), "title", make_span)
    for panel in drawn.panels:
        assert [series.name for series in panel.series] == [*POLICIES, "ideal"]
        ideal = panel.series[-1].y
        assert ideal[0] < ideal[1]
    assert len(cells(SMALL, 1)) == 3 * 6 * 2


def test_rows_compare_right_and_wrong_lengths() -> None:
    assert len(reduction_rows(SMALL, 1, KeptResults(), make_span)) == 6
    assert len(best_rows(SMALL, 1, KeptResults())) == 3


def test_tasks_are_dropped_from_some_inaccuracy_on_or_never() -> None:
    for policy in POLICIES:
        found = first_dropped(SMALL, 1, KeptResults(), policy, 2)
        assert found is None or (found[0] in SMALL.ks and found[1] > 0)
