"""What HTC 2.5 measures of a run: bounded slowdown (2.2), utilisation, scheduling time and collisions."""

from collections.abc import Sequence
from statistics import fmean, stdev

import msgspec

#: Tasks that are shorter count as if they were as long as this, so that very short ones do not outweigh all others.
SHORT_S = 10.0


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """One run. Shares are between 0 and 1."""

    #: Until the last execution has ended, the mean of all nodes and the deviation among them.
    utilisation: float
    deviation: float
    #: The same until the last task has come: without the end, when ever fewer nodes have anything to do.
    utilisation_while_tasks_come: float
    slowdown: float
    scheduling_s: float
    #: The share of the tasks that more than one worker has executed.
    collisions: float
    #: Executions beyond the first of a task, by the number of tasks.
    in_vain: float


class Execution(msgspec.Struct, frozen=True):
    worker: int
    task: int
    began_s: float
    ended_s: float
    #: How long its worker needed from looking at the queue until it began.
    scheduling_s: float


def bounded_slowdown(waited_s: float, length_s: float) -> float:
    """Return how many times as long as by itself a task has taken, from being inserted until it has ended (2.2)."""
    return max(1.0, (waited_s + length_s) / max(SHORT_S, length_s))


def measured(nodes: int, inserted_s: Sequence[float], executions: Sequence[Execution]) -> Outcome:
    """Return the measures of a run; each task has been executed at least once."""
    by_task: dict[int, list[Execution]] = {}
    for execution in executions:
        by_task.setdefault(execution.task, []).append(execution)
    first = [min(own, key=lambda one: one.began_s) for own in by_task.values()]
    slowdowns = [bounded_slowdown(one.began_s - inserted_s[one.task], one.ended_s - one.began_s) for one in first]
    until_end = _shares(nodes, executions, max(one.ended_s for one in executions))
    return Outcome(
        utilisation=fmean(until_end),
        deviation=stdev(until_end) if nodes > 1 else 0.0,
        utilisation_while_tasks_come=fmean(_shares(nodes, executions, inserted_s[-1])),
        slowdown=fmean(slowdowns),
        scheduling_s=fmean(one.scheduling_s for one in executions),
        collisions=sum(len(own) > 1 for own in by_task.values()) / len(by_task),
        in_vain=len(executions) / len(by_task) - 1,
    )


def _shares(nodes: int, executions: Sequence[Execution], until_s: float) -> list[float]:
    """Return for each node which share of the time it has executed something."""
    busy = [0.0] * nodes
    for one in executions:
        busy[one.worker] += max(min(one.ended_s, until_s) - one.began_s, 0.0)
    return [seconds / until_s for seconds in busy]
