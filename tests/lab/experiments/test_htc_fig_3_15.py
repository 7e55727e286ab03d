"""HTC figure 3.15."""

import pytest

from roost.lab.experiments.htc_fig_3_15 import EXPERIMENT
from tests.lab.availability.running import reported, reproduced


def test_all_of_three_copies_needs_nodes_that_are_away_a_thousand_times_shorter() -> None:
    report = reported(EXPERIMENT, EXPERIMENT.quick)
    assert reproduced(report, "ALL, 3 copies: least μ / λ for 99.7%") == pytest.approx(1000, rel=0.01)


def test_one_and_quorum_bear_far_more() -> None:
    report = reported(EXPERIMENT, EXPERIMENT.quick)
    for copies in (3, 5, 7):
        one, quorum, every = (
            reproduced(report, f"{level}, {copies} copies: least μ / λ for 99.7%") for level in ("ONE", "QUORUM", "ALL")
        )
        assert one < quorum < 31 < every / 30


def test_the_curves_rise_from_nothing_to_all() -> None:
    (figure,) = reported(EXPERIMENT, EXPERIMENT.quick).figures
    for series in figure.panels[0].series:
        assert list(series.y) == sorted(series.y)
        assert series.y[0] < 0.07
        assert series.y[-1] > 0.9999
