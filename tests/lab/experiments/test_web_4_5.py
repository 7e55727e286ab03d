"""The experiment as a whole, with the engine that every machine has."""

import tempfile
from pathlib import Path
from typing import Any

import msgspec
import pytest

from roost.lab.catalogue import load
from roost.lab.experiment import Cell
from roost.lab.experiments.web_4_5 import EXPERIMENT, Parameters
from roost.model.errors import InvalidInput

SMALL = Parameters("roost-living", largest_sample_size=500_000, limit_s=0.1, repetitions=1, job_s=0.001, jobs=1)


class Results:
    """Runs each cell once."""

    def __init__(self) -> None:
        self._kept: dict[Any, Any] = {}

    def of(self, cell: Cell[Any]) -> Any:
        if cell.argument not in self._kept:
            self._kept[cell.argument] = cell.call(cell.argument)
        return self._kept[cell.argument]


def test_it_is_in_the_catalogue() -> None:
    assert load("web-4.5") is EXPERIMENT


def test_a_report_is_made_of_what_roosts_own_worker_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # So that it waits for no measurement that runs on the same machine.
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    results = Results()
    for cell in EXPERIMENT.cells(SMALL, 1):
        results.of(cell)
    report = EXPERIMENT.report(SMALL, 1, results)
    by_name = {row.what: row.reproduced for row in report.rows}
    rate = by_name["attained, 1 worker, Roost's script worker, living on"]
    assert isinstance(rate, float)
    assert rate > 0
    assert len(report.figures) == 4
    assert len(report.findings) > 6
    assert msgspec.json.decode(msgspec.json.encode(report), type=type(report)) == report


def test_measurements_are_never_kept_and_the_model_is() -> None:
    measured = [cell for cell in EXPERIMENT.cells(EXPERIMENT.full, 1) if cell.is_measured]
    assert [cell.call.__name__ for cell in measured] == ["measure"] * 7 + ["measure_native"]
    assert len(EXPERIMENT.cells(EXPERIMENT.full, 1)) > len(measured)


def test_an_engine_that_nobody_knows_is_refused() -> None:
    with pytest.raises(InvalidInput, match="no engine 'rhino'"):
        EXPERIMENT.cells(msgspec.structs.replace(SMALL, engines="roost rhino"), 1)
