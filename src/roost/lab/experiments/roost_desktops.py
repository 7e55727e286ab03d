"""All policies on desktop grids whose machines come and go as fits of measured ones do."""

from collections.abc import Callable, Iterator, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple, TypeAlias

import msgspec

from roost.lab.experiment import Cell, Experiment, Report, Results, Row, Table
from roost.lab.figure import Axis, Figure, Panel, Series
from roost.lab.worlds.desktops import LENGTHS, Average, Lived, Trial, average, lives_of
from roost.lab.worlds.populations import NAMES, Day, Family, Knobs
from roost.model.errors import InvalidInput
from roost.policy.catalogue import DEFAULT_POLICY, POLICIES
from roost.sim.lifetimes import read_stays

Positive: TypeAlias = Annotated[float, msgspec.Meta(gt=0)]
Count: TypeAlias = Annotated[int, msgspec.Meta(ge=1)]
_BASE: Final = "fcfs"
_PERCENT: Final = 100.0


class Parameters(msgspec.Struct, frozen=True, kw_only=True):
    nodes: Count
    tasks_per_node: Count
    seeds: Annotated[int, msgspec.Meta(ge=2)]
    populations: tuple[str, ...] = NAMES
    workloads: tuple[str, ...] = tuple(LENGTHS)
    policies: tuple[str, ...] = tuple(POLICIES)
    #: Which of the fits of the measured populations is drawn from.
    family: Family = "weibull"
    #: Of the population called knobs; scales in hours.
    up_shape: Positive = Knobs().up_shape
    up_scale: Positive = Knobs().up_scale
    down_shape: Positive = Knobs().down_shape
    down_scale: Positive = Knobs().down_scale
    #: Of the population called office: a file as ``roost sim --churn`` reads it, or nothing for the one that is built
    #: in; and how many seconds one second of it stands for.
    trace: str = ""
    trace_second_s: Positive = 60.0

    def knobs(self) -> Knobs:
        return Knobs(
            family=self.family,
            up_shape=self.up_shape,
            up_scale=self.up_scale,
            down_shape=self.down_shape,
            down_scale=self.down_scale,
        )

    def day(self) -> Day:
        text = _text_of(self.trace) if self.trace else _built_in()
        machines: dict[str, list[tuple[float, float]]] = {}
        for stay in read_stays(text):
            scaled = stay.begins * self.trace_second_s, stay.ends * self.trace_second_s
            machines.setdefault(stay.machine, []).append(scaled)
        period_s = max(ends_s for stays in machines.values() for _, ends_s in stays)
        return Day(tuple(tuple(sorted(stays)) for stays in machines.values()), period_s)


def _built_in() -> str:
    return files("roost.lab.worlds").joinpath("office_day.trace").read_text(encoding="utf-8")


def _text_of(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"--set trace={path}: it cannot be read ({error}); name a text file") from None


class Trials(NamedTuple):
    """The cells of an experiment; a report asks for the results of the same ones."""

    parameters: Parameters
    seed: int
    day: Day

    def cell(self, population: str, workload: str, policy: str) -> Cell[tuple[Lived, ...]]:
        own = self.parameters
        trial = Trial(
            population=population,
            workload=workload,
            policy=policy,
            nodes=own.nodes,
            tasks_per_node=own.tasks_per_node,
            seeds=own.seeds,
            seed=self.seed,
            # Nothing else depends on these, so that what is kept of other populations stays good.
            knobs=own.knobs() if population != "office" else Knobs(),
            day=self.day if population == "office" else Day((), 1.0),
        )
        slow = 3.0 if policy == DEFAULT_POLICY else 1.0
        cost = slow * own.seeds * own.nodes * own.tasks_per_node * (1 + LENGTHS[workload]) / 10_000
        return Cell(f"{population}, {workload}, {policy}", lives_of, trial, cost)

    def bags(self) -> Iterator[tuple[str, str]]:
        for population in self.parameters.populations:
            for workload in self.parameters.workloads:
                yield population, workload


class Found(NamedTuple):
    trials: Trials
    results: Results

    def lives(self, bag: tuple[str, str], policy: str) -> Sequence[Lived]:
        return self.results.of(self.trials.cell(*bag, policy))

    def mean(self, bag: tuple[str, str], policy: str, measure: Callable[[Lived], float]) -> Average:
        return average([measure(life) for life in self.lives(bag, policy)])

    def against(self, bag: tuple[str, str], policy: str, other: str) -> Average:
        """Return by how many percent a policy's make-span is above that of another, seed by seed."""
        pairs = zip(self.lives(bag, policy), self.lives(bag, other), strict=True)
        return average([_PERCENT * (one.make_span / two.make_span - 1) for one, two in pairs])

    def best(self, bag: tuple[str, str], policies: Sequence[str]) -> str:
        return min(policies, key=lambda policy: self.mean(bag, policy, _make_span).mean)


def _make_span(life: Lived) -> float:
    return life.make_span


def _trials(parameters: Parameters, seed: int) -> Trials:
    for words, known, what in (
        (parameters.populations, NAMES, "population"),
        (parameters.workloads, tuple(LENGTHS), "workload"),
        (parameters.policies, tuple(POLICIES), "policy"),
    ):
        for word in words:
            if word not in known:
                raise InvalidInput(f"there is no {what} {word!r}; there are {', '.join(known)}")
    return Trials(parameters, seed, parameters.day())


def cells(parameters: Parameters, seed: int) -> Sequence[Cell[Any]]:
    trials = _trials(parameters, seed)
    return [trials.cell(*bag, policy) for bag in trials.bags() for policy in parameters.policies]


def report(parameters: Parameters, seed: int, results: Results) -> Report:
    found = Found(_trials(parameters, seed), results)
    return Report(
        rows=tuple(_rows(found)),
        figures=tuple(_figures(found)),
        tables=tuple(_table(found, bag) for bag in found.trials.bags()),
        findings=tuple(_findings(found)),
    )


def _rows(found: Found) -> Iterator[Row]:
    yield from ()


def _figures(found: Found) -> Iterator[Figure]:
    yield from ()


def _findings(found: Found) -> Iterator[str]:
    yield from ()


def _table(found: Found, bag: tuple[str, str]) -> Table:
    return Table(title="", columns=(), rows=())


EXPERIMENT = Experiment(about="", full=Parameters(nodes=40, tasks_per_node=20, seeds=20), quick=Parameters(nodes=16, tasks_per_node=8, seeds=2), cells=cells, report=report)
