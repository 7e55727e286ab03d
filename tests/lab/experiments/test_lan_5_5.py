"""The experiment of LAN's table 5.5."""

from roost.lab.experiments.lan_5_5 import EXPERIMENT, Parameters
from tests.lab.at_once import reported


def test_all_rows_of_the_table_are_there_and_what_the_document_cannot_mean_is_said() -> None:
    report = reported(EXPERIMENT, Parameters(draws=5, mesh_failing=8))
    by_what = {row.what: row for row in report.rows}
    assert by_what["8 of 9 fail, make-span: LAN's protocol"].published == 89.14
    roost = by_what["8 of 9 fail, make-span: Roost"].reproduced
    protocol = by_what["8 of 9 fail, make-span: LAN's protocol"].reproduced
    assert isinstance(roost, float)
    assert isinstance(protocol, float)
    assert roost < protocol
    assert "11.62 min below" in report.findings[0]
