"""The experiment of LAN's table 5.4."""

from roost.lab.experiments.lan_5_3 import Parameters
from roost.lab.experiments.lan_5_4 import EXPERIMENT
from tests.lab.at_once import reported

SMALL = Parameters(draws=6, draws_of_readings=1, combines_readings=False, mesh_nodes=1, mesh_workflows=5)


def test_waits_stand_beside_those_that_are_published_and_the_accounts_are_made() -> None:
    report = reported(EXPERIMENT, SMALL)
    by_what = {row.what: row for row in report.rows}
    assert by_what["1 node, 20 tasks: LAN's protocol"].holds
    assert by_what["9 nodes, 60 tasks: LAN's protocol"].published == 2.53
    [accounts] = report.tables
    assert len(accounts.rows) == 27
    assert sum(row[-1] == "no" for row in accounts.rows) == 9
