"""Results of experiments for tests: a cell is run when somebody asks for it, and kept."""

from typing import Any, TypeVar

from roost.lab.experiment import Cell, Experiment, Report

R = TypeVar("R")


class AtOnce:
    def __init__(self) -> None:
        self._known: dict[tuple[str, str], Any] = {}

    def of(self, cell: Cell[R]) -> R:
        key = (cell.call.__name__, repr(cell.argument))
        if key not in self._known:
            self._known[key] = cell.call(cell.argument)
        result: R = self._known[key]
        return result


def reported(experiment: Experiment[Any], parameters: Any, seed: int = 1) -> Report:
    results = AtOnce()
    for cell in experiment.cells(parameters, seed):
        results.of(cell)
    return experiment.report(parameters, seed, results)
