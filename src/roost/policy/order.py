"""Which task goes first: interactive before low, first come first served inside a class, and nothing starves.

Ageing (LAN 2.2.3) is folded into one number that never changes: an interactive task counts as if it had been submitted
AGEING_S earlier. So it overtakes every low one, except those that have waited that much longer.
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
    submitted_ms = task.submitted.wall_ms
    if submitted_ms > latest_s * 1000:
        submitted_ms = int(latest_s * 1000)
    head_start_ms = int(AGEING_S * 1000) if task.priority is Priority.INTERACTIVE else 0
    return (submitted_ms - head_start_ms, task.submitted, task.id)
