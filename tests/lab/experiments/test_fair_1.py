"""Table 1 of FAIR: what comes out, and what is said of it."""

import msgspec
import pytest

from roost.lab.experiment import Cell, Report
from roost.lab.experiments.fair_1 import COLUMNS, EXPERIMENT, NAMES
from roost.lab.mobile.setting import Outcome

SMALL = msgspec.structs.replace(EXPERIMENT.quick, repetitions=1)


class Lived:
    """Results that are found out when somebody asks, each once."""

    def __init__(self) -> None:
        self._found: dict[msgspec.Struct, tuple[Outcome, ...]] = {}

    def of(self, cell: Cell[tuple[Outcome, ...]]) -> tuple[Outcome, ...]:
        if cell.argument not in self._found:
            self._found[cell.argument] = cell.call(cell.argument)
        return self._found[cell.argument]

    @property
    def asked(self) -> set[msgspec.Struct]:
        return set(self._found)


@pytest.fixture(scope="module")
def lived() -> tuple[Report, Lived]:
    results = Lived()
    return EXPERIMENT.report(SMALL, 1, results), results


def test_the_cells_are_what_the_report_asks_for(lived: tuple[Report, Lived]) -> None:
    assert {cell.argument for cell in EXPERIMENT.cells(SMALL, 1)} == lived[1].asked


def test_every_figure_of_the_table_has_its_rows_and_those_that_hold_are_these(lived: tuple[Report, Lived]) -> None:
    rows = {row.what: row for row in lived[0].rows}
    assert {f"{name}, {column}" for name in NAMES for column in COLUMNS} <= set(rows)
    held = {what.removesuffix(", equal charges") for what, row in rows.items() if "equal charges" in what and row.holds}
    assert held == {
        "none, no error",
        "none, no FT",
        "none, reactive FT",
        "not-best, no error",
        "not-best, reactive FT",
        "worse-than-average, no error",
        "worse-than-average, reactive FT",
        "worse-than-majority, no error",
    }


def test_only_durations_give_the_published_figure_without_fault_tolerance(lived: tuple[Report, Lived]) -> None:
    by_times = next(table for table in lived[0].tables if table.columns[0] == "times are")
    assert {row[0] for row in by_times.rows if row[2] == 17.64} == {"as published", "durations"}


def test_each_strategy_has_a_panel(lived: tuple[Report, Lived]) -> None:
    assert [panel.title for panel in lived[0].figures[0].panels] == list(NAMES)
