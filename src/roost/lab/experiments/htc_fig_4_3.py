"""HTC figure 4.3: throughput and waiting time of BFGC by the size of a group."""

from collections.abc import Sequence

from roost.lab.compiled.nine_scenarios import Average, Nine, Size, average
from roost.lab.compiled.scenario_runs import Measured
from roost.lab.compiled.scenario_runs import cell_of as cell
from roost.lab.experiment import Cell, Count, Experiment, Report, Results, Row
from roost.lab.figure import Axis, Figure, Panel, Series

_SCENARIO = ("mixed", "medium")


class Groups(Size, frozen=True):
    groups: tuple[Count, ...] = (2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 75, 100)


def cells(parameters: Groups, seed: int) -> Sequence[Cell[Measured]]:
    nine = Nine(parameters, seed)
    return [cell(asked) for group in parameters.groups for asked in nine.asked("bfgc", *_SCENARIO, group=group)]


def report(parameters: Groups, seed: int, results: Results) -> Report:
    nine = Nine(parameters, seed)
    found = [nine.found(results, "bfgc", *_SCENARIO, group=group) for group in parameters.groups]
    throughput = [average([one.tasks / one.make_span_s for one in ones]) for ones in found]
    nearly = [average([0.999 * one.tasks / one.make_span_999_s for one in ones]) for ones in found]
    waiting = [average([one.all_kinds.wait_s for one in ones]) for ones in found]
    at = {group: place for place, group in enumerate(parameters.groups)}
    first, ten, last = at[min(at)], at[10], at[max(at)]
    return Report(
        rows=(
            _gain(f"throughput with G = 10 by that with G = {min(at)}", "grows", nearly[ten], nearly[first]),
            _gain(f"throughput with G = {max(at)} by that with G = 10", "hardly more", nearly[last], nearly[ten]),
            _gain(f"waiting time with G = {max(at)} by that with G = 10", "more", waiting[last], waiting[ten]),
        ),
        figures=(
            Figure(
                title="Throughput and waiting time of BFGC by the size of a group (HTC figure 4.3)",
                panels=(
                    Panel(
                        x=Axis("size of a group G"),
                        y=Axis("tasks per second"),
                        series=(
                            _curve("until the last task", parameters, throughput),
                            _curve("until 99.9 % of the tasks", parameters, nearly),
                        ),
                    ),
                    Panel(
                        x=Axis("size of a group G"),
                        y=Axis("waiting time of a task (s)"),
                        series=(_curve("waiting", parameters, waiting),),
                    ),
                ),
                columns=2,
            ),
        ),
        findings=(
            (
                "Throughput is compared until 99.9 % of the tasks are done, because the last task comes by chance. "
                "The limit on skipping the head of the queue, which the document does not give, decides how waiting "
                "grows."
            ),
        ),
    )


def _gain(what: str, said: str, one: Average, other: Average) -> Row:
    return Row(what=what, published=said, reproduced=round(one.mean / other.mean, 3))


def _curve(name: str, parameters: Groups, averages: Sequence[Average]) -> Series:
    return Series(
        name=name,
        kind="line and points",
        x=parameters.groups,
        y=tuple(one.mean for one in averages),
        error=tuple(one.interval for one in averages),
    )


EXPERIMENT = Experiment(
    about="Why groups have ten tasks: BFGC in the mixed system with medium tasks, with groups of 2 to 100. The text "
    "says that beyond 10 throughput hardly grows, and waiting does.",
    full=Groups(),
    quick=Groups(100, 1e8, 2, (2, 5, 10, 20, 50, 100)),
    cells=cells,
    report=report,
)
