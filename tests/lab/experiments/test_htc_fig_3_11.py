"""HTC figures 3.11 and 3.12."""

import msgspec

from roost.lab.experiments.htc_fig_3_11 import EXPERIMENT
from tests.lab.availability.running import reported, reproduced, row

SMALL = msgspec.structs.replace(EXPERIMENT.quick, returns=(0.02, 0.1))


def test_clients_measure_what_the_model_says() -> None:
    """Beyond twice the interval of 95 %, none of nine is by chance."""
    report = reported(EXPERIMENT, SMALL)
    for copies in (3, 5, 7):
        for level in ("ONE", "QUORUM", "ALL"):
            gap = row(report, f"{copies} copies, {level}, asked by clients")
            assert isinstance(gap.reproduced, float)
            assert gap.error is not None
            assert abs(gap.reproduced) < 2 * gap.error


def test_each_panel_has_a_box_for_each_rate_and_the_model() -> None:
    first, second = reported(EXPERIMENT, SMALL).figures
    assert (len(first.panels), len(second.panels)) == (9, 4)
    for panel in (*first.panels, *second.panels):
        assert [series.kind for series in panel.series] == ["box", "box", "line"]
        assert {len(series.y) for series in panel.series} == {20, 2}


def test_weibull_scatters_more_than_exponential() -> None:
    report = reported(EXPERIMENT, SMALL)
    assert reproduced(report, "weibull, uniform: scatter") > reproduced(report, "exponential, uniform: scatter")
