"""HTC table 4.1: tasks, executions and make-span in the unstable system, first come, first served."""

from collections.abc import Callable, Sequence

from roost.lab.compiled.nine_scenarios import FULL, QUICK_LARGE, Nine, Size, average, make_span, make_span_999
from roost.lab.compiled.scenario_runs import KINDS, Measured, cell_of
from roost.lab.experiment import Cell, Experiment, Report, Results, Row
from roost.lab.worlds.reading import AS_PUBLISHED, Reading

_SYSTEM = "unstable"
_TASKS = (395895, 216637, 77797)
_EXECUTIONS = (1.413, 1.641, 3.633)
_MAKE_SPANS_S = (2375664, 2018959, 3036418)
#: How near make-spans are to count as the same: who of the idle nodes is served first is not said, and moves them more.
_TAIL_NEAR = 0.05
_LONGEST_FIRST = Reading(order="longest")


def cells(parameters: Size, seed: int) -> Sequence[Cell[Measured]]:
    nine = Nine(parameters, seed)
    return [
        cell_of(asked)
        for reading in (AS_PUBLISHED, _LONGEST_FIRST)
        for workload in KINDS
        for asked in nine.asked("fcfs", _SYSTEM, workload, reading=reading)
    ]


def report(parameters: Size, seed: int, results: Results) -> Report:
    nine = Nine(parameters, seed)
    scale = parameters.work_s / FULL.work_s
    rows: list[Row] = []
    for at, workload in enumerate(KINDS):
        found = nine.found(results, "fcfs", _SYSTEM, workload)

        def row(
            what: str, published: float | None, of: Callable[[Measured], float], unit: str, digits: int,
            near: float = 0.01, workload: str = workload, found: list[Measured] = found,
        ) -> Row:  # fmt: skip
            mean = average([of(one) for one in found])
            return Row(
                what=f"{workload} tasks: {what}",
                published=published,
                reproduced=round(mean.mean, digits),
                unit=unit,
                tolerance=None if published is None else max(mean.tolerance, near * published),
                error=mean.interval,
                reading=f"{near:.0%}, or what averages of 20 repetitions differ by, 19 times in 20",
            )

        rows += [
            row("number of tasks", round(_TASKS[at] * scale), lambda one: one.tasks, "", 0),
            row("executions per task", _EXECUTIONS[at], lambda one: one.executions / one.tasks, "", 3),
            row("make-span", _MAKE_SPANS_S[at], make_span, "s", 0, near=_TAIL_NEAR),
            row("until 99.9 % of the tasks", None, make_span_999, "s", 0),
            _other_order(nine, results, workload),
            row("dropped tasks", None, lambda one: one.dropped, "", 2),
        ]
    return Report(
        rows=tuple(rows),
        findings=(
            (
                "Tasks and executions come out in every reading. The make-span depends on who of the idle nodes is "
                "served first when the last large tasks are aborted once more: until 99.9 % of the tasks are done "
                "takes much less. Served by who became idle last, it comes out near the published one; by who has "
                "been idle for longest it is hundreds of thousands of seconds shorter."
            ),
        ),
    )


def _other_order(nine: Nine, results: Results, workload: str) -> Row:
    found = nine.found(results, "fcfs", _SYSTEM, workload, reading=_LONGEST_FIRST)
    mean = average([make_span(one) for one in found])
    return Row(
        what=f"{workload} tasks: make-span, if who has been idle for longest is served first",
        published=None,
        reproduced=round(mean.mean),
        unit="s",
        error=mean.interval,
        reading="another reading, to compare with",
    )


EXPERIMENT = Experiment(
    about="A system of 90 % unstable nodes with three workloads of 1e9 s each, first come, first served. The averages"
    " of 20 repetitions.",
    full=FULL,
    quick=QUICK_LARGE,
    cells=cells,
    report=report,
)
