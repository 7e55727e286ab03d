"""Who gets what: nodes that look at the queue one by one, and contests of all that are idle (policy/choose.py)."""

import math

from roost.lab.compiled.compiling import compiled
from roost.lab.compiled.executions import execute
from roost.lab.compiled.lives import chance
from roost.lab.compiled.scores import score_of
from roost.lab.compiled.state import ALL, LATEST, LONGEST, NUMBER, OWN, RUNS, State
from roost.lab.compiled.turns import plan
from roost.lab.compiled.waiting import queued, take_out


@compiled
def has_become_idle(s: State, number: int) -> None:
    """A node has come, or has ended something."""
    world = s.world[0]
    if world.contests:
        plan(s, number, math.inf, 0)
        call_contest(s)
    elif queued(s) == 0:
        plan(s, number, math.inf, 0)
    else:
        plan(s, number, _next_look(s, number) if world.looks == ALL else world.now, 1)


@compiled
def something_waits(s: State) -> None:
    """A task waits that did not, or whoever would have taken it is gone."""
    if s.world[0].contests:
        call_contest(s)
    elif queued(s) > 0:
        _wake_first(s)


@compiled
def look(s: State, number: int) -> None:
    """A node takes the head of the queue, if there is one."""
    if queued(s) == 0:
        plan(s, number, math.inf, 0)
        return
    task = s.queue[s.world[0].head]
    take_out(s, task)
    execute(s, number, task)
    something_waits(s)


@compiled
def _next_look(s: State, number: int) -> float:
    """Return when an idle node looks the next time, now at the earliest."""
    world = s.world[0]
    base = s.nodes[number].idle_since if world.looks == OWN else 0.0
    return base + math.ceil((world.now - base) / world.poll_s) * world.poll_s


@compiled
def _wake_first(s: State) -> None:
    """Plan for the node that looks first; nobody else would find anything, so nobody else needs to look."""
    world = s.world[0]
    best, best_at, best_rank = -1, math.inf, math.inf
    for place in range(world.idle):
        number = s.nodes[place].idle
        at = _next_look(s, number)
        rank = _rank(s, number, place)
        if at < best_at or (at == best_at and rank < best_rank):
            best, best_at, best_rank = number, at, rank
    if best >= 0:
        plan(s, best, best_at, 1)


@compiled
def _rank(s: State, number: int, place: int) -> float:
    """Return where a node comes among those that look at the same instant, the smallest first."""
    order = s.world[0].order
    if order == LATEST:
        return float(-place)
    if order == LONGEST:
        return float(place)
    return float(number) if order == NUMBER else chance(s.world[0].seed + 2, number, s.world[0].executions)


@compiled
def call_contest(s: State) -> None:
    """There is somebody idle and something to do, or there may be: hold a contest when the window is over."""
    world = s.world[0]
    if world.idle > 0 and (queued(s) > 0 or world.copies_max > 1):
        at = world.now + world.window_s
        if world.looks == ALL and world.window_s > 0:
            at = math.ceil(world.now / world.poll_s) * world.poll_s
        world.contest_at = min(world.contest_at, at)


@compiled
def hold_contest(s: State) -> None:
    """Let all that are idle choose until each has what nobody else bids better for, and then begin."""
    world = s.world[0]
    world.contest_at = math.inf
    count = world.idle
    if queued(s) > 0:
        _ask_all(s, count)
        # Whoever was asked stands there in the order in which they were.
        for at in range(count):
            number = s.nodes[at].asking
            task = s.nodes[number].task
            if task >= 0:
                take_out(s, task)
                execute(s, number, task)
    if world.copies_max > 1 and queued(s) == 0:
        _repeat_all(s)
    elif queued(s) > 0:
        call_contest(s)


@compiled
def _in_order(s: State, count: int) -> None:
    """Write down who is asked: those that are idle, in the order in which they are served."""
    for place in range(count):
        s.nodes[place].asking = s.nodes[place].idle if s.world[0].order == LONGEST else s.nodes[count - 1 - place].idle


@compiled
def _ask_all(s: State, count: int) -> None:
    _in_order(s, count)
    for at in range(count):
        # Who is beaten asks at once again, which may beat another, until nobody is beaten.
        number = s.nodes[at].asking
        while number >= 0:
            task, score = _choice(s, number)
            if task < 0:
                break
            beaten = s.tasks[task].bidder
            s.tasks[task].best_bid, s.tasks[task].bidder = score, number
            s.nodes[number].task = task
            if beaten >= 0:
                s.nodes[beaten].task = -1
            number = beaten


@compiled
def _choice(s: State, number: int) -> tuple[int, float]:
    """Return what a node bids for, and its score; -1 if it could win nothing."""
    world = s.world[0]
    seen, best, best_score = 0, -1, math.inf
    for at in range(world.head, len(s.queue)):
        number_of_task = s.queue[at]
        task = s.tasks[number_of_task]
        score = score_of(s, number, number_of_task)
        if task.best_bid <= score:
            continue
        if seen == 0 and (world.group == 1 or task.skipped >= world.skips):
            return number_of_task, score
        if best < 0 or score < best_score:
            best, best_score = number_of_task, score
        seen += 1
        if seen == world.group:
            break
    return best, best_score


@compiled
def _repeat_all(s: State) -> None:
    """Let nodes with nothing to do repeat what others run, what has the fewest copies first."""
    count = s.world[0].idle
    _in_order(s, count)
    for at in range(count):
        number = s.nodes[at].asking
        task = _repeatable(s, number)
        if task < 0:
            break
        execute(s, number, task)


@compiled
def _repeatable(s: State, number: int) -> int:
    """Return what a node repeats: of tasks with the fewest copies the one with which it is luckiest; -1 if none."""
    world = s.world[0]
    best, fewest, luck = -1, world.copies_max, 2.0
    for other in range(len(s.nodes)):
        if s.nodes[other].doing == RUNS:
            task = s.nodes[other].task
            copies = s.tasks[task].copies
            if copies < world.copies_max and copies <= fewest:
                mine = chance(world.seed + 1, task, number)
                if copies < fewest or mine < luck:
                    best, fewest, luck = task, copies, mine
    return best
