"""HTC figure 3.9."""

from itertools import pairwise

from roost.lab.experiments.htc_fig_3_9 import EXPERIMENT
from tests.lab.availability.running import reported, reproduced


def test_faster_repair_and_more_stable_nodes_let_data_last_longer() -> None:
    available, lasting = reported(EXPERIMENT, EXPERIMENT.quick).figures[0].panels
    for panel in (available, lasting):
        for series in panel.series:
            assert list(series.y) == sorted(series.y, reverse=True)
        for slower, faster in pairwise(panel.series):
            assert all(one < other for one, other in zip(slower.y, faster.y, strict=True))


def test_repair_matters_in_the_whole_figure_and_not_for_far_more_stable_nodes() -> None:
    report = reported(EXPERIMENT, EXPERIMENT.quick)
    gained = "MTTF with the fastest repair over that with the slowest, λ = "
    assert reproduced(report, f"{gained}0.01") > 4
    assert 1 < reproduced(report, f"{gained}1e-06") < 1.001


def test_how_a_read_mends_matters_little() -> None:
    assert reproduced(reported(EXPERIMENT, EXPERIMENT.quick), "most by which the MTTF differs") < 6
