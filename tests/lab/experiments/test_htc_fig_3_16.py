"""HTC figure 3.16."""

from itertools import pairwise

from roost.lab.experiments.htc_fig_3_16 import EXPERIMENT
from tests.lab.availability.running import reported, reproduced, row


def test_half_of_the_repairs_add_twenty_days_and_keep_the_availability() -> None:
    report = reported(EXPERIMENT, EXPERIMENT.quick)
    assert row(report, "MTTF that is gained with θ = 0.5").holds
    assert reproduced(report, "availability, θ = 0.5") > 99.887


def test_more_repairs_gain_less_and_less() -> None:
    lasting = reported(EXPERIMENT, EXPERIMENT.quick).figures[0].panels[0].series[0].y
    gains = [after - before for before, after in pairwise(lasting)]
    assert all(gain > 0 for gain in gains)
    assert gains == sorted(gains, reverse=True)


def test_reading_seldom_does_not_give_the_figure() -> None:
    (table,) = reported(EXPERIMENT, EXPERIMENT.quick).tables
    assert float(table.rows[-1][2]) > 100
