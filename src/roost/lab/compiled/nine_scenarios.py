"""The nine scenarios of HTC 4.4.1 with several policies and repetitions: what is run, and averages of what came out."""

import math
import statistics
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import msgspec
from scipy.special import stdtrit

from roost.lab.compiled.scenario_runs import KINDS, Asked, Measured, cell_of
from roost.lab.experiment import Cell, Count, Positive, Results
from roost.lab.worlds.lifetimes import Model
from roost.lab.worlds.scenarios import SYSTEMS

#: As the document draws them: systems from above, workloads from the left.
SCENARIOS: Final = tuple((system, workload) for system in SYSTEMS for workload in KINDS)
#: The policies of figure 4.4, and those that remain in figures 4.5 to 4.7 (HTC 4.5.2).
ALL_POLICIES: Final = ("fcfs", "wqr-2", "wqr-4", "wqr-fa-2", "wqr-fa-4", "fr", "ec", "bfc", "egc", "bfgc", "bfgce")
SHOWN_POLICIES: Final = ("fcfs", "wqr-4", "wqr-fa-4", "fr", "bfgc")
#: Half of what is outside of an interval of 95 %.
_OUTSIDE: Final = 0.025


class Size(msgspec.Struct, frozen=True):
    """How large the worlds of an experiment are. HTC's have 1000 nodes, 1e9 s of work, and 20 repetitions."""

    nodes: Count = 1000
    work_s: Positive = 1e9
    repetitions: Count = 20


FULL: Final = Size()
#: A tenth of the nodes with as much work for each: make-spans are about the same, and scatter more.
QUICK: Final = Size(100, 1e8, 3)
#: Where times at the head of the queue are looked at, which depend on how many nodes there are.
QUICK_LARGE: Final = Size(1000, 1e9, 3)


class Average(NamedTuple):
    mean: float
    #: The standard error of the mean.
    error: float
    #: Of how many values it is the mean.
    values: int

    @property
    def interval(self) -> float:
        """Half of the interval of 95 %, by Student's distribution."""
        return float(stdtrit(max(self.values - 1, 1), 1 - _OUTSIDE)) * self.error

    @property
    def tolerance(self) -> float:
        """By how much an average of 20 repetitions elsewhere differs by chance at most, 19 times in 20."""
        return self.interval * math.sqrt(1 + self.values / FULL.repetitions)


def average(values: Sequence[float]) -> Average:
    error = statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else 0.0
    return Average(statistics.fmean(values), error, len(values))


class Nine(NamedTuple):
    """What an experiment asks, and where to find what came out."""

    size: Size
    seed: int
    model: Model = Model.EXPONENTIAL

    def asked(self, policy: str, system: str, workload: str, **other: Any) -> list[Asked]:
        """Return the repetitions of one scenario with one policy."""
        return [
            Asked(
                policy=policy,
                system=system,
                workload=workload,
                seed=1000 * self.seed + repetition,
                model=self.model,
                nodes=self.size.nodes,
                work_s=self.size.work_s,
                **other,
            )
            for repetition in range(self.size.repetitions)
        ]

    def cells(self, policies: Sequence[str]) -> list[Cell[Measured]]:
        return [
            cell_of(asked)
            for system, workload in SCENARIOS
            for policy in policies
            for asked in self.asked(policy, system, workload)
        ]

    def found(self, results: Results, policy: str, system: str, workload: str, **other: Any) -> list[Measured]:
        return [results.of(cell_of(asked)) for asked in self.asked(policy, system, workload, **other)]

    def mean(
        self, results: Results, policy: str, scenario: tuple[str, str], of: Callable[[Measured], float]
    ) -> Average:
        return average([of(one) for one in self.found(results, policy, *scenario)])


def make_span(one: Measured) -> float:
    return one.make_span_s


def make_span_999(one: Measured) -> float:
    return one.make_span_999_s


def reduction(base: Average, other: Average) -> Average:
    """Return by how many percent the other one is shorter."""
    share = other.mean / base.mean
    error = share * math.hypot(base.error / base.mean, other.error / other.mean) if other.mean else 0.0
    return Average(100 * (1 - share), 100 * error, min(base.values, other.values))
