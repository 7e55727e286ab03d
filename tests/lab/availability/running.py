"""Runs an experiment here and now, as the runner does with its cells kept as JSON."""

import typing
from typing import Any, TypeVar

import msgspec

from roost.lab.experiment import Cell, Experiment, Report, Row

R = TypeVar("R")


class Ran:
    """Results of cells, each of which was run once and has been through JSON."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, bytes], Any] = {}

    def of(self, cell: Cell[R]) -> R:
        key = f"{cell.call.__module__}.{cell.call.__name__}", msgspec.json.encode(cell.argument)
        if key not in self._known:
            kind = typing.get_type_hints(cell.call)["return"]
            self._known[key] = msgspec.json.decode(msgspec.json.encode(cell.call(cell.argument)), type=kind)
        found: R = self._known[key]
        return found


def reported(experiment: Experiment[Any], parameters: Any, seed: int = 1) -> Report:
    """Run all cells that an experiment names, and report them; nothing else may be asked for."""
    results = Ran()
    for cell in experiment.cells(parameters, seed):
        results.of(cell)
    known = len(results._known)
    report = experiment.report(parameters, seed, results)
    assert len(results._known) == known, "a report asks for what its experiment has not named"
    assert msgspec.json.decode(msgspec.json.encode(report), type=Report) == report
    assert report.findings
    return report


def row(report: Report, what: str) -> Row:
    """Return the one row of which the name begins so."""
    (found,) = [one for one in report.rows if one.what.startswith(what)]
    return found


def reproduced(report: Report, what: str) -> float:
    value = row(report, what).reproduced
    assert isinstance(value, float)
    return value
