"""What Roost must reach, as checks over the best figures of one run.

A target that names another tool is judged against that tool in the same run. Where the tool is not installed, its
figure as recorded on a 2-core machine stands in, and the verdict says so.
"""

from collections.abc import Mapping
from dataclasses import dataclass

Best = Mapping[str, Mapping[str, float]]
"""The best figure of each peer for each measure; `idle_cpu` holds the processor seconds of the idle ones."""

RECORDED = {
    ("bulk", "ray"): 1_210.0,
    ("single", "ray"): 1_200.0,
    ("commands", "spawn-2"): 1_680.0,
    ("latency", "ray"): 2.7,
    ("latency", "parsl"): 2.4,
    ("chains", "ray"): 290.0,
    ("chain", "ray"): 496.0,
    ("fan_in", "ray"): 1_265.0,
}


@dataclass(frozen=True)
class Verdict:
    """One line below a table: what was asked, what came out, and whether it is met (None: not measured)."""

    measure: str
    asked: str
    came: str
    met: bool | None


@dataclass(frozen=True)
class TimesAsFast:
    """At least so many times the rate of another tool."""

    measure: str
    peer: str
    factor: float

    def judge(self, best: Best) -> Verdict:
        """Compare Roost's rate with the other's."""
        asked = f"at least {self.factor:g} times {self.peer}"
        ours = best.get(self.measure, {}).get("roost")
        if ours is None:
            return Verdict(self.measure, asked, "not measured", None)
        theirs, source = _other(best, self.measure, self.peer)
        return Verdict(self.measure, asked, f"{ours / theirs:.2f} times{source}", ours >= self.factor * theirs)


@dataclass(frozen=True)
class BelowPeer:
    """A cost below that of another tool."""

    measure: str
    peer: str

    def judge(self, best: Best) -> Verdict:
        """Compare Roost's cost with the other's."""
        asked = f"below {self.peer}"
        ours = best.get(self.measure, {}).get("roost")
        if ours is None:
            return Verdict(self.measure, asked, "not measured", None)
        theirs, source = _other(best, self.measure, self.peer)
        return Verdict(self.measure, asked, f"{ours:.2f} against {theirs:.2f}{source}", ours < theirs)


@dataclass(frozen=True)
class Below:
    """A cost below a fixed figure."""

    measure: str
    limit: float
    unit: str

    def judge(self, best: Best) -> Verdict:
        """Compare Roost's cost with the figure."""
        asked = f"below {self.limit:g} {self.unit}"
        ours = best.get(self.measure, {}).get("roost")
        if ours is None:
            return Verdict(self.measure, asked, "not measured", None)
        return Verdict(self.measure, asked, f"{ours:.2f} {self.unit}", ours < self.limit)


TARGETS: list[TimesAsFast | BelowPeer | Below] = [
    TimesAsFast("bulk", "ray", 20),
    TimesAsFast("single", "ray", 2),
    TimesAsFast("commands", "spawn-2", 0.8),
    BelowPeer("latency", "parsl"),
    BelowPeer("latency", "ray"),
    TimesAsFast("chains", "ray", 10),
    TimesAsFast("chain", "ray", 5),
    TimesAsFast("fan_in", "ray", 5),
    Below("start", 1.0, "s"),
    Below("idle", 80, "MB"),
    Below("rested", 60, "MB"),
    Below("idle_cpu", 0.1, "CPU s"),
    Below("flat", 1.5, "times the cost in 1,000"),
]


def verdicts(best: Best, measures: set[str]) -> list[Verdict]:
    """Judge the targets of the measures that were taken."""
    return [target.judge(best) for target in TARGETS if target.measure.removesuffix("_cpu") in measures]


def _other(best: Best, measure: str, peer: str) -> tuple[float, str]:
    measured = best.get(measure, {}).get(peer)
    return (RECORDED[measure, peer], " (recorded elsewhere)") if measured is None else (measured, "")
