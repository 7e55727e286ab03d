"""HTC table 3.2."""

import pytest

from roost.lab.experiments.htc_3_2 import EXPERIMENT
from tests.lab.availability.running import reported, reproduced


def test_all_but_three_cells_of_seven_copies_hold() -> None:
    report = reported(EXPERIMENT, EXPERIMENT.quick)
    assert len(report.rows) == 30
    wrong = [row.what for row in report.rows if row.holds is False]
    assert wrong == [f"reads ALL, writes {write}, 7 copies" for write in ("ONE", "QUORUM", "ALL")]


def test_both_times_to_failure_hold_and_the_third_is_finite() -> None:
    report = reported(EXPERIMENT, EXPERIMENT.quick)
    assert [row.holds for row in report.rows[-3:]] == [True, True, None]
    assert reproduced(report, "MTTF of 7 copies") == pytest.approx(1.319e23, rel=1e-3)


def test_only_readings_with_gossip_as_time_away_give_all_18_availabilities() -> None:
    readings, solved = reported(EXPERIMENT, EXPERIMENT.quick).tables
    held = [line[3] for line in readings.rows]
    assert held[:2] == [18, 18]
    assert max(float(one) for one in held[2:]) < 18
    assert float(solved.rows[2][2]) < 0, "linear equations have no digit left for seven copies"
