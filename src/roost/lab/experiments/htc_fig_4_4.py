"""HTC figure 4.4: the make-span of eleven policies in nine scenarios."""

from collections.abc import Sequence

from roost.lab.compiled.make_spans import (
    PUBLISHED_REDUCTIONS,
    make_span_figure,
    make_span_table,
    reduction_rows,
    word_rows,
)
from roost.lab.compiled.nine_scenarios import ALL_POLICIES, FULL, QUICK, Nine, Size
from roost.lab.compiled.scenario_runs import Measured
from roost.lab.experiment import Cell, Experiment, Report, Results

FINDINGS = (
    (
        "Read to the letter, algorithms 2 and 3 start one task per window of 10 s in the whole system where all "
        "nodes want the same one, 0.1 a second; the published make-spans of small tasks need 0.4. So whoever is "
        "beaten goes on to the next task in the same window, as in Roost's policies."
    ),
    (
        "The make-span of first come, first served is decided by its last tasks: the long ones, which are aborted"
        " again and again. Who gets them is decided by who of the idle nodes is served first, of which the "
        "document says nothing. If that is who became idle last (as with idle nodes on a stack), these are nearly"
        " always unstable nodes that have just come back, and the published figures come out. If it is who has "
        "been idle for longest, or stable ones by their number, much of what BFGC is better by is gone (table "
        "4.1). So much of the published improvement is a shorter tail; the rows for 99.9 % of the tasks show what"
        " remains without it."
    ),
    (
        "The central policies differ from first come, first served only while several nodes are idle, which is at"
        " the end. That WQR-FA is the worse one has a likely reason: with C = 0.98 and q = 0.05 a lower bound of "
        "a lifetime needs 77 stays. Unstable nodes have so many in time and stable ones never, so that unstable "
        "nodes are preferred, as the only ones of which something is known."
    ),
    (
        "In the stable system the policies are so near each other that the last task decides who is the best: there "
        "replicas help more than a good fit."
    ),
)


def cells(parameters: Size, seed: int) -> Sequence[Cell[Measured]]:
    return Nine(parameters, seed).cells(ALL_POLICIES)


def report(parameters: Size, seed: int, results: Results) -> Report:
    nine = Nine(parameters, seed)
    return Report(
        rows=(*reduction_rows(nine, results, PUBLISHED_REDUCTIONS), *word_rows(nine, results)),
        figures=(make_span_figure(nine, results, "Make-span, exponential failures (HTC figure 4.4)"),),
        tables=(make_span_table(nine, results),),
        findings=FINDINGS,
    )


EXPERIMENT = Experiment(
    about="Each policy in nine scenarios: how long it takes until a bag of tasks is done by nodes that come and go. "
    "The document has 1000 nodes, 1e9 s of work and 20 repetitions.",
    full=FULL,
    quick=QUICK,
    cells=cells,
    report=report,
)
