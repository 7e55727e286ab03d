"""The queue: tasks in their order, from whose beginning some are taken, and to whose head aborted ones return."""

from roost.lab.compiled.compiling import compiled
from roost.lab.compiled.state import State


@compiled
def queued(s: State) -> int:
    return len(s.queue) - s.world[0].head


@compiled
def first_waits(s: State) -> None:
    """Another task may be the first: from now on it waits at the head."""
    world = s.world[0]
    head = s.queue[world.head] if queued(s) > 0 else -1
    before = world.head_task
    if head == before:
        return
    if before >= 0 and not world.waits_on:
        _waited(s, before)
    if head >= 0 and s.tasks[head].headed_at < 0:
        s.tasks[head].headed_at = world.now
    world.head_task = head


@compiled
def _waited(s: State, number: int) -> None:
    task = s.tasks[number]
    if task.headed_at >= 0:
        task.waited_s += s.world[0].now - task.headed_at
        task.headed_at = -1.0


@compiled
def take_out(s: State, number: int) -> None:
    """Take a task out of the queue, which starts."""
    world = s.world[0]
    first = at = world.head
    while s.queue[at] != number:
        at += 1
    if at > first:
        s.tasks[s.queue[first]].skipped += 1
    while at > first:
        s.queue[at] = s.queue[at - 1]
        at -= 1
    world.head = first + 1
    task = s.tasks[number]
    task.best_bid, task.bidder, task.skipped = float("inf"), -1, 0
    _waited(s, number)
    if world.head_task == number:
        world.head_task = -1
    first_waits(s)


@compiled
def put_first(s: State, number: int) -> None:
    """Put an aborted task at the head of the queue."""
    world = s.world[0]
    world.head -= 1
    s.queue[world.head] = number
    first_waits(s)
