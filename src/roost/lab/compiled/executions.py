"""Executions: how they begin and end, who is idle, and what is left to do."""

from roost.lab.compiled.compiling import compiled
from roost.lab.compiled.state import IDLE, RUNS, State
from roost.lab.compiled.turns import plan


@compiled
def becomes_idle(s: State, number: int) -> None:
    """Put a node behind all that have been idle for longer."""
    world, node = s.world[0], s.nodes[number]
    node.doing = IDLE
    node.idle_since = world.now
    s.nodes[world.idle].idle = number
    world.idle += 1


@compiled
def is_idle_no_more(s: State, number: int) -> None:
    world = s.world[0]
    at = world.idle - 1
    # From the end, where it mostly is.
    while s.nodes[at].idle != number:
        at -= 1
    world.idle -= 1
    while at < world.idle:
        s.nodes[at].idle = s.nodes[at + 1].idle
        at += 1


@compiled
def execute(s: State, number: int, task_number: int) -> None:
    """Let an idle node begin with a task."""
    world, node, task = s.world[0], s.nodes[number], s.tasks[task_number]
    is_idle_no_more(s, number)
    node.doing = RUNS
    node.task, node.began = task_number, world.now
    task.copies += 1
    task.runs += 1
    world.executions += 1
    plan(s, number, world.now + task.length / node.speed, 0)


@compiled
def stops(s: State, number: int, is_done: int) -> None:
    """End the execution of a node, whose result counts or does not."""
    world, node = s.world[0], s.nodes[number]
    task = s.tasks[node.task]
    took = world.now - node.began
    if world.traced < len(s.pieces):
        piece = s.pieces[world.traced]
        piece.node, piece.task, piece.is_done = number, node.task, is_done
        piece.began, piece.ended = node.began, world.now
        world.traced += 1
    if is_done:
        node.useful_s += took
    else:
        node.wasted_s += took
        task.lost_s += took
    task.copies -= 1
    node.task = -1
