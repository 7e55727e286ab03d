"""FAIR 4.1, figure 2: how even the strategies share jobs out, by the size of the group."""

from collections.abc import Mapping, Sequence
from typing import Final

from roost.lab.experiment import Cell, Experiment, Report, Results, Row, Table
from roost.lab.figure import Axis, Figure, Panel, Series
from roost.lab.mobile.averages import Average, average
from roost.lab.mobile.live import live
from roost.lab.mobile.setting import Outcome, Surroundings, setting_of
from roost.lab.mobile.words import paragraphs
from roost.model.errors import InvalidInput
from roost.policy.fairness import NONE, STRATEGIES
from roost.policy.fairness_measures import variance

#: In the order in which the figure names them.
NAMES: Final = (NONE, *STRATEGIES)
#: The variances without errors of table 1, where the group has ten.
AT_TEN: Final = {
    "none": 85.26,
    "not-best": 0.0,
    "worst": 36.42,
    "worse-than-average": 0.0,
    "worse-than-majority": 0.32,
    "equal-or-worse-than-majority": 0.73,
}
TEN: Final = 10
SMALL: Final = 5


class Parameters(Surroundings, frozen=True, kw_only=True):
    repetitions: int = 20
    #: The sizes of groups, from the first to the last, and how far apart they are.
    smallest: int = 2
    largest: int = 20
    step: int = 1


def _sizes(parameters: Parameters) -> list[int]:
    sizes = list(range(parameters.smallest, parameters.largest + 1, max(parameters.step, 1)))
    if not sizes:
        raise InvalidInput(f"there is no size of group from {parameters.smallest} to {parameters.largest}")
    return sizes


def _cell(parameters: Parameters, seed: int, strategy: str, group: int) -> Cell[tuple[Outcome, ...]]:
    setting = setting_of(parameters, seed, strategy=strategy, group=group, repetitions=parameters.repetitions)
    return Cell(f"{strategy}, groups of {group}", live, setting, cost=parameters.repetitions)


def cells(parameters: Parameters, seed: int) -> Sequence[Cell[tuple[Outcome, ...]]]:
    return [_cell(parameters, seed, name, group) for group in _sizes(parameters) for name in NAMES]


def report(parameters: Parameters, seed: int, results: Results) -> Report:
    sizes = _sizes(parameters)
    worlds = {(name, group): results.of(_cell(parameters, seed, name, group)) for name in NAMES for group in sizes}
    uneven = {key: average([variance(one.processed) or 0.0 for one in found]) for key, found in worlds.items()}
    return Report(
        rows=(*_said(sizes, uneven, worlds), *_at_ten(sizes, uneven)),
        figures=(_figure(sizes, uneven),),
        tables=(
            _table("Variance of jobs per worker", sizes, {key: found.mean for key, found in uneven.items()}),
            _table("Average response time in seconds", sizes, _means(worlds, "response_s")),
            _table("How often deadlock prevention was invoked", sizes, _means(worlds, "prevented")),
        ),
        findings=_FINDINGS,
    )


_FINDINGS: Final = paragraphs(
    """
Without a strategy 60 jobs go to two of 20 workers, 30 each: a job comes every 110 s and takes 116.632 s, and who looks
at the queue first is always the same. The variance of that is 1620/19 = 85.26 with the divisor n - 1, and 1620/20 = 81
with n. FAIR prints 85.26, so it divides by n - 1, and its order of looking is a fixed one.

That order is what the figure depends on most. If it stays fixed whatever happens, the strategies that go by the
average or the majority even out much less than FAIR says, because of those that are allowed a job the first in the
order always has it. FAIR's values come out if whoever leaves a job to others goes to the end of the line, as one does
that has read the queue in vain and asks again. If the order is a new one each time, there is no unfairness to begin
with: 'none' has a variance of about 3.

The strategies compare charges. If busy devices counted as having nothing to give (--set weighs=lanes), 'worst' would
never leave anything, because somebody is always busy and so does worse; then it is as uneven as no strategy at all,
and the average is not much better. So f in FAIR cannot have been dominated by the work of the moment.

If all devices begin with exactly the same charge (--set spread=0), 'not-best', 'worse-than-average' and
'worse-than-majority' come out in groups of ten as FAIR prints them: 0, 0 and 6/19 = 0.32. But then
'equal-or-worse-than-majority' is as uneven as no strategy: all abstain from nearly every job until deadlock prevention
lets them go, and then the first in line takes it. FAIR's 0.73 needs devices that differ a little.

In groups of two, 'not-best', 'worst', 'worse-than-average' and 'worse-than-majority' are one and the same rule,
because there is one other. So whatever lines the figure has there, four of them have to begin at one point, as they do
here.

In groups of three, more than half of two others are both, so 'worse-than-majority' is the same rule as 'worst'. And
'not-best' is more even than most in small groups, as FAIR says, but 'worse-than-average' is as even or more so here.
'worst' alone is less even in large groups than in groups of two, since in those it is all the other rules at once.

FAIR says that 'not-best' often invoked deadlock prevention. With rounds of 30 s it hardly does here: when the best is
busy it is soon no longer the best, and the next round says so before the group has waited for ten seconds for each
other device. What it costs is the wait for that round, up to 8 s a job on average. With rounds of 120 s (--set
round_s=120) it is invoked for about 12 of the 60 jobs in groups of ten, and a job takes 160 s.

'worst' scatters most: it depends on whether a device that works is ever the worst of its group. In groups of ten, most
worlds have a variance between 3 and 13, and about one in four has one between 38 and 85. One world says nothing of it.

If links count (--set link=on), what a link is worth outweighs what a job costs, and devices near a super-peer do more;
if they move (--set movement=waypoint, with which links count anyway), that evens out in part.
"""
)


def _said(
    sizes: Sequence[int],
    uneven: Mapping[tuple[str, int], Average],
    worlds: Mapping[tuple[str, int], Sequence[Outcome]],
) -> list[Row]:
    """Return what the text says of the figure."""

    def times(holds: Sequence[bool]) -> str:
        return f"in {sum(holds)} of {len(holds)} sizes"

    small = [group for group in sizes if group <= SMALL]
    mean = {key: found.mean for key, found in uneven.items()}
    slow = _means(worlds, "response_s")
    others = [name for name in STRATEGIES if name != "worst"]
    fairer = [name for name in STRATEGIES if mean[name, sizes[-1]] < mean[name, sizes[0]]]
    most = _means(worlds, "prevented")
    return [
        Row(
            what="the variance is highest without fairness",
            published="at all sizes",
            reproduced=times([mean[NONE, group] >= max(mean[name, group] for name in STRATEGIES) for group in sizes]),
        ),
        Row(
            what="of the strategies, worst is the least even",
            published="at all sizes",
            reproduced=times([mean["worst", group] >= max(mean[name, group] for name in others) for group in sizes]),
        ),
        Row(
            what=f"not-best is the most even in groups of up to {SMALL}",
            published="yes",
            reproduced=times(
                [mean["not-best", group] <= min(mean[name, group] for name in STRATEGIES) for group in small]
            ),
        ),
        Row(
            what="strategies that are more even in the largest groups than in the smallest",
            published="most",
            reproduced=f"{len(fairer)} of {len(STRATEGIES)}",
        ),
        Row(
            what="the average response time is longest with not-best",
            published="increased",
            reproduced=times(
                [slow["not-best", group] >= max(slow[name, group] for name in (NONE, *others)) for group in sizes]
            ),
        ),
        Row(
            what="how often not-best invokes deadlock prevention, in the size in which it does so most",
            published="often",
            reproduced=max(most["not-best", group] for group in sizes),
            unit="times a run",
        ),
    ]


def _at_ten(sizes: Sequence[int], uneven: Mapping[tuple[str, int], Average]) -> list[Row]:
    return [
        Row(
            what=f"{name}, groups of {TEN}",
            published=published,
            reproduced=uneven[name, TEN].mean,
            error=uneven[name, TEN].error,
            tolerance=round(uneven[name, TEN].reach + 0.01, 2),
            reading="the mean of several worlds; FAIR's is taken to be one, which is within the tolerance with 95 %",
        )
        for name, published in AT_TEN.items()
        if TEN in sizes
    ]


def _means(worlds: Mapping[tuple[str, int], Sequence[Outcome]], field: str) -> dict[tuple[str, int], float]:
    return {key: sum(getattr(one, field) for one in found) / len(found) for key, found in worlds.items()}


def _table(title: str, sizes: Sequence[int], values: Mapping[tuple[str, int], float]) -> Table:
    rows = tuple((group, *(round(values[name, group], 2) for name in NAMES)) for group in sizes)
    return Table(title=title, columns=("size of group", *NAMES), rows=rows)


def _figure(sizes: Sequence[int], uneven: Mapping[tuple[str, int], Average]) -> Figure:
    series = tuple(
        Series(
            name=name,
            kind="line and points",
            x=tuple(sizes),
            y=tuple(uneven[name, group].mean for group in sizes),
            error=tuple(uneven[name, group].error for group in sizes),
        )
        for name in NAMES
    )
    panel = Panel(x=Axis("group size n"), y=Axis("variance of jobs per worker"), series=series)
    return Figure(title="Variance of different fairness strategies with varying group size", panels=(panel,))


EXPERIMENT: Final = Experiment(
    about="Twenty workers on batteries share 60 jobs of 116.632 s, one every 110 s, by each of FAIR's five strategies "
    "and by none, in groups of 2 to 20. Asked is how even the numbers of jobs are that each has processed. The rule, "
    "what batteries, links and movement are, and the order in which devices look at the queue can be set.",
    full=Parameters(),
    quick=Parameters(repetitions=5, step=4),
    cells=cells,
    report=report,
)
