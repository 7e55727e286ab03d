"""The nine scenarios of HTC 4.4.1: three systems, by how many nodes are stable, and three workloads, by lengths.

Rules
- A workload is a bag of independent tasks, all of which wait from the beginning. Lengths are uniform within each of
  three kinds, and a workload is four fifths of one of these.
- All workloads are about equally long in sum: as long as all nodes together would take for ``each_s``, were there no
  failures. So that is the shortest make-span there could be.
- What people state is wrong by up to a factor k: a task takes anything from what is stated over k to k times as much
  (HTC 4.6.1).
"""

from collections.abc import Sequence
from random import Random
from typing import Final, NamedTuple

from roost.lab.worlds.lifetimes import Churn, Model, stable, unstable

#: The lengths of small, medium and large tasks, in seconds.
LENGTHS_S: Final = {"small": (1.0, 1500.0), "medium": (1500.0, 6000.0), "large": (6000.0, 25000.0)}
#: The share of the kind that a workload is named after; each of the others has half of the rest.
MAIN_SHARE: Final = 0.8
#: The share of stable nodes.
SYSTEMS: Final = {"stable": 0.9, "mixed": 0.5, "unstable": 0.1}


class Work(NamedTuple):
    """A task of one element."""

    stated_s: float
    #: How long it takes on a node of speed 1.
    length_s: float


class Scenario(NamedTuple):
    system: str
    workload: str
    model: Model

    @property
    def name(self) -> str:
        return f"{self.system} {self.workload}"


SCENARIOS: Final = tuple(
    Scenario(system, workload, model) for model in Model for system in SYSTEMS for workload in LENGTHS_S
)


def nodes_of(scenario: Scenario, count: int) -> list[Churn]:
    """Return the nodes of a system, the stable and the unstable ones mixed, so that no names tell them apart."""
    share = SYSTEMS[scenario.system]
    kinds = stable(scenario.model), unstable(scenario.model)
    return [kinds[0] if int((at + 1) * share + 1e-9) > int(at * share + 1e-9) else kinds[1] for at in range(count)]


def draw_work(workload: str, total_s: float, k: float, rng: Random) -> Sequence[Work]:
    """Return tasks that take ``total_s`` together, as stated; what they really take is wrong by up to ``k``."""
    kinds = list(LENGTHS_S)
    weights = [MAIN_SHARE if kind == workload else (1 - MAIN_SHARE) / 2 for kind in kinds]
    drawn: list[Work] = []
    left_s = total_s
    while left_s > 0:
        stated_s = rng.uniform(*LENGTHS_S[rng.choices(kinds, weights)[0]])
        drawn.append(Work(stated_s, rng.uniform(stated_s / k, stated_s * k)))
        left_s -= stated_s
    return drawn
