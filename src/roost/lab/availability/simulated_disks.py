"""A simulated cluster whose nodes lose their data: what the absorbing chains are compared with (HTC 3.3.2).

A node whose disk fails is away, boots, and is back without data. Every read of an object with a copy that is there
mends its other copies that are there; anti-entropy repair of a group ends after a time that is exponential, and counts
if all of its nodes are there. It ends when nobody has data of any object. Nodes may be away for a time as well, with
their data.

What is read is asked of one copy (ONE): of any that is not known to be away, as the models have it, or of one that is
there. A read is right if that copy has the data. The availability of an object is the share of right reads until its
data is lost, and that of the cluster the average over its objects. An object that is lost soon counts there as much as
one that lasts, so the share of all reads that are right, which the models tell of, is given beside it.
"""

from bisect import bisect
from collections.abc import Callable
from heapq import heappop, heappush
from itertools import accumulate
from random import Random
from typing import Final, Literal

import msgspec

from roost.lab.availability.objects import copies_on, number_of, shares_of
from roost.lab.experiment import Cell, Results
from roost.lab.worlds.lifetimes import draw, of_mean

#: A cluster that has not lost everything by then has a history too long to be lived through.
UNTIL_S: Final = 1e7
#: So many clusters are lived through in one cell.
BATCH: Final = 5


class DiskTrial(msgspec.Struct, frozen=True, kw_only=True):
    seed: int
    replicas: int
    #: Until a disk fails, and until its node is back, without the time to boot.
    up_s: float
    down_s: float
    shapes: tuple[float, float] = (1.0, 1.0)
    boot_s: float = 0.0
    anti_entropy_s: float
    #: Nodes are there and away for a time as well; 0: never away.
    network_up_s: float = 0.0
    network_down_s: float = 0.0
    zipf: float = 0.0
    #: Reads per second and node.
    io_rate: float = 1.0
    askers: Literal["nodes", "clients"] = "nodes"
    #: Which copy is asked: any that is not known to be away, or one that is there.
    asks: Literal["any", "there"] = "any"
    nodes: int = 30
    objects: int = 300


class DiskSeen(msgspec.Struct, frozen=True):
    availability: float
    #: The share of all reads that were right.
    right: float
    #: Over the objects: the mean time until the data of one was lost.
    mttf_s: float
    #: How long nodes worked and were away on average, by what was seen until all was lost: the model is given these.
    up_s: float
    down_s: float


class _Cluster:
    def __init__(self, trial: DiskTrial) -> None:
        self._trial = trial
        self._rng = Random(number_of("disks", trial))
        groups = [copies_on(first, trial.replicas, trial.nodes) for first in range(trial.nodes)]
        self._groups_of = [
            [first for first, group in enumerate(groups) if node in group] for node in range(trial.nodes)
        ]
        firsts = self._rng.sample(range(trial.objects), trial.objects)
        self._first_of = [first % trial.nodes for first in firsts]
        self._objects_of: list[list[int]] = [[] for _ in range(trial.nodes)]
        for one, first in enumerate(self._first_of):
            self._objects_of[first].append(one)
        everybody = (1 << trial.nodes) - 1
        #: Bits of nodes: those that are there, those that are away with data, and for each group and object who has it.
        self._there, self._absent = everybody, 0
        self._members = [sum(1 << node for node in group) for group in groups]
        self._has = [self._members[first] for first in self._first_of]
        self._left = trial.objects
        self._reads, self._right = [0] * trial.objects, [0] * trial.objects
        self._lost_s = [0.0] * trial.objects
        self._events: list[tuple[float, int, Callable[[float, int], None], int]] = []
        self._count = 0
        #: Since when each node has worked; of all, the time at work, the time away, and how often work ended.
        self._since = [0.0] * trial.nodes
        self._up_s = self._down_s = 0.0
        self._deaths = 0

    def run(self) -> DiskSeen:
        trial, rng = self._trial, self._rng
        for node in range(trial.nodes):
            self._work(0.0, node)
            self._stay(0.0, node)
            self._after(0.0, rng.expovariate(1 / trial.anti_entropy_s), self._repair, node)
        self._after(0.0, self._until_read(), self._read, 0)
        self._cumulated = list(accumulate(shares_of(trial.objects, trial.zipf)))
        while self._left and self._events and self._events[0][0] < UNTIL_S:
            now, _, event, node = heappop(self._events)
            event(now, node)
        shares = [right / reads for right, reads in zip(self._right, self._reads, strict=True) if reads]
        last_s = max(self._lost_s)
        up_s = self._up_s + sum(last_s - self._since[at] for at in range(trial.nodes) if self._there >> at & 1)
        return DiskSeen(
            sum(shares) / len(shares),
            sum(self._right) / sum(self._reads),
            sum(self._lost_s) / trial.objects,
            up_s / self._deaths,
            self._down_s / self._deaths,
        )

    def _after(self, now: float, delay_s: float, event: Callable[[float, int], None], node: int) -> None:
        self._count += 1
        heappush(self._events, (now + delay_s, self._count, event, node))

    # Disks.

    def _work(self, now: float, node: int) -> None:
        self._since[node] = now
        self._after(now, draw(of_mean(self._trial.up_s, self._trial.shapes[0]), self._rng), self._die, node)

    def _die(self, now: float, node: int) -> None:
        bit = 1 << node
        if self._absent & bit:
            # Disks fail while they are used. An exponential time that begins anew is as good as one that has waited.
            self._up_s += now - self._since[node]
            self._work(now, node)
            return
        self._up_s += now - self._since[node]
        self._deaths += 1
        self._there &= ~bit
        for first in self._groups_of[node]:
            for one in self._objects_of[first]:
                if self._has[one] == bit:
                    self._left -= 1
                    self._lost_s[one] = now
                self._has[one] &= ~bit
        away_s = draw(of_mean(self._trial.down_s, self._trial.shapes[1]), self._rng)
        self._down_s += away_s
        self._after(now, away_s + self._trial.boot_s, self._revive, node)

    def _revive(self, now: float, node: int) -> None:
        self._there |= 1 << node
        self._work(now, node)

    # The network.

    def _stay(self, now: float, node: int) -> None:
        if self._trial.network_up_s:
            self._after(now, self._rng.expovariate(1 / self._trial.network_up_s), self._go, node)

    def _go(self, now: float, node: int) -> None:
        bit = 1 << node
        if not self._there & bit:
            self._stay(now, node)
            return
        self._there &= ~bit
        self._absent |= bit
        self._after(now, self._rng.expovariate(1 / self._trial.network_down_s), self._come, node)

    def _come(self, now: float, node: int) -> None:
        bit = 1 << node
        if self._absent & bit:
            self._absent &= ~bit
            self._there |= bit
        self._stay(now, node)

    # Repairs and reads.

    def _repair(self, now: float, first: int) -> None:
        self._after(now, self._rng.expovariate(1 / self._trial.anti_entropy_s), self._repair, first)
        members = self._members[first]
        if members & self._there == members:
            for one in self._objects_of[first]:
                if self._has[one]:
                    self._has[one] = members

    def _read(self, now: float, _: int) -> None:
        self._after(now, self._until_read(), self._read, 0)
        trial, rng = self._trial, self._rng
        if trial.askers == "nodes" and not self._there >> rng.randrange(trial.nodes) & 1:
            return
        one = min(bisect(self._cumulated, rng.random()), trial.objects - 1)
        if not self._has[one]:
            return
        members = self._members[self._first_of[one]]
        there = members & self._there
        having = self._has[one] & there
        asked = there if trial.asks == "there" else members & ~self._absent
        self._reads[one] += 1
        self._right[one] += bool(asked) and rng.randrange(asked.bit_count()) < having.bit_count()
        if having:
            self._has[one] |= there

    def _until_read(self) -> float:
        return self._rng.expovariate(self._trial.io_rate * self._trial.nodes)


class Repeated(msgspec.Struct, frozen=True):
    """Clusters that differ in their seeds: this one and those after it."""

    trial: DiskTrial
    times: int


def try_often(repeated: Repeated) -> tuple[DiskSeen, ...]:
    """Live through several clusters."""
    first = repeated.trial.seed
    seeds = range(first, first + repeated.times)
    return tuple(try_disks(msgspec.structs.replace(repeated.trial, seed=seed)) for seed in seeds)


def cells_of(label: str, trial: DiskTrial, times: int, cost: float) -> list[Cell[tuple[DiskSeen, ...]]]:
    """Return the cells in which a cluster is lived through so often, a few times each."""
    cells = []
    for done in range(0, times, BATCH):
        repeated = Repeated(msgspec.structs.replace(trial, seed=trial.seed * times + done), min(BATCH, times - done))
        cells.append(Cell(f"{label}, from {done + 1}", try_often, repeated, cost * repeated.times))
    return cells


def runs_of(results: Results, cells: list[Cell[tuple[DiskSeen, ...]]]) -> list[DiskSeen]:
    """Return what came out of such cells."""
    return [run for cell in cells for run in results.of(cell)]


def try_disks(trial: DiskTrial) -> DiskSeen:
    """Live until a cluster has lost everything, and return how available its objects were."""
    return _Cluster(trial).run()
