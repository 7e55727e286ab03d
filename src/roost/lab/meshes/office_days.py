"""LAN's test (5.2.3) on a mesh of Roost's own nodes: chains of tasks of exactly two minutes, handed in at once.

Nodes with one processor each, on a network without loss. Nodes that fail lose their power while they run their first
task, and never come back.
"""

from collections.abc import Sequence
from random import Random
from statistics import fmean
from typing import Final

import msgspec

from roost.lab.meshes.measured import MeasuredMesh, Step
from roost.model.errors import InvalidInput
from roost.sim.hosts import FOREVER, Crash
from roost.sim.plan import machine_names

#: When work is handed in: all nodes know each other long before.
HANDED_IN_S: Final = 5.0
#: When nodes fail: after they have surely begun, and before they have surely ended.
FAIL_S: Final = (1.0, 119.0)


class OfficeDay(msgspec.Struct, frozen=True):
    nodes: int
    #: For each chain, the node that it is handed in to, and for each of its tasks whether it is interactive.
    chains: tuple[tuple[int, tuple[bool, ...]], ...]
    task_s: float
    seed: int
    failing: int = 0


class DayResult(msgspec.Struct, frozen=True):
    #: Averages, in minutes: from handing in to the end, and from the end of the task before to the start.
    make_span_min: float
    wait_min: float
    #: Words to all count once.
    messages: int


def live_through(day: OfficeDay) -> DayResult:
    """Run a test. A wait contains what ran in vain, if a task was begun on a node that failed."""
    if day.failing >= day.nodes:
        raise InvalidInput(f"of {day.nodes} nodes {day.failing} cannot fail, for one has to do the work")
    world = MeasuredMesh(day.nodes, day.seed, crashes=_crashes(day))
    world.mesh.until(HANDED_IN_S)
    runs = [
        world.hand_in(node, [Step(1, day.task_s, interactive) for interactive in chain], as_chain=True)
        for node, chain in day.chains
    ]
    world.work(runs)
    ends = [world.ledger.ends[run] - HANDED_IN_S for run in runs]
    waits = [wait for run in runs for wait in _waits(world, run)]
    return DayResult(fmean(ends) / 60.0, fmean(waits) / 60.0, world.traffic.messages)


def _crashes(day: OfficeDay) -> Sequence[Crash]:
    luck = Random(f"{day.seed}/failing")
    return [
        Crash(HANDED_IN_S + luck.uniform(*FAIL_S), FOREVER, name)
        for name in luck.sample(machine_names(day.nodes), day.failing)
    ]


def _waits(world: MeasuredMesh, run: str) -> list[float]:
    """Return how long each task of a chain waited after the one before it had ended."""
    waits, ready_at = [], HANDED_IN_S
    for task in sorted(task for task in world.ledger.executions if task.startswith(f"{run}/")):
        began_at, ended_at = world.ledger.executions[task][0]
        waits.append(began_at - ready_at)
        ready_at = ended_at
    return waits
