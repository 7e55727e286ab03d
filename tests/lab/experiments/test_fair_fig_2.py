"""Figure 2 of FAIR: its lines, and what the text says of them."""

import msgspec

from roost.lab.experiment import Cell
from roost.lab.experiments.fair_fig_2 import EXPERIMENT, NAMES
from roost.lab.mobile.setting import Outcome

SMALL = msgspec.structs.replace(EXPERIMENT.quick, repetitions=2, step=8)


class Lived:
    def of(self, cell: Cell[tuple[Outcome, ...]]) -> tuple[Outcome, ...]:
        return cell.call(cell.argument)


def test_no_fairness_is_the_least_even_and_worst_the_least_even_of_the_strategies() -> None:
    report = EXPERIMENT.report(SMALL, 1, Lived())
    rows = {row.what: row for row in report.rows}
    assert rows["the variance is highest without fairness"].reproduced == "in 3 of 3 sizes"
    assert rows["of the strategies, worst is the least even"].reproduced == "in 3 of 3 sizes"
    assert rows["none, groups of 10"].holds
    (panel,) = report.figures[0].panels
    assert [series.name for series in panel.series] == list(NAMES)
    assert {series.x for series in panel.series} == {(2, 10, 18)}


def test_a_cell_lives_through_one_strategy_in_one_size() -> None:
    assert len(EXPERIMENT.cells(SMALL, 1)) == 3 * len(NAMES)
    assert len(EXPERIMENT.cells(EXPERIMENT.full, 1)) == 19 * len(NAMES)
