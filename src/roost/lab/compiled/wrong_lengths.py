"""Figures 4.12 and 4.13 and table 4.3 of HTC: what happens when lengths are stated wrongly, by up to a factor k."""

from collections.abc import Callable
from typing import Final

from roost.lab.compiled.nine_scenarios import Nine, Size, average, reduction
from roost.lab.compiled.scenario_runs import Measured, cell_of
from roost.lab.experiment import Cell, Positive, Results, Row
from roost.lab.figure import Axis, Figure, Panel, Series

POLICIES: Final = ("fcfs", "wqr-4", "wqr-fa-4", "fr", "bfgc", "bfgce")
#: The three representative scenarios, as the document draws and lists them.
THREE: Final = (("stable", "small"), ("mixed", "large"), ("unstable", "medium"))
#: By how much BFGC is shorter than FCFS in these with right lengths (HTC 4.6.1), and what chance makes of it.
_REDUCTIONS: Final = (1.37, 15.92, 20.46)
_REDUCTION_TOLERANCE: Final = 3.0


class WrongLengths(Size, frozen=True):
    #: The document draws k from 1 to 3; its table has tenths.
    ks: tuple[Positive, ...] = tuple(round(1 + tenth / 10, 1) for tenth in range(21))


FULL: Final = WrongLengths()
QUICK: Final = WrongLengths(100, 1e8, 1, (1.0, 1.5, 2.0, 2.5, 3.0))


def cells(parameters: WrongLengths, seed: int) -> list[Cell[Measured]]:
    nine = Nine(parameters, seed)
    return [
        cell_of(asked)
        for scenario in THREE
        for policy in POLICIES
        for k in parameters.ks
        for asked in nine.asked(policy, *scenario, k=k)
    ]


def found(parameters: WrongLengths, seed: int, results: Results, policy: str, at: int, k: float) -> list[Measured]:
    return Nine(parameters, seed).found(results, policy, *THREE[at], k=k)


def figure(
    parameters: WrongLengths, seed: int, results: Results, title: str, of: Callable[[Measured], float]
) -> Figure:
    panels = []
    for at, (system, workload) in enumerate(THREE):

        def curve(policy: str, value: Callable[[Measured], float], at: int = at) -> tuple[float, ...]:
            return tuple(
                average([value(one) for one in found(parameters, seed, results, policy, at, k)]).mean
                for k in parameters.ks
            )

        series = [
            Series(name=policy, kind="line and points", x=parameters.ks, y=curve(policy, of)) for policy in POLICIES
        ]
        ideal = curve("fcfs", lambda one: one.ideal_s)
        series.append(Series(name="ideal", kind="line", x=parameters.ks, y=ideal, is_reference=True))
        name = f"{system} system, {workload} tasks"
        panels.append(Panel(title=name, x=Axis("inaccuracy k"), y=Axis("make-span (s)"), series=tuple(series)))
    return Figure(title=title, panels=tuple(panels), columns=3)


def first_dropped(
    parameters: WrongLengths, seed: int, results: Results, policy: str, at: int
) -> tuple[float, float] | None:
    """Return the smallest k with which tasks are dropped, and how many in one repetition on average."""
    for k in parameters.ks:
        dropped = average([float(one.dropped) for one in found(parameters, seed, results, policy, at, k)]).mean
        if dropped:
            return k, dropped
    return None


def reduction_rows(
    parameters: WrongLengths, seed: int, results: Results, of: Callable[[Measured], float], *, is_stated: bool = True
) -> list[Row]:
    """Return by how much BFGC is shorter with right lengths, as the text repeats it, and with the most wrong ones."""
    rows = []
    for at, (system, workload) in enumerate(THREE):
        for k in (parameters.ks[0], parameters.ks[-1]):
            fcfs, bfgc = (
                average([of(one) for one in found(parameters, seed, results, policy, at, k)])
                for policy in ("fcfs", "bfgc")
            )
            lead = reduction(fcfs, bfgc)
            stated = _REDUCTIONS[at] if is_stated and k == 1.0 else None
            # "In the first scenario, BFGC can be much worse than the plain FCFS", says the text.
            said = "can be much worse" if is_stated and at == 0 and k > 1.0 else None
            rows.append(
                Row(
                    what=f"{system} system, {workload} tasks, k = {k:g}: BFGC is shorter than FCFS by",
                    published=stated or said,
                    reproduced=round(lead.mean, 2),
                    unit="%",
                    tolerance=_REDUCTION_TOLERANCE if stated else None,
                    error=lead.interval,
                    reading="two averages of 20 repetitions differ by as much as 3 points" if stated else "",
                )
            )
    return rows


def best_rows(parameters: WrongLengths, seed: int, results: Results) -> list[Row]:
    """Return for how many of the inaccuracies BFGC or BFGCE is the best."""
    rows = []
    for at, (system, workload) in enumerate(THREE):
        count = 0
        for k in parameters.ks:
            means = {
                policy: average([one.make_span_999_s for one in found(parameters, seed, results, policy, at, k)]).mean
                for policy in POLICIES
            }
            count += min(means, key=lambda policy: means[policy]) in ("bfgc", "bfgce")
        rows.append(
            Row(
                what=f"{system} system, {workload} tasks: BFGC or BFGCE is the best",
                published="for all k",
                reproduced=f"for {count} of {len(parameters.ks)}",
            )
        )
    return rows
