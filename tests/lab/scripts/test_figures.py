"""What is drawn."""

import pytest

from roost.lab.scripts.engine import Lap, Result
from roost.lab.scripts.figures import figures, over_time
from tests.lab.scripts.invented import outcome


def test_the_documents_curves_stand_behind_those_of_engines(monkeypatch: pytest.MonkeyPatch) -> None:
    probe, over, office, polling = figures(outcome(monkeypatch))
    assert [series.name for series in probe.panels[0].series if series.is_reference] == [
        "document, WebWorker",
        "document, WebCL",
    ]
    assert len(probe.panels[0].series) == len(probe.panels[1].series) == 5
    assert [len(panel.series) for panel in over.panels] == [3, 3]
    assert len(office.panels[0].series) == 4
    assert len(polling.panels[0].series) == 5
    for figure in (probe, over, office, polling):
        for panel in figure.panels:
            assert all(len(series.x) == len(series.y) > 0 for series in panel.series)


def test_the_rate_of_a_job_holds_from_its_begin_to_its_end() -> None:
    laps = [Lap(0, 0.0, 2.0, 1.0, Result(20_000_000, 0.0)), Lap(1, 1.0, 2.0, 1.0, Result(30_000_000, 0.0))]
    assert over_time(laps) == ((0.0, 1.0, 1.0, 2.0), (10.0, 10.0, 40.0, 40.0))


def test_what_is_drawn_adds_up_to_all_that_was_counted() -> None:
    laps = [Lap(n % 2, 0.3 * n, 0.3 * n + 0.5, 0.4, Result(1_000_000 * (n + 1), 0.0)) for n in range(7)]
    x, y = over_time(laps)
    area = sum((x[at + 1] - x[at]) * y[at] for at in range(0, len(x), 2))
    assert area == pytest.approx(28.0)
