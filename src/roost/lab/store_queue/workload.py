"""The work of HTC 2.5: when tasks come, and how long they are.

HTC says that its generator draws when tasks come and how long they are, and not from which distributions. Here they
come as a Poisson process. Of lengths there are two readings: uniform up to the longest, or skewed as lengths of real
jobs are, with many short ones and few long ones. The skewed ones are exponential with a third of the longest as mean,
and what would be longer than the longest is drawn again, which leaves a mean of 28 % of the longest.

What "load" is has two readings. HTC writes "tasks/second per node". With tasks of 75 s on average, 0.2 of them a second
would be fifteen times what a node can do; table 2.4 has 20 % there. So the load of that table is the work that comes,
divided by what the nodes can do. The two are the same where tasks last a second on average, as those of "2 s at most".
"""

import math
from random import Random
from typing import Literal, NamedTuple, TypeAlias

#: What a load of 1 means: as much work as the nodes can do, or a task a second for each of them.
LoadMeans: TypeAlias = Literal["share of capacity", "tasks a second"]
Lengths: TypeAlias = Literal["uniform", "skewed"]
#: The mean of the exponential that is cut off, by the longest.
SKEWED_MEAN = 1 / 3
#: So many tasks for each node (HTC 2.5).
TASKS_PER_NODE = 20


class Arrival(NamedTuple):
    at_s: float
    length_s: float


class Kind(NamedTuple):
    """What work there is."""

    nodes: int
    load: float
    longest_s: float
    lengths: Lengths = "uniform"
    means: LoadMeans = "share of capacity"

    @property
    def mean_s(self) -> float:
        """How long tasks are on average."""
        if self.lengths == "uniform":
            return self.longest_s / 2
        return self.longest_s * (SKEWED_MEAN - 1 / math.expm1(1 / SKEWED_MEAN))

    @property
    def tasks_per_s(self) -> float:
        by_node = self.load / self.mean_s if self.means == "share of capacity" else self.load
        return by_node * self.nodes

    def draw_length_s(self, rng: Random) -> float:
        chance = rng.random()
        if self.lengths == "uniform":
            return chance * self.longest_s
        # The inverse of the distribution that is left when what is too long is drawn again.
        return -self.longest_s * SKEWED_MEAN * math.log1p(chance * math.expm1(-1 / SKEWED_MEAN))


def draw_work(kind: Kind, rng: Random) -> list[Arrival]:
    """Return the tasks of one run, in the order in which they come."""
    work, now = [], 0.0
    for _ in range(TASKS_PER_NODE * kind.nodes):
        now += rng.expovariate(kind.tasks_per_s)
        work.append(Arrival(now, kind.draw_length_s(rng)))
    return work
