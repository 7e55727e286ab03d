"""The experiment of LAN's table 5.3."""

import pytest

from roost.lab.experiment import Report
from roost.lab.experiments.lan_5_3 import EXPERIMENT, Parameters
from tests.lab.at_once import reported

SMALL = Parameters(draws=6, draws_of_readings=1, combines_readings=False, mesh_nodes=2, mesh_workflows=5)


@pytest.fixture(scope="module")
def report() -> Report:
    return reported(EXPERIMENT, SMALL)


def test_all_cells_of_the_table_have_a_row_and_those_with_a_mesh_another(report: Report) -> None:
    by_what = {row.what: row for row in report.rows}
    assert sum(row.what.endswith("LAN's protocol") for row in report.rows) == 27
    assert sum(row.what.endswith("Roost") for row in report.rows) == 2
    assert by_what["9 nodes, 10 workflows: LAN's protocol"].published == 13.16
    assert by_what["1 node, 5 workflows: LAN's protocol"].holds
    assert by_what["2 nodes, 15 workflows: LAN's protocol"].holds is False


def test_roost_is_nearer_to_the_floor_than_what_was_published(report: Report) -> None:
    [row] = [row for row in report.rows if row.what == "2 nodes, 5 workflows: Roost"]
    assert isinstance(row.reproduced, float)
    assert isinstance(row.published, float)
    assert row.reproduced < row.published


def test_cells_below_the_protocol_are_named(report: Report) -> None:
    named = [finding for finding in report.findings if finding.startswith("Below all draws of the")]
    assert "2 nodes with 15 workflows" in named[0]
    assert "1 nodes" not in named[0]
