"""HTC figure 4.10: what stable and unstable nodes do with their time, with Weibull failures and repairs."""

from collections.abc import Sequence

from roost.lab.compiled.nine_scenarios import FULL, QUICK, SHOWN_POLICIES, Nine, Size
from roost.lab.compiled.scenario_runs import Measured
from roost.lab.compiled.time_spent import kinds_of_nodes_rows, spent_figure, stable_nodes, unstable_nodes
from roost.lab.experiment import Cell, Experiment, Report, Results
from roost.lab.worlds.lifetimes import Model


def cells(parameters: Size, seed: int) -> Sequence[Cell[Measured]]:
    return Nine(parameters, seed, Model.WEIBULL).cells(SHOWN_POLICIES)


def report(parameters: Size, seed: int, results: Results) -> Report:
    nine = Nine(parameters, seed, Model.WEIBULL)
    return Report(
        rows=tuple(kinds_of_nodes_rows(nine, results)),
        figures=(
            spent_figure(
                nine,
                results,
                "Use of nodes, stable ones and unstable ones, Weibull failures (HTC figure 4.10)",
                [("stable nodes: ", stable_nodes), ("unstable nodes: ", unstable_nodes)],
            ),
        ),
        findings=(
            (
                "Under first come, first served stable nodes are idle only at the end: the last tasks are tried again"
                " and again on unstable nodes, which became idle last and so are served first. That is the long empty"
                " time of stable nodes in the document; served by how long they have been idle, they have little."
            ),
        ),
    )


EXPERIMENT = Experiment(
    about="The same for stable nodes and for unstable nodes apart, with the runs of the figure before. Policies as "
    "the document shows them.",
    full=FULL,
    quick=QUICK,
    cells=cells,
    report=report,
)
