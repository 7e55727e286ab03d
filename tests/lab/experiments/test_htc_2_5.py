"""htc-2.5: the whole experiment, small, and what holds of the document."""

from functools import cache
from typing import Any

import pytest

from roost.lab.experiment import Cell, Report
from roost.lab.experiments.htc_2_5 import EXPERIMENT
from roost.lab.store_queue.findings import Found
from roost.lab.store_queue.published import LOADS, table_2_4
from roost.lab.store_queue.settings import CLUSTER, Parameters, Settings

SMALL = Parameters(runs=3, size_runs=3, loads=(0.2, 1.4, 2.0), longest_s=(20.0, 150.0), sizes=(10, 20))


class Kept:
    """Runs each cell once, and only those that the experiment has listed."""

    def __init__(self, parameters: Parameters) -> None:
        self._listed = {cell.argument: cell for cell in EXPERIMENT.cells(parameters, 1)}
        self._results: dict[Any, Any] = {}

    def of(self, cell: Cell[Any]) -> Any:
        listed = self._listed[cell.argument]
        if cell.argument not in self._results:
            self._results[cell.argument] = listed.call(cell.argument)
        return self._results[cell.argument]


@cache
def kept() -> Kept:
    return Kept(SMALL)


@cache
def report() -> Report:
    return EXPERIMENT.report(SMALL, 1, kept())


def found() -> Found:
    return Found(Settings(SMALL, 1), kept())


def test_the_report_has_a_row_for_each_cell_of_the_table_and_a_figure_for_each_of_the_document() -> None:
    rows = [row.what for row in report().rows]
    assert len(set(rows)) == len(rows)
    for nodes in SMALL.sizes:
        for load in LOADS:
            assert f"table 2.4, {nodes} nodes, load {load:g}: utilisation" in rows
    assert [figure.title.partition(":")[0] for figure in report().figures[:6]] == [f"Figure 2.{n}" for n in range(2, 8)]
    assert len(report().tables[0].rows) == len(LOADS)


def test_the_saturated_half_of_table_2_4_holds() -> None:
    # Three runs here and two to five there, each of which has 5 to 10 % more or less work by chance.
    for nodes in SMALL.sizes:
        for load in (1.2, 1.4, 1.6, 1.8, 2.0):
            published, setting = table_2_4(nodes, load), found().settings.one(nodes, load)
            assert published is not None
            assert found().utilisation(setting).mean == pytest.approx(published.mean, abs=5.0)
            assert found().deviation(setting).mean == pytest.approx(published.deviation, abs=1.5)


def test_at_low_loads_nodes_are_used_as_much_as_work_comes() -> None:
    assert found().utilisation(found().settings.one(CLUSTER, 0.2)).mean == pytest.approx(19.8, abs=4.0)
    # Tasks a second, as HTC writes, cannot be meant.
    assert found().utilisation(found().settings.literal(0.2)).mean > 85.0


def test_collisions_are_as_often_as_the_document_says() -> None:
    settings = found().settings
    assert found().collisions(settings.one(CLUSTER, 0.2, claim="none")).mean == pytest.approx(31.0, abs=4.0)
    assert found().collisions(settings.one(CLUSTER, 0.2)).mean == pytest.approx(5.5, abs=2.0)
    for load in (1.4, 2.0):
        assert found().collisions(settings.one(CLUSTER, load)).mean < 1.0


def test_scheduling_takes_less_than_the_document_says_and_less_at_high_loads() -> None:
    for nodes in SMALL.sizes:
        low, high = (found().scheduling_s(found().settings.one(nodes, load)).mean for load in (0.2, 2.0))
        assert high < low < 0.04


def test_conditional_writes_let_nothing_collide() -> None:
    for load in LOADS:
        assert found().collisions(found().settings.one(CLUSTER, load, claim="conditional")).mean == 0.0


def test_findings_are_told_with_their_figures() -> None:
    told = " ".join(report().findings)
    assert "19.8 %" in told
    assert "nan" not in told
