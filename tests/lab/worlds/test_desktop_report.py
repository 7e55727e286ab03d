"""The report of roost-desktops."""

import msgspec

from roost.lab.worlds.desktop_report import all_figures, all_rows, all_tables, verdict
from roost.lab.worlds.desktop_trials import Average, Found
from tests.lab.worlds.test_desktop_trials import FOUND, TRIALS, Made


def test_each_bag_says_who_is_soonest_and_how_the_default_does() -> None:
    rows = {row.what: row for row in all_rows(FOUND)}
    soonest = rows["mixed, small: done soonest"]
    assert soonest.reproduced == "roost"
    assert soonest.reading.endswith("before bfgc, beyond chance")
    assert rows["mixed, small: make-span of roost above that of the best other"].reading == "bfgc; sooner"
    assert rows["mixed, small: roost, lost"].reproduced == 10.0


def test_without_the_default_it_is_only_said_who_is_soonest() -> None:
    few = msgspec.structs.replace(TRIALS, policies=("fcfs",))
    assert [row.reproduced for row in all_rows(Found(few, Made()))] == ["fcfs", "fcfs"]


def test_a_verdict_is_by_what_chance_explains() -> None:
    assert verdict(Average(-3.0, 1.0)) == "sooner"
    assert verdict(Average(3.0, 1.0)) == "later"
    assert verdict(Average(3.0, 4.0)).startswith("level")


def test_a_table_has_all_policies_of_a_population_and_a_figure_all_populations() -> None:
    tables = list(all_tables(FOUND))
    assert [table.title.partition(":")[0] for table in tables] == ["mixed", "office"]
    assert [line[1] for line in tables[0].rows] == ["roost", "bfgc", "fcfs"]
    assert all(len(line) == len(tables[0].columns) for line in tables[0].rows)
    for figure in all_figures(FOUND):
        assert [panel.title for panel in figure.panels] == ["mixed", "office"]
        assert figure.panels[0].series[0].x == TRIALS.policies
