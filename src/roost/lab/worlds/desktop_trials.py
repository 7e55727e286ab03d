"""The trials of roost-desktops, and what came out of them: policies beside each other, seed by seed."""

from collections.abc import Callable, Iterator, Sequence
from statistics import fmean, stdev
from typing import Final, NamedTuple

import msgspec
from scipy.special import stdtrit

from roost.lab.experiment import Cell, Results
from roost.lab.worlds.desktops import LENGTHS, Lived, Trial, lives_of
from roost.lab.worlds.populations import Day, Knobs
from roost.policy.catalogue import DEFAULT_POLICY

PERCENT: Final = 100.0
#: The default looks at more, and takes about so many times as long.
_DEFAULT_TAKES: Final = 3.0


class Bag(NamedTuple):
    """A population and what it has to do."""

    population: str
    workload: str

    @property
    def name(self) -> str:
        return f"{self.population}, {self.workload}"


class Average(NamedTuple):
    mean: float
    #: Half of the interval of 95 % around it.
    error: float

    @property
    def is_clear(self) -> bool:
        """Whether it differs from 0 by more than chance explains."""
        return abs(self.mean) > self.error


def average(values: Sequence[float]) -> Average:
    """Return the mean of two values or more."""
    count = len(values)
    return Average(fmean(values), float(stdtrit(count - 1, 0.975)) * stdev(values) / count**0.5)


class Trials(msgspec.Struct, frozen=True, kw_only=True):
    """All that is tried; a report asks for the results of the same cells."""

    populations: tuple[str, ...]
    workloads: tuple[str, ...]
    policies: tuple[str, ...]
    nodes: int
    tasks_per_node: int
    seeds: int
    seed: int
    knobs: Knobs
    day: Day

    def bags(self) -> Iterator[Bag]:
        for population in self.populations:
            for workload in self.workloads:
                yield Bag(population, workload)

    def cells(self) -> Iterator[Cell[tuple[Lived, ...]]]:
        for bag in self.bags():
            for policy in self.policies:
                yield self.cell(bag, policy)

    def cell(self, bag: Bag, policy: str) -> Cell[tuple[Lived, ...]]:
        trial = Trial(
            population=bag.population,
            workload=bag.workload,
            policy=policy,
            nodes=self.nodes,
            tasks_per_node=self.tasks_per_node,
            seeds=self.seeds,
            seed=self.seed,
            knobs=self.knobs,
            # No other population depends on it, and what is kept of them stays good if it changes.
            day=self.day if bag.population == "office" else Day((), 1.0),
        )
        takes = _DEFAULT_TAKES if policy == DEFAULT_POLICY else 1.0
        cost = takes * self.seeds * self.nodes * self.tasks_per_node * (1 + LENGTHS[bag.workload]) / 10_000
        return Cell(f"{bag.name}, {policy}", lives_of, trial, cost)


class Found(NamedTuple):
    trials: Trials
    results: Results

    def lives(self, bag: Bag, policy: str) -> Sequence[Lived]:
        return self.results.of(self.trials.cell(bag, policy))

    def mean(self, bag: Bag, policy: str, measure: Callable[[Lived], float]) -> Average:
        return average([measure(life) for life in self.lives(bag, policy)])

    def later(self, bag: Bag, policy: str, other: str) -> Average:
        """Return by how many percent a policy's make-span is longer than that of another, seed by seed."""
        pairs = zip(self.lives(bag, policy), self.lives(bag, other), strict=True)
        return average([PERCENT * (one.make_span / two.make_span - 1) for one, two in pairs])

    def by_make_span(self, bag: Bag, policies: Sequence[str]) -> list[str]:
        """Return policies, the one that is done soonest first."""
        return sorted(policies, key=lambda policy: self.mean(bag, policy, make_span).mean)


def make_span(life: Lived) -> float:
    return life.make_span
