"""HTC figure 4.11: how long tasks wait, and what is lost of them, with Weibull failures and repairs."""

from collections.abc import Sequence

from roost.lab.compiled.nine_scenarios import FULL, QUICK, SHOWN_POLICIES, Nine, Size
from roost.lab.compiled.scenario_runs import Measured
from roost.lab.compiled.time_spent import overheads_figure, overheads_rows
from roost.lab.experiment import Cell, Experiment, Report, Results
from roost.lab.worlds.lifetimes import Model


def cells(parameters: Size, seed: int) -> Sequence[Cell[Measured]]:
    return Nine(parameters, seed, Model.WEIBULL).cells(SHOWN_POLICIES)


def report(parameters: Size, seed: int, results: Results) -> Report:
    nine = Nine(parameters, seed, Model.WEIBULL)
    return Report(
        rows=tuple(overheads_rows(nine, results)),
        figures=(overheads_figure(nine, results, "What tasks lose, Weibull failures (HTC figure 4.11)"),),
        findings=(
            (
                "A task that another one is put before goes on waiting: so waiting times come out as published (table"
                " 4.2). Where many large tasks are aborted and go back to the head, those behind them wait longer "
                "than the text says."
            ),
        ),
    )


EXPERIMENT = Experiment(
    about="The time that a task waits at the head of the queue, and that in executions of it which did not count. "
    "Policies as the document shows them.",
    full=FULL,
    quick=QUICK,
    cells=cells,
    report=report,
)
