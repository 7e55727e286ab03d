"""Figures 2.2 to 2.7 of HTC."""

from roost.lab.experiments.htc_2_5 import EXPERIMENT
from roost.lab.store_queue.figures import all_figures
from roost.lab.store_queue.findings import Found
from roost.lab.store_queue.published import LOADS
from roost.lab.store_queue.settings import Settings
from tests.lab.store_queue.test_findings import Two


def test_surfaces_are_over_load_and_length_and_lines_over_load_by_size() -> None:
    own = EXPERIMENT.quick
    figures = all_figures(Found(Settings(own, 1), Two()))
    for figure in figures[:3]:
        (series,) = figure.panels[0].series
        assert (series.kind, series.x, series.y) == ("surface", own.loads, own.longest_s)
        assert [len(line) for line in series.z] == [len(own.loads)] * len(own.longest_s)
    for figure in figures[3:6]:
        plain = [series for series in figure.panels[0].series if not series.is_reference]
        assert [series.name for series in plain] == [f"{nodes} nodes" for nodes in own.sizes]
        assert {series.x for series in plain} == {LOADS}


def test_utilisation_has_the_published_curves_beside_it() -> None:
    figure = all_figures(Found(Settings(EXPERIMENT.quick, 1), Two()))[3]
    published = [series for series in figure.panels[0].series if series.is_reference]
    assert len(published) == 4
    assert published[0].y[0] == 20.1
