"""What nodes bid with: the formulas of policy/rating.py, of numbers alone. Smaller is better."""

import math
from typing import Any

from roost.lab.compiled.compiling import compiled
from roost.lab.compiled.lives import chance
from roost.lab.compiled.state import BOUND, CHANCE, FAILURE_RATE, FIRST_COME, STAYS_MAX, SURVIVAL, State
from roost.policy.reliability import BOOTSTRAP_RATE, MAX_SCORE


@compiled
def score_of(s: State, number: int, task_number: int) -> float:
    world, node, task = s.world[0], s.nodes[number], s.tasks[task_number]
    if world.score == FIRST_COME:
        return 0.0
    if world.score == CHANCE:
        return chance(world.seed + 1, task_number, number)
    if world.score == BOUND:
        place = s.bound_place[min(node.stays, STAYS_MAX)]
        return -s.shortest[number, place] if place >= 0 else 0.0
    return _by_length(world, node, task)


@compiled
def _by_length(world: Any, node: Any, task: Any) -> float:
    length = task.stated / node.speed
    if world.score == FAILURE_RATE:
        executions = node.finished + node.aborted
        return length * (1 + (node.aborted / executions if executions else 0.0))
    if world.correction != 1.0 and task.tries > 0:
        length *= math.pow(world.correction, float(task.tries))
    rate = node.stays / node.stays_s if node.stays > 0 else BOOTSTRAP_RATE
    survival = math.exp(-rate * length)
    if world.score == SURVIVAL:
        return -survival
    gap = abs(length / (1 / rate) - 1)
    return -min(survival / gap, MAX_SCORE) if gap else -MAX_SCORE


@compiled
def remembers(s: State, number: int, stay: float) -> None:
    """A node puts down how long it was on line."""
    node = s.nodes[number]
    node.stays += 1
    node.stays_s += stay
    shortest = s.shortest
    at = shortest.shape[1] - 1
    if stay >= shortest[number, at]:
        return
    while at > 0 and shortest[number, at - 1] > stay:
        shortest[number, at] = shortest[number, at - 1]
        at -= 1
    shortest[number, at] = stay
