"""HTC table 4.2: waiting and wasted time by size of task, FCFS and BFGC in the mixed system with medium tasks."""

from collections.abc import Sequence

from roost.lab.compiled.nine_scenarios import FULL, QUICK_LARGE, Nine, Size, average
from roost.lab.compiled.scenario_runs import Measured, Overheads, cell_of
from roost.lab.experiment import Cell, Experiment, Report, Results, Row

_SCENARIO = ("mixed", "medium")
_POLICIES = ("fcfs", "bfgc")
#: Tasks that are not delayed (%), mean and deviation of the waiting time, and of the wasted time, in seconds.
_PUBLISHED = {
    ("small", "fcfs"): (83.105, 6.054, 7.478, 20.761, 125.656),
    ("small", "bfgc"): (46.177, 11.920, 11.549, 34.464, 166.042),
    ("medium", "fcfs"): (78.456, 7.097, 8.521, 428.313, 1239.137),
    ("medium", "bfgc"): (63.569, 10.693, 17.888, 486.502, 1406.110),
    ("large", "fcfs"): (65.000, 10.653, 11.999, 4952.180, 9328.210),
    ("large", "bfgc"): (81.600, 6.166, 16.971, 1378.569, 4011.973),
    ("all_kinds", "fcfs"): (77.584, 7.346, 8.908, 837.591, 3431.536),
    ("all_kinds", "bfgc"): (63.617, 10.366, 17.324, 529.869, 1812.231),
}
_WHAT = (
    ("tasks that wait no longer than 10 s", "%", "undelayed"),
    ("waiting time, mean", "s", "wait_s"),
    ("waiting time, deviation", "s", "wait_sd_s"),
    ("wasted time, mean", "s", "lost_s"),
    ("wasted time, deviation", "s", "lost_sd_s"),
)
#: How exactly nodes look is not said: a twentieth, if chance alone does not make up more.
_TOLERANCE = 0.05


def cells(parameters: Size, seed: int) -> Sequence[Cell[Measured]]:
    nine = Nine(parameters, seed)
    return [cell_of(asked) for policy in _POLICIES for asked in nine.asked(policy, *_SCENARIO)]


def report(parameters: Size, seed: int, results: Results) -> Report:
    nine = Nine(parameters, seed)
    rows = []
    for (kind, policy), published in _PUBLISHED.items():
        found = nine.found(results, policy, *_SCENARIO)
        overheads: list[Overheads] = [getattr(one, kind) for one in found]
        tasks = "all tasks" if kind == "all_kinds" else f"{kind} tasks"
        for (what, unit, field), value in zip(_WHAT, published, strict=True):
            times = 100 if unit == "%" else 1
            mean = average([times * getattr(one, field) for one in overheads])
            rows.append(
                Row(
                    what=f"{policy}, {tasks}: {what}",
                    published=value,
                    reproduced=round(mean.mean, 3),
                    unit=unit,
                    tolerance=max(_TOLERANCE * value, mean.tolerance),
                    error=mean.interval,
                    reading="a twentieth, or what averages of 20 repetitions differ by",
                )
            )
    return Report(
        rows=tuple(rows),
        findings=(
            (
                "First come, first served comes out by every figure if a node looks at the queue as soon as it has "
                "ended something, and a task that an aborted one is put before goes on waiting."
            ),
            (
                "With BFGC the waiting time of all tasks, and what large and medium ones lose, are near; how small "
                "and medium tasks share the waiting is not. No limit on skipping the head that was tried, from 0 to "
                "1,000, gives that. The nearest is 1, and it changes make-spans by less than they scatter."
            ),
        ),
    )


EXPERIMENT = Experiment(
    about="How long tasks wait at the head of the queue, and how long executions of them ran in vain, by their size. "
    "The mixed system with medium tasks.",
    full=FULL,
    quick=QUICK_LARGE,
    cells=cells,
    report=report,
)
