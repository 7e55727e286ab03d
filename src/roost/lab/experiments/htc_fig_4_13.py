"""HTC figure 4.13: the make-span of 99.9 % of the tasks when lengths are wrongly stated."""

from roost.lab.compiled.nine_scenarios import make_span_999
from roost.lab.compiled.wrong_lengths import FULL, QUICK, WrongLengths, best_rows, cells, figure, reduction_rows
from roost.lab.experiment import Experiment, Report, Results


def report(parameters: WrongLengths, seed: int, results: Results) -> Report:
    title = "Make-span of 99.9 % of the tasks by how wrong stated lengths are (HTC figure 4.13)"
    return Report(
        rows=(
            *best_rows(parameters, seed, results),
            *reduction_rows(parameters, seed, results, make_span_999, is_stated=False),
        ),
        figures=(figure(parameters, seed, results, title, make_span_999),),
        findings=("Without the last thousandth of the tasks the curves are smooth, and have the document's order.",),
    )


EXPERIMENT = Experiment(
    about="The runs of figure 4.12, until 99.9 % of the tasks are done. The text says that BFGC and BFGCE are the "
    "best even for large k.",
    full=FULL,
    quick=QUICK,
    cells=cells,
    report=report,
)
