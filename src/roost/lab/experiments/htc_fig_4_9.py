"""HTC figure 4.9: what nodes do with their time, with Weibull failures and repairs."""

from collections.abc import Sequence

from roost.lab.compiled.nine_scenarios import FULL, QUICK, SHOWN_POLICIES, Nine, Size
from roost.lab.compiled.scenario_runs import Measured
from roost.lab.compiled.time_spent import everybody, spent_figure, spent_rows
from roost.lab.experiment import Cell, Experiment, Report, Results
from roost.lab.worlds.lifetimes import Model


def cells(parameters: Size, seed: int) -> Sequence[Cell[Measured]]:
    return Nine(parameters, seed, Model.WEIBULL).cells(SHOWN_POLICIES)


def report(parameters: Size, seed: int, results: Results) -> Report:
    nine = Nine(parameters, seed, Model.WEIBULL)
    return Report(
        rows=tuple(spent_rows(nine, results)),
        figures=(
            spent_figure(
                nine, results, "Use of nodes, all of them, Weibull failures (HTC figure 4.9)", [("", everybody)]
            ),
        ),
        findings=(
            (
                "What is wasted are executions that deaths aborted, and for WQR also those that another execution was"
                " quicker than. Idle time is mostly that of the end, when few tasks are left."
            ),
        ),
    )


EXPERIMENT = Experiment(
    about="How nodes spend the time until all is done: on what is useful, idle, on executions that are aborted, and "
    "away. Policies as the document shows them.",
    full=FULL,
    quick=QUICK,
    cells=cells,
    report=report,
)
