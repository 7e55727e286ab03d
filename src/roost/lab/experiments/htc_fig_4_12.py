"""HTC figure 4.12: the make-span when lengths are wrongly stated, until the last task is done or dropped."""

from roost.lab.compiled.nine_scenarios import make_span
from roost.lab.compiled.wrong_lengths import FULL, QUICK, WrongLengths, cells, figure, reduction_rows
from roost.lab.experiment import Experiment, Report, Results


def report(parameters: WrongLengths, seed: int, results: Results) -> Report:
    title = "Make-span by how wrong stated lengths are (HTC figure 4.12)"
    return Report(
        rows=tuple(reduction_rows(parameters, seed, results, make_span)),
        figures=(figure(parameters, seed, results, title, make_span),),
        findings=(
            (
                "The last tasks decide: a large task that takes up to three times what was stated, 75,000 s, hardly "
                "ever ends on an unstable node, and each trial takes hours. BFGCE finds the right node, since each "
                "abort makes the task count as longer."
            ),
        ),
    )


EXPERIMENT = Experiment(
    about="Tasks take from what is stated by k to k times as much, k from 1 to 3, in three scenarios. Until all are "
    "done, or dropped after 100 trials.",
    full=FULL,
    quick=QUICK,
    cells=cells,
    report=report,
)
