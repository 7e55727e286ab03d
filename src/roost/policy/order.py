"""Which task goes first: interactive before low, first come first served inside a class, and nothing starves.

Ageing (LAN 2.2.3) is folded into one number that never changes: an interactive task counts as if it had been submitted
AGEING_S earlier. So it overtakes every low one, except those that have waited that much longer.

What a running element hands in goes before what is left of that element's own task: the element waits for it, and one
that is about to end is better than another that begins to wait.
"""

import math
from typing import TypeAlias

from roost.model.clock import Stamp
from roost.model.ids import TaskId
from roost.model.task import Priority, TaskSpec

#: How long a low task waits before newer interactive ones no longer overtake it. Longer: interactive work is never
#: delayed by old batches. Shorter: batches finish sooner beside a stream of interactive work.
AGEING_S = 600.0

OrderKey: TypeAlias = tuple[int, Stamp, TaskId]


def order_key(task: TaskSpec, latest_s: float = math.inf) -> OrderKey:
    """Return the task's place in the queue: smaller goes first, alike on every node.

    A task that says to have been submitted after ``latest_s``, because a clock was wrong, counts as submitted then.
    """
    turn_ms = _turn(task.submitted.wall_ms, task.priority) if task.turn_ms is None else task.turn_ms
    if task.submitted.wall_ms > latest_s * 1000:
        turn_ms = min(turn_ms, _turn(int(latest_s * 1000), task.priority) - task.nesting)
    return (turn_ms, task.submitted, task.id)


def _turn(submitted_ms: int, priority: Priority) -> int:
    """Return when it is the turn of what was submitted then."""
    return submitted_ms - (int(AGEING_S * 1000) if priority is Priority.INTERACTIVE else 0)


def turn_within(submitted: Stamp, priority: Priority, waiting: TaskSpec) -> int:
    """Return when it is the turn of what an element of ``waiting`` handed in: before that of ``waiting`` itself."""
    return min(_turn(submitted.wall_ms, priority), order_key(waiting)[0] - 1)
