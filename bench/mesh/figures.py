"""What a measure gives: figures with their units, and what is asked of them."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Figure:
    """One line of the table. ``below`` and ``at_least`` are targets; a figure without one is for information."""

    name: str
    value: float
    unit: str
    below: float | None = None
    at_least: float | None = None
    #: Everything that was measured for it.
    samples: Sequence[float] = field(default=())

    @property
    def asked(self) -> str:
        if self.below is not None:
            return f"below {self.below:g}"
        return "" if self.at_least is None else f"at least {self.at_least:g}"

    @property
    def met(self) -> bool | None:
        if self.below is not None:
            return self.value < self.below
        return None if self.at_least is None else self.value >= self.at_least


@dataclass(frozen=True)
class Options:
    """How much is done. ``quick`` is for trying the measures: a tenth of everything, which proves nothing."""

    quick: bool
    seconds: float

    def count(self, full: int) -> int:
        return max(2, full // 10) if self.quick else full


def spread(
    name: str, samples: Sequence[float], unit: str, median_below: float | None = None, worst_below: float | None = None
) -> list[Figure]:
    """Return the median, the 95th of 100 and the worst of what was measured."""
    ordered = sorted(samples)
    p95 = ordered[math.ceil(0.95 * len(ordered)) - 1]
    median = statistics.median(ordered)
    return [
        Figure(f"{name}, median of {len(ordered)}", median, unit, below=median_below, samples=samples),
        Figure(f"{name}, p95", p95, unit),
        Figure(f"{name}, worst", ordered[-1], unit, below=worst_below),
    ]
