"""What is measured: one entry a measure, with its unit, its direction and how much of it one round does."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Measure:
    """A figure of the table.

    `seconds` is how long one peer should be busy with it in one round, roughly, or idle: a peer that does a thousand a
    second gets `seconds` thousand to do. `times` is a count for measures that repeat one act instead.
    """

    name: str
    title: str
    unit: str
    higher_is_better: bool
    seconds: float = 0.0
    times: int = 0

    def better(self, figures: list[float]) -> float:
        """Return the best of several figures."""
        return max(figures) if self.higher_is_better else min(figures)

    def advantage(self, ours: float, theirs: float) -> float:
        """Return how many times better ours is: above 1, Roost wins, whatever the unit."""
        over, under = (ours, theirs) if self.higher_is_better else (theirs, ours)
        return over / under if under else float("inf")


MEASURES = [
    Measure("bulk", "No-op functions, handed over in bulk", "functions/s", higher_is_better=True, seconds=2.0),
    Measure("single", "No-op functions, submitted one by one", "functions/s", higher_is_better=True, seconds=2.0),
    Measure("commands", "Commands (/bin/true)", "commands/s", higher_is_better=True, seconds=2.0),
    Measure("latency", "One task, submit to result, median", "ms", higher_is_better=False, times=300),
    Measure("chains", "Chains of four functions", "chains/s", higher_is_better=True, seconds=2.0),
    Measure("chain", "One chain of 10,000 functions", "steps/s", higher_is_better=True, seconds=6.0, times=10_000),
    Measure("fan_in", "10,000 functions, and one that takes all", "functions/s", True, seconds=6.0, times=10_000),
    Measure("start", "From nothing to the first result", "s", higher_is_better=False),
    Measure("idle", "Idle for 20 s: memory (PSS)", "MB", higher_is_better=False, seconds=20.0),
    Measure("rested", "Idle for 70 s: memory (PSS)", "MB", higher_is_better=False, seconds=70.0),
    Measure("flat", "Dearest cost of an element, against that in 1,000", "x", higher_is_better=False),
]

FLAT_SIZES = [1_000, 10_000, 100_000, 1_000_000]


def named(names: str | None) -> list[Measure]:
    """Return the measures of a comma list, in the order of the table; all of them for None."""
    if names is None:
        return MEASURES
    wanted = names.split(",")
    unknown = sorted(set(wanted) - {measure.name for measure in MEASURES})
    if unknown:
        known = ", ".join(measure.name for measure in MEASURES)
        raise SystemExit(f"There is no measure called {unknown[0]!r}; choose from: {known}.")
    return [measure for measure in MEASURES if measure.name in wanted]
