"""HTC figure 3.17."""

import pytest

from roost.lab.experiments.htc_fig_3_17 import EXPERIMENT, Parameters
from tests.lab.availability.running import reported, reproduced

SMALL = Parameters(replicas=(3, 5), times_s=tuple(10.0 ** (at / 2) for at in range(28)))


def test_it_falls_quickly_keeps_a_level_and_is_lost_at_the_rate_of_its_mean_life() -> None:
    report = reported(EXPERIMENT, SMALL)
    for level in ("ONE", "QUORUM", "ALL"):
        assert reproduced(report, f"{level}, 3 copies: below 0.999") < 11
        for copies in (3, 5):
            half_s = reproduced(report, f"{level}, {copies} copies: below half")
            mttf_s = reproduced(report, f"{level}, {copies} copies: MTTF")
            assert half_s == pytest.approx(0.69 * mttf_s, rel=0.15)


def test_the_level_depends_on_the_consistency_and_how_long_it_lasts_on_the_size() -> None:
    report = reported(EXPERIMENT, SMALL)
    levels = [reproduced(report, f"{level}, 3 copies: level that it keeps") for level in ("ONE", "QUORUM", "ALL")]
    assert levels == sorted(levels, reverse=True)
    assert reproduced(report, "ONE, 5 copies: MTTF") > 1000 * reproduced(report, "ONE, 3 copies: MTTF")


def test_availability_only_falls() -> None:
    (figure,) = reported(EXPERIMENT, SMALL).figures
    for panel in figure.panels:
        for series in panel.series:
            assert list(series.y) == sorted(series.y, reverse=True)
