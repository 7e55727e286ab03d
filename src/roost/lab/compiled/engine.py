"""A world of nodes that come and go, compiled: the plain world of worlds/published.py, a hundred times as fast.

It is only allowed because tests show that both have the same executions in the same worlds, for each policy. Nothing is
simulated that finds nothing: an idle node does not look at an empty queue; when something waits again, the instant at
which it would have looked is worked out.
"""

import math

from roost.lab.compiled.compiling import compiled
from roost.lab.compiled.executions import becomes_idle, is_idle_no_more, stops
from roost.lab.compiled.lives import stay_s
from roost.lab.compiled.looking import call_contest, has_become_idle, hold_contest, look, something_waits
from roost.lab.compiled.scores import remembers
from roost.lab.compiled.state import AWAY, IDLE, RUNS, State
from roost.lab.compiled.turns import enters, plan
from roost.lab.compiled.waiting import first_waits, put_first


@compiled
def live(s: State) -> None:
    """Live through a world until all tasks have been done or dropped."""
    world = s.world[0]
    world.left = len(s.tasks)
    world.head_task = -1
    world.contest_at = math.inf
    first_waits(s)
    for number in range(len(s.nodes)):
        enters(s, number)
    for number in range(len(s.nodes)):
        _comes(s, number)
    while world.left > 0:
        world.events += 1
        _step(s)
    for number in range(len(s.nodes)):
        node = s.nodes[number]
        if node.doing != AWAY:
            node.online_s += world.now - node.since


@compiled
def _step(s: State) -> None:
    """Let happen what comes first: an aborted task is seen again, a node acts, or a contest is held."""
    world = s.world[0]
    number = s.tree[1]
    node = s.nodes[number]
    if world.returning > 0 and s.tasks[world.first_return].return_at <= min(node.next_at, world.contest_at):
        _returns(s)
    elif world.contest_at < node.next_at:
        world.now = world.contest_at
        hold_contest(s)
    else:
        world.now = node.next_at
        if node.doing == AWAY:
            _comes(s, number)
        elif node.acts_at >= node.changes_at:
            _goes(s, number)
        elif node.doing == RUNS:
            _ends_well(s, number)
        else:
            look(s, number)


@compiled
def _returns(s: State) -> None:
    """An aborted task is seen again."""
    world = s.world[0]
    task = s.tasks[world.first_return]
    world.now = task.return_at
    world.first_return = (world.first_return + 1) % len(s.tasks)
    world.returning -= 1
    put_first(s, task.returning)
    something_waits(s)


@compiled
def _comes(s: State, number: int) -> None:
    world, node = s.world[0], s.nodes[number]
    node.since = world.now
    node.changes_at = world.now + stay_s(world.seed, number, node.turn, node.up_scale, node.up_shape)
    node.turn += 1
    becomes_idle(s, number)
    has_become_idle(s, number)


@compiled
def _goes(s: State, number: int) -> None:
    world, node = s.world[0], s.nodes[number]
    stayed = world.now - node.since
    node.online_s += stayed
    if world.first_stay_counts or node.turn > 1:
        remembers(s, number, stayed)
    node.changes_at = world.now + stay_s(world.seed, number, node.turn, node.away_scale, node.away_shape)
    node.turn += 1
    doing = node.doing
    if doing == IDLE:
        is_idle_no_more(s, number)
    node.doing = AWAY
    plan(s, number, math.inf, 0)
    if doing == RUNS:
        _aborts(s, number)
    else:
        # It may have been the one that would have looked first.
        something_waits(s)


@compiled
def _aborts(s: State, number: int) -> None:
    """A node that ran a task is gone."""
    world, node = s.world[0], s.nodes[number]
    task_number = node.task
    task = s.tasks[task_number]
    node.aborted += 1
    task.tries += 1
    stops(s, number, 0)
    if task.tries >= world.attempts_max:
        task.is_dropped = 1
        world.dropped += 1
        _leaves(s, task_number)
    elif task.copies > 0:
        call_contest(s)
    elif world.unseen_s > 0:
        last = s.tasks[(world.first_return + world.returning) % len(s.tasks)]
        last.returning, last.return_at = task_number, world.now + world.unseen_s
        world.returning += 1
    else:
        put_first(s, task_number)
        something_waits(s)


@compiled
def _ends_well(s: State, number: int) -> None:
    task = s.nodes[number].task
    s.nodes[number].finished += 1
    stops(s, number, 1)
    becomes_idle(s, number)
    _leaves(s, task)
    has_become_idle(s, number)


@compiled
def _leaves(s: State, task_number: int) -> None:
    """A task has ended; so do all other executions of it."""
    s.world[0].left -= 1
    task = s.tasks[task_number]
    task.ended_at = s.world[0].now
    if task.copies == 0:
        return
    for other in range(len(s.nodes)):
        if s.nodes[other].doing == RUNS and s.nodes[other].task == task_number:
            stops(s, other, 0)
            becomes_idle(s, other)
            has_become_idle(s, other)
