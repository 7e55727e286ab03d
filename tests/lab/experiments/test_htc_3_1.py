"""HTC table 3.1."""

from roost.lab.experiments.htc_3_1 import EXPERIMENT, Parameters
from tests.lab.availability.running import reported, reproduced


def test_all_cells_hold_with_digits_cut_off() -> None:
    report = reported(EXPERIMENT, EXPERIMENT.quick)
    assert len(report.rows) == 27
    assert all(row.holds for row in report.rows)
    over = [row.difference for row in report.rows if row.difference is not None and row.difference < 0]
    assert len(over) == 1, "one cell is rounded up; all others are cut off"


def test_the_other_mixes_of_3_4_1_lead_to_the_same_conclusion() -> None:
    """Of those without stale reads QUORUM is best, with half of the operations and with 95 % of them writing."""
    for reads in (0.5, 0.05):
        report = reported(EXPERIMENT, Parameters(reads=reads))
        fresh = {
            name: reproduced(report, f"reads {name}, 3 copies")
            for name in (
                "ONE, writes ALL",
                "QUORUM, writes QUORUM",
                "QUORUM, writes ALL",
                "ALL, writes ONE",
                "ALL, writes ALL",
            )
        }
        assert max(fresh, key=lambda name: fresh[name]) == "QUORUM, writes QUORUM"
