"""Runs of the queue of HTC 2.5, several of one kind together: what a cell of the experiment is."""

from collections.abc import Callable, Sequence
from random import Random
from statistics import fmean, stdev

import msgspec
from scipy.special import stdtrit

from roost.lab.store_queue.measures import Outcome, measured
from roost.lab.store_queue.store import StoreTimes
from roost.lab.store_queue.workload import Kind, Lengths, LoadMeans, draw_work
from roost.lab.store_queue.world import Claim, QueueTimes, World


class Setting(msgspec.Struct, frozen=True, kw_only=True):
    """What is run, and how often."""

    nodes: int
    load: float
    longest_s: float
    claim: Claim = "table"
    runs: int
    seed: int
    lengths: Lengths = "skewed"
    means: LoadMeans = "share of capacity"
    queue: QueueTimes = QueueTimes()
    store: StoreTimes = StoreTimes()


class Average(msgspec.Struct, frozen=True):
    mean: float
    #: Half of the interval of 95 % around it; 0 of a single run.
    error: float


def runs_of(setting: Setting) -> tuple[Outcome, ...]:
    """Run a setting as often as it says. All kinds of claims meet the same work."""
    return tuple(_run(setting, at) for at in range(setting.runs))


def average(outcomes: Sequence[Outcome], measure: Callable[[Outcome], float]) -> Average:
    """Return the mean of a measure over all runs."""
    values = [measure(outcome) for outcome in outcomes]
    count = len(values)
    error = float(stdtrit(count - 1, 0.975)) * stdev(values) / count**0.5 if count > 1 else 0.0
    return Average(fmean(values), error)


def _run(setting: Setting, at: int) -> Outcome:
    kind = Kind(setting.nodes, setting.load, setting.longest_s, setting.lengths, setting.means)
    name = f"{'/'.join(map(str, kind))}/{setting.seed}/{at}"
    work = draw_work(kind, Random(f"work/{name}"))
    world = World(setting.nodes, work, setting.claim, setting.queue, setting.store, f"store/{name}")
    return measured(setting.nodes, [arrival.at_s for arrival in work], world.run())
