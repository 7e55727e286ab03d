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
    pairs = [("ONE", "ALL"), ("QUORUM", "QUORUM"), ("QUORUM", "ALL"), ("ALL", "ONE"), ("ALL", "QUORUM"), ("ALL", "ALL")]
    for reads in (0.5, 0.05):
        report = reported(EXPERIMENT, Parameters(reads=reads))
        fresh = {(read, write): reproduced(report, f"reads {read}, writes {write}, 3 copies") for read, write in pairs}
        assert max(fresh, key=lambda pair: fresh[pair]) == ("QUORUM", "QUORUM")
