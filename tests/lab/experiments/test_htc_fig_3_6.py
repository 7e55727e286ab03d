"""HTC figure 3.6."""

import pytest

from roost.lab.experiments.htc_fig_3_6 import EXPERIMENT, LEVELS, REPLICAS
from tests.lab.availability.running import reported, reproduced


def test_where_nodes_are_away_as_long_as_there_quorum_is_one_half_for_any_size() -> None:
    report = reported(EXPERIMENT, EXPERIMENT.quick)
    for replicas in REPLICAS:
        assert reproduced(report, f"QUORUM, {replicas} copies, as often") == pytest.approx(0.5)


def test_size_helps_one_and_harms_all() -> None:
    report = reported(EXPERIMENT, EXPERIMENT.quick)
    for level, grows in (("ONE", True), ("ALL", False)):
        found = [reproduced(report, f"{level}, {replicas} copies, as often") for replicas in REPLICAS]
        assert found == sorted(found, reverse=not grows)


def test_each_panel_is_a_surface_that_rises_with_returns_and_falls_with_failures() -> None:
    (figure,) = reported(EXPERIMENT, EXPERIMENT.quick).figures
    assert (len(figure.panels), figure.columns) == (len(LEVELS) * len(REPLICAS), 3)
    for panel in figure.panels:
        surface = panel.series[0].z
        assert all(list(row) == sorted(row, reverse=True) for row in surface)
        assert all(list(column) == sorted(column) for column in zip(*surface, strict=True))
