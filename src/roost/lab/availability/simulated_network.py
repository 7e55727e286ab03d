"""A simulated cluster whose nodes are away for a time: what the closed form is compared with (HTC 3.3.1).

Nodes come and go by themselves, with times that are exponential or Weibull of the same means. Operations are asked for
at any moment, by each node that is there, as in the document, or by clients that are no nodes; one is right if enough
copies are there. The availability of an object is the share of its operations that are right, and that of the cluster
the average over its objects, interval by interval after a warm-up.

All sizes of groups and levels are looked at in one history of the same operations.
"""

from collections.abc import Mapping
from typing import Literal, TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from roost.lab.availability.consistency import asked
from roost.lab.availability.objects import copies_on, number_of, shares_of
from roost.lab.worlds.lifetimes import of_mean

Floats: TypeAlias = NDArray[np.float64]
Whole: TypeAlias = NDArray[np.int64]


class NetworkTrial(msgspec.Struct, frozen=True, kw_only=True):
    seed: int
    up_s: float
    down_s: float
    #: Of Weibull distributions, there and away; both 1 are exponential ones.
    shapes: tuple[float, float] = (1.0, 1.0)
    #: Of Zipf's law; 0: all objects are asked for alike.
    zipf: float = 0.0
    #: Operations per second and node.
    io_rate: float = 0.1
    #: Who asks: the nodes that are there, or clients elsewhere as often as if all were.
    askers: Literal["nodes", "clients"] = "nodes"
    nodes: int = 30
    objects: int = 300
    replicas: tuple[int, ...] = (3, 5, 7)
    levels: tuple[str, ...] = ("ONE", "QUORUM", "ALL")
    intervals: int = 20
    interval_s: float = 1000.0
    warm_up_s: float = 5000.0


class NetworkSeen(msgspec.Struct, frozen=True):
    #: By "3 QUORUM" and so on: the availability of the cluster in each interval.
    availability: Mapping[str, tuple[float, ...]]
    #: How long nodes were there and away on average, by what could be seen: the model is given these (HTC 3.3.1).
    up_s: float
    down_s: float


class _History:
    """When nodes come and go: between two changes, one column for each."""

    def __init__(self, trial: NetworkTrial, rng: np.random.Generator) -> None:
        self.until_s = trial.warm_up_s + trial.intervals * trial.interval_s
        self._ups: list[Floats] = []
        self._downs: list[Floats] = []
        times, whose = [], []
        for node in range(trial.nodes):
            changes = self._changes(trial, rng)
            times.append(changes)
            whose.append(np.full(len(changes), node))
        moments, nodes = np.concatenate(times), np.concatenate(whose)
        order = np.argsort(moments, kind="stable")
        self.changes_s: Floats = moments[order]
        flips = np.zeros((trial.nodes, len(moments) + 1), dtype=np.int64)
        flips[nodes[order], np.arange(1, len(moments) + 1)] = 1
        #: Whether a node is there: by node, and by how many changes there were before.
        self.there: NDArray[np.bool_] = np.cumsum(flips, axis=1) % 2 == 0

    def _changes(self, trial: NetworkTrial, rng: np.random.Generator) -> Floats:
        """Return the moments at which a node goes, comes, goes and so on; it is there in the beginning."""
        ups, downs = of_mean(trial.up_s, trial.shapes[0]), of_mean(trial.down_s, trial.shapes[1])
        drawn: list[Floats] = []
        reached = 0.0
        while reached < self.until_s:
            count = int((self.until_s - reached) / (trial.up_s + trial.down_s)) + 8
            spans = np.empty(2 * count)
            spans[0::2] = ups.scale_s * rng.weibull(ups.shape, count)
            spans[1::2] = downs.scale_s * rng.weibull(downs.shape, count)
            drawn.append(spans)
            reached += float(spans.sum())
        spans = np.concatenate(drawn)
        changes = np.cumsum(spans)
        within = int(np.searchsorted(changes, self.until_s))
        self._ups.append(spans[:within][0::2])
        self._downs.append(spans[:within][1::2])
        return changes[:within]

    @property
    def means_s(self) -> tuple[float, float]:
        return float(np.concatenate(self._ups).mean()), float(np.concatenate(self._downs).mean())


def try_network(trial: NetworkTrial) -> NetworkSeen:
    """Live through a cluster's history, and return how available its objects were."""
    rng = np.random.default_rng(number_of("network", trial))
    history = _History(trial, rng)
    rate = trial.io_rate * trial.nodes
    moments = rng.uniform(trial.warm_up_s, history.until_s, rng.poisson(rate * trial.intervals * trial.interval_s))
    phases: Whole = np.searchsorted(history.changes_s, moments)
    if trial.askers == "nodes":
        asking = history.there[rng.integers(trial.nodes, size=len(moments)), phases]
        moments, phases = moments[asking], phases[asking]
    objects = rng.choice(trial.objects, size=len(moments), p=shares_of(trial.objects, trial.zipf))
    firsts = rng.permutation(trial.objects)[objects] % trial.nodes
    intervals = ((moments - trial.warm_up_s) // trial.interval_s).astype(np.int64).clip(0, trial.intervals - 1)
    cells = intervals * trial.objects + objects
    found = {}
    for replicas in trial.replicas:
        copies = np.array([copies_on(first, replicas, trial.nodes) for first in range(trial.nodes)])
        there = history.there[copies].sum(axis=1)[firsts, phases]
        for level in trial.levels:
            found[f"{replicas} {level}"] = _averages(trial, cells, there >= asked(level, replicas))
    return NetworkSeen(found, *history.means_s)


def _averages(trial: NetworkTrial, cells: Whole, right: NDArray[np.bool_]) -> tuple[float, ...]:
    """Return for each interval the average over its objects of the share of operations that were right."""
    size = trial.intervals * trial.objects
    all_of = np.bincount(cells, minlength=size).reshape(trial.intervals, trial.objects)
    right_of = np.bincount(cells, weights=right, minlength=size).reshape(trial.intervals, trial.objects)
    return tuple(float((r[a > 0] / a[a > 0]).mean()) for r, a in zip(right_of, all_of, strict=True))
