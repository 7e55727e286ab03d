"""Policies on populations of desktop grids: what comes out for one of them, with several seeds.

Rules
- A workload is a bag of tasks whose lengths are uniform from 0 to twice their mean, and that mean is a share of a
  typical stay. So what is long for one population is as long for all.
- All policies meet the same tasks and the same stays.
- The shortest make-span there could be is when all nodes together have been on line for as long as all tasks take. No
  policy could be sooner, for each node runs one task at a time; nor can any reach it, for tasks are not divisible.
"""

from collections.abc import Iterable, Sequence
from random import Random
from typing import Final

import msgspec

from roost.lab.worlds.comparison import policy_of
from roost.lab.worlds.populations import Day, Knobs, nodes_of, typical_stay_s
from roost.lab.worlds.scenarios import Work
from roost.lab.worlds.world import Outcome, World
from roost.model.online import Stretch
from roost.policy.fairness_measures import jains_index, variance

#: The mean length of tasks, by a typical stay.
LENGTHS: Final = {"small": 0.03, "medium": 0.15, "large": 0.5}


class Trial(msgspec.Struct, frozen=True, kw_only=True):
    """What is tried, how often, and with what."""

    population: str
    workload: str
    policy: str
    nodes: int
    tasks_per_node: int
    seeds: int
    seed: int
    knobs: Knobs
    day: Day


class Lived(msgspec.Struct, frozen=True, kw_only=True):
    """One life. Make-spans are multiples of the shortest that there could be."""

    make_span: float
    make_span_999: float
    #: Seconds that were lost, by all the work that there was to do.
    wasted: float
    given_up: int
    #: How evenly nodes were used: Jain's index of what each has done that counted, and of that by its time on line; and
    #: the variance of how many tasks each has done (FAIR 4.1).
    jain: float
    jain_by_time: float
    variance: float


def lives_of(trial: Trial) -> tuple[Lived, ...]:
    """Live through a trial with each of its seeds."""
    return tuple(_life(trial, f"{trial.seed}/{at}") for at in range(trial.seeds))


def _life(trial: Trial, seed: str) -> Lived:
    same = f"{trial.population}/{seed}"
    rng = Random(f"{trial.workload}/{same}")
    mean_s = LENGTHS[trial.workload] * typical_stay_s(trial.population, trial.knobs, trial.day)
    lengths = [rng.uniform(0.0, 2 * mean_s) for _ in range(trial.nodes * trial.tasks_per_node)]
    work = [Work(length_s, length_s) for length_s in lengths]
    nodes = nodes_of(trial.population, trial.nodes, trial.knobs, trial.day, Random(f"hour/{same}"))
    outcome = World(policy_of(trial.policy), nodes, work, same, keeps_pieces=True).run()
    return _measured(outcome, sum(lengths))


def _measured(outcome: Outcome, work_s: float) -> Lived:
    shortest_s = shortest_make_span_s(outcome.online, work_s)
    count = len(outcome.online)
    seconds, tasks = [0.0] * count, [0] * count
    for piece in outcome.pieces:
        if piece.is_done:
            seconds[piece.node] += piece.end_s - piece.begin_s
            tasks[piece.node] += 1
    online_s = [sum(stretch.length_s for stretch in stretches) for stretches in outcome.online]
    shares = [done_s / there_s for done_s, there_s in zip(seconds, online_s, strict=True) if there_s > 0.0]
    return Lived(
        make_span=outcome.make_span_s / shortest_s,
        make_span_999=outcome.make_span_999_s / shortest_s,
        wasted=outcome.wasted_s / work_s,
        given_up=outcome.given_up,
        jain=jains_index(seconds) or 0.0,
        jain_by_time=jains_index(shares) or 0.0,
        variance=variance(tasks) or 0.0,
    )


def shortest_make_span_s(online: Sequence[Iterable[Stretch]], work_s: float) -> float:
    """Return when nodes have been on line together for so long; the end of all stretches if they never are."""
    changes = sorted(
        change for stretches in online for one in stretches for change in ((one.began_s, 1), (one.ended_s, -1))
    )
    now, there, left_s = 0.0, 0, work_s
    for at_s, change in changes:
        if there and left_s <= there * (at_s - now):
            return now + left_s / there
        left_s -= there * (at_s - now)
        now, there = at_s, there + change
    return now
