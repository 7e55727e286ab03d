"""FAIR 4.2, table 1: how even the strategies share jobs out while one of the devices fails."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from roost.lab.experiment import Cell, Experiment, Report, Results, Row, Table
from roost.lab.figure import Axis, Figure, Panel, Series
from roost.lab.mobile.averages import Average, average
from roost.lab.mobile.live import live
from roost.lab.mobile.possible import possible_sums
from roost.lab.mobile.setting import Outcome, Surroundings, setting_of
from roost.lab.mobile.timeline import FAULTY, timeline_text
from roost.lab.mobile.words import paragraphs
from roost.policy.fairness import NONE, STRATEGIES
from roost.policy.fairness_measures import variance

NAMES: Final = (NONE, *STRATEGIES)
COLUMNS: Final = ("no error", "no FT", "proactive FT", "reactive FT")
PUBLISHED: Final[Mapping[str, tuple[float, ...]]] = {
    "none": (85.26, 17.64, 203.67, 61.57),
    "not-best": (0.0, 0.11, 0.63, 0.11),
    "worst": (36.42, 28.42, 91.95, 38.11),
    "worse-than-average": (0.0, 0.11, 0.11, 0.11),
    "worse-than-majority": (0.32, 0.32, 0.99, 0.32),
    "equal-or-worse-than-majority": (0.73, 3.16, 2.85, 3.16),
}
_FAULT_TOLERANCE: Final = {"no error": "none", "no FT": "none", "proactive FT": "proactive", "reactive FT": "reactive"}
#: The readings that are set beside each other where nothing fails.
READINGS: Final[Mapping[str, Mapping[str, Any]]] = {
    "charges differ by half a job": {"spread": 0.5},
    "equal charges": {"spread": 0.0},
    "order of looking fixed": {"order": "fixed"},
    "order of looking by chance": {"order": "random"},
    "who is busy has nothing to give": {"weighs": "lanes"},
    "performance as in Roost": {"weighs": "roost"},
    "told at once": {"tells": "at-once"},
    "links count, devices stand": {"link": "on", "movement": "still"},
    "links count, devices walk": {"link": "on", "movement": "waypoint"},
}
#: Roost's nodes in the same world: its performance, told within a second, and contests that go by name.
_ROOST: Final[Mapping[str, Any]] = {
    "rule": "usual",
    "weighs": "roost",
    "tells": "at-once",
    "order": "fixed",
    "interrupted": "again",
}
_FATES: Final = ("resumed", "again", "lost")
_LOOKED_AT: Final = range(30, 121)
_WORKERS, _DIVISOR = 20, 19
#: Half of a last digit, and what is cut off behind it.
_LAST_DIGIT: Final = 0.01


class Parameters(Surroundings, frozen=True, kw_only=True):
    repetitions: int = 20
    group: int = 10
    #: When the faulty device is there: "durations", "instants" or "mixed" of FAIR's three numbers, or a file's name.
    times: str = "durations"


def _cell(parameters: Parameters, seed: int, what: str, **fields: Any) -> Cell[tuple[Outcome, ...]]:
    setting = setting_of(
        parameters, seed, **{"group": parameters.group, "repetitions": parameters.repetitions, **fields}
    )
    return Cell(what, live, setting, cost=setting.repetitions)


def _of_table(parameters: Parameters, seed: int, name: str, column: str, **fields: Any) -> Cell[tuple[Outcome, ...]]:
    times = "" if column == "no error" else timeline_text(parameters.times)
    return _cell(
        parameters,
        seed,
        f"{name}, {column}",
        **{"strategy": name, "timeline": times, "fault_tolerance": _FAULT_TOLERANCE[column], **fields},
    )


def _equal(parameters: Parameters, seed: int, name: str, column: str) -> Cell[tuple[Outcome, ...]]:
    return _of_table(parameters, seed, name, column, spread=0.0, repetitions=1)


def _reading(parameters: Parameters, seed: int, name: str, reading: str) -> Cell[tuple[Outcome, ...]]:
    return _of_table(parameters, seed, name, "no error", **READINGS[reading])


def _of_roost(parameters: Parameters, seed: int, name: str, column: str) -> Cell[tuple[Outcome, ...]]:
    return _of_table(parameters, seed, name, column, **_ROOST)


def _by_times(parameters: Parameters, seed: int, times: str, fate: str) -> list[Cell[tuple[Outcome, ...]]]:
    """Return what is lived through with no fairness for each meaning of the times, in the order of the table."""
    fields = {"timeline": FAULTY[times], "interrupted": fate, "spread": 0.0, "repetitions": 1}
    return [
        *(_of_table(parameters, seed, NONE, column, **fields) for column in COLUMNS[1:]),
        _of_table(parameters, seed, NONE, "proactive FT", unstable="all", **fields),
    ]


def cells(parameters: Parameters, seed: int) -> Sequence[Cell[tuple[Outcome, ...]]]:
    of_table = [(name, column) for name in NAMES for column in COLUMNS]
    return [
        *(_of_table(parameters, seed, *key) for key in of_table),
        *(_equal(parameters, seed, *key) for key in of_table),
        *(_reading(parameters, seed, name, reading) for reading in READINGS for name in NAMES),
        *(_of_roost(parameters, seed, name, column) for name in NAMES for column in _of_roosts_columns()),
        *(cell for times in _times_there_are() for fate in _FATES for cell in _by_times(parameters, seed, times, fate)),
    ]


def report(parameters: Parameters, seed: int, results: Results) -> Report:
    of_table = {
        (name, column): results.of(_of_table(parameters, seed, name, column)) for name in NAMES for column in COLUMNS
    }
    equal = {(name, column): results.of(_equal(parameters, seed, name, column)) for name in NAMES for column in COLUMNS}
    return Report(
        rows=(*_rows(of_table), *_rows_of_equal(equal)),
        figures=(_figure(of_table),),
        tables=(
            _laid_out("Variance of jobs per worker, charges that differ", of_table, _uneven),
            _laid_out("Variance of jobs per worker, equal charges", equal, _uneven),
            _laid_out("Jobs processed by all workers", of_table, lambda one: float(sum(one.processed))),
            _laid_out("Average response time in seconds", of_table, lambda one: one.response_s),
            _laid_out("How often deadlock prevention was invoked", of_table, lambda one: float(one.prevented)),
            _of_readings(parameters, seed, results),
            _of_times(parameters, seed, results),
            _in_roost(parameters, seed, results),
            _possible(),
        ),
        findings=_FINDINGS,
    )


_FINDINGS: Final = paragraphs(
    """
Arithmetic first. Jobs are whole numbers, so only some variances are possible (the last table). With the divisor n = 20
twelve of the 24 figures are possible for no number of jobs at all, and 85.26 is not for 60; with n - 1 = 19 all are
possible for some number. So FAIR divides by n - 1. 85.26 is 30 jobs on each of two workers, and 0 is three on each.

0.73 (equal-or-worse-than-majority, no error) is not possible as a rounded variance of 60 jobs, and nothing fails
there: 14/19 is 0.7368, which rounds to 0.74. 61.57 (no fairness, reactive FT) is not possible with 60 jobs either;
1170/19 is 61.5789. Both are what is left if the digits behind the second are cut off, while 0.11 = 2/19, 0.32 = 6/19,
38.11 = 724/19 and others are rounded. So the table is rounded in two ways, or these two are misprints.

Of the times only one reading gives 17.64 without fault tolerance: that each number is a duration. The device is gone
from 100 to 1000 s and from 4080 s on, both times with a job in hand. While it is away it keeps the lock of the queue,
and its job is lost. At 1000 s nine jobs wait, and nine devices take one each; then two devices do all work until 4080
s, when the queue is locked for good. That is 14 jobs on each of two workers and one on each of eight, 36 in all: a
variance of 335.2/19 = 17.64. It is also why FAIR says that not all jobs could be finished.

With reactive fault tolerance the same times give 15, 30 and 15 jobs and 1170/19 = 61.58, if the device goes on with
its job when it is back. If its job waits in the queue again it is 61.68, and if it is lost 60.37.

203.67 (no fairness, proactive FT) comes out in no reading that was tried. If what the faulty device takes is there
twice, three devices do about 75 jobs, and the variance is about 92. Even if every job is there twice, jobs spread over
four devices, since one takes longer than the time until the next comes: about 128. For 203.67 two devices would need
some 45 jobs or more each. By the last table the sum has to be one of 65, 75, 78, 82, 85, 95, 98 and so on.

91.95 (worst, proactive FT) is possible with 70 executions and then not before 90, 0.99 (worse-than-majority) with 68
or 72 and not with 60 to 67, 2.85 (equal-or-worse-than-majority) with 66 or 74. So at least ten, eight and six jobs
were processed twice there. 0.63 (not-best) and 0.11 (worse-than-average) are possible with 60 or 80: none was, or
twenty were. Here the faulty device takes two or three jobs with a strategy that is even, and each of them is processed
twice; so what FAIR takes to be unstable cannot have been the faulty device alone.

Equal charges give 0, 0 and 0.32 where nothing fails, as FAIR has them, and 0.11 for 'not-best' and
'worse-than-average' with reactive FT. Without fault tolerance they give 0.26, with 59 jobs, where FAIR has 0.11, which
needs 60: in FAIR's world the faulty device had no job in hand at 100 s with these strategies, and with no fairness it
had. So another device was the best there, and charges differed.

What FAIR says of the columns holds with no fairness: it gains from the fault without fault tolerance, as others take
over, and is less even with proactive FT. 'worst' scatters so much between worlds that it says nothing.

Roost's nodes do as FAIR's without a strategy: two of twenty do all. With 'not-best' they are as even as FAIR's. The
other strategies are less even, because in Roost whoever leaves a job loses no place: contests go by name here. An
unstable device gets only what nobody else wants, so with proactive fault tolerance two others do all, and nothing is
done twice. No job waits for a gossip round, and none is lost when a device leaves.
"""
)


def _uneven(one: Outcome) -> float:
    return variance(one.processed) or 0.0


def _average(found: Sequence[Outcome]) -> Average:
    return average([_uneven(one) for one in found])


def _rows(found: Mapping[tuple[str, str], Sequence[Outcome]]) -> list[Row]:
    rows = []
    for (name, column), worlds in found.items():
        measured = _average(worlds)
        rows.append(
            Row(
                what=f"{name}, {column}",
                published=PUBLISHED[name][COLUMNS.index(column)],
                reproduced=measured.mean,
                error=measured.error,
                tolerance=round(measured.reach + _LAST_DIGIT, 2),
                reading="charges differ: the mean of several worlds; FAIR's is taken to be one world, which is within "
                "the tolerance with 95 %",
            )
        )
    return rows


def _rows_of_equal(found: Mapping[tuple[str, str], Sequence[Outcome]]) -> list[Row]:
    return [
        Row(
            what=f"{name}, {column}, equal charges",
            published=PUBLISHED[name][COLUMNS.index(column)],
            reproduced=_uneven(worlds[0]),
            tolerance=_LAST_DIGIT,
            reading=f"all begin with the same charge: one world, {sum(worlds[0].processed)} jobs processed",
        )
        for (name, column), worlds in found.items()
    ]


def _laid_out(title: str, found: Mapping[tuple[str, str], Sequence[Outcome]], of: Callable[[Outcome], float]) -> Table:
    def mean(name: str, column: str) -> float:
        worlds = found[name, column]
        return round(sum(of(one) for one in worlds) / len(worlds), 2)

    rows: list[tuple[float | str, ...]] = [(name, *(mean(name, column) for column in COLUMNS)) for name in NAMES]
    return Table(title=title, columns=("strategy", *COLUMNS), rows=tuple(rows))


def _of_readings(parameters: Parameters, seed: int, results: Results) -> Table:
    rows: list[tuple[float | str, ...]] = [("as published", *(PUBLISHED[name][0] for name in NAMES))]
    for reading in READINGS:
        worlds = [results.of(_reading(parameters, seed, name, reading)) for name in NAMES]
        found = [_average(one) for one in worlds]
        rows.append((reading, *(f"{one.mean:.2f} ± {one.error:.2f}" for one in found)))
    return Table(title="Variance without errors, by reading", columns=("reading", *NAMES), rows=tuple(rows))


def _times_there_are() -> list[str]:
    return [times for times in FAULTY if times != "none"]


def _of_times(parameters: Parameters, seed: int, results: Results) -> Table:
    rows: list[tuple[float | str, ...]] = [("as published", "", *PUBLISHED[NONE][1:], "")]
    for times in _times_there_are():
        for fate in _FATES:
            found = [results.of(cell)[0] for cell in _by_times(parameters, seed, times, fate)]
            rows.append((times, fate, *(round(_uneven(one), 2) for one in found)))
    return Table(
        title="Variance with no fairness, by what the times mean and what becomes of the job in hand",
        columns=("times are", "the job is", *COLUMNS[1:], "proactive FT, every job twice"),
        rows=tuple(rows),
    )


def _of_roosts_columns() -> tuple[str, ...]:
    return ("no error", "proactive FT", "reactive FT")


def _in_roost(parameters: Parameters, seed: int, results: Results) -> Table:
    rows: list[tuple[float | str, ...]] = []
    for name in NAMES:
        found = [results.of(_of_roost(parameters, seed, name, column)) for column in _of_roosts_columns()]
        uneven = [round(_average(worlds).mean, 2) for worlds in found]
        response_s = round(sum(one.response_s for one in found[0]) / len(found[0]), 1)
        rows.append((name, *uneven, response_s))
    return Table(
        title="Roost's own policy in the same world: variance, and response time without errors",
        columns=("strategy", *_of_roosts_columns(), "response in s"),
        rows=tuple(rows),
    )


def _possible() -> Table:
    """Return with which numbers of jobs each published figure is possible."""
    rows: list[tuple[float | str, ...]] = []
    for name, figures in PUBLISHED.items():
        for column, figure in zip(COLUMNS, figures, strict=True):
            by_both = [possible_sums(figure, _WORKERS, divisor, _LOOKED_AT) for divisor in (_DIVISOR, _WORKERS)]
            cut = possible_sums(figure, _WORKERS, _DIVISOR, _LOOKED_AT, is_cut=True)
            told = (", ".join(map(str, sums)) or "none" for sums in (by_both[0], cut, by_both[1]))
            rows.append((f"{name}, {column}", figure, *told))
    return Table(
        title=f"With how many jobs in all, from {_LOOKED_AT[0]} to {_LOOKED_AT[-1]}, a published variance is possible",
        columns=("figure", "published", "divisor 19, rounded", "divisor 19, cut off", "divisor 20, rounded"),
        rows=tuple(rows),
    )


def _figure(found: Mapping[tuple[str, str], Sequence[Outcome]]) -> Figure:
    def panel(name: str) -> Panel:
        measured = [_average(found[name, column]) for column in COLUMNS]
        return Panel(
            title=name,
            x=Axis("fault tolerance"),
            y=Axis("variance of jobs per worker"),
            series=(
                Series(
                    name="reproduced",
                    kind="bars",
                    x=COLUMNS,
                    y=tuple(one.mean for one in measured),
                    error=tuple(one.error for one in measured),
                ),
                Series(name="published", kind="points", x=COLUMNS, y=PUBLISHED[name], is_reference=True),
            ),
        )

    return Figure(
        title="Variance of jobs per worker in the presence of faults", panels=tuple(map(panel, NAMES)), columns=3
    )


EXPERIMENT: Final = Experiment(
    about="Twenty workers share 60 jobs in groups of ten; one of them goes off line, comes back and leaves for good. "
    "Asked is how even the numbers of jobs are, without errors, without fault tolerance, and with proactive and "
    "reactive fault tolerance, for each strategy and for none. The readings that the document leaves open stand beside "
    "each other.",
    full=Parameters(),
    quick=Parameters(repetitions=2),
    cells=cells,
    report=report,
)
