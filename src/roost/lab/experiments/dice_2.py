"""DICE's second experiment: 8 devices, of which four hand in 32 tasks each, with and without loss."""

from collections.abc import Sequence
from typing import Any, Final

from roost.lab.experiment import Cell, Experiment, Report, Results
from roost.lab.experiments.dice_1 import Parameters, Setup, cells_of, report_of

SETUP: Final = Setup(8, (32, 32, 32, 32))


def cells(parameters: Parameters, seed: int) -> Sequence[Cell[Any]]:
    return cells_of(SETUP, parameters, seed)


def report(parameters: Parameters, seed: int, results: Results) -> Report:
    return report_of(SETUP, parameters, seed, results)


EXPERIMENT = Experiment(
    about=(
        "Four of eight devices hand in 32 tasks each at once, and every message is lost with a probability of 0, 1, 5, "
        "10 and 20 %. As in the first experiment, DICE's protocol stands beside meshes of Roost's own nodes."
    ),
    full=Parameters(seeds=10, has_long=True, has_arrays=True),
    quick=Parameters(seeds=1, has_long=False, has_arrays=False),
    cells=cells,
    report=report,
)
