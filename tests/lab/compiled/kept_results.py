"""Results of cells that are run when they are asked for, and kept."""

from typing import TypeVar

import msgspec

from roost.lab.catalogue import load
from roost.lab.compiled.nine_scenarios import Size
from roost.lab.experiment import Cell, Report

R = TypeVar("R")
#: Large enough that something fails, and lived through in milliseconds.
TINY = Size(20, 1e7, 2)
_KEPT: dict[bytes, object] = {}


class KeptResults:
    def of(self, cell: Cell[R]) -> R:
        key = cell.call.__name__.encode() + msgspec.json.encode(cell.argument)
        if key not in _KEPT:
            _KEPT[key] = cell.call(cell.argument)
        return _KEPT[key]  # type: ignore[return-value]


class AskedOnly(KeptResults):
    """Refuses what was not in the list of cells."""

    def __init__(self, cells: "list[Cell[object]]") -> None:
        self._known = {msgspec.json.encode(cell.argument) for cell in cells}

    def of(self, cell: Cell[R]) -> R:
        assert msgspec.json.encode(cell.argument) in self._known, cell.label
        return super().of(cell)


def report_of(name: str, parameters: object) -> Report:
    """Return the report of an experiment, which must ask for nothing that it has not listed."""
    experiment = load(name)
    report = experiment.report(parameters, 1, AskedOnly(list(experiment.cells(parameters, 1))))
    assert msgspec.json.decode(msgspec.json.encode(report), type=Report) == report
    return report
