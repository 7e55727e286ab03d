"""The floor for make-spans: what a scheduler without any overhead does with the same work in the same order.

A list schedule: whenever a lane is free, the first ready task in the order of all tasks begins at once. Roost's order
is interactive before low, and first come first served inside.
"""

import heapq
from collections.abc import Sequence
from typing import NamedTuple


class Workflow(NamedTuple):
    """A chain: each task begins after the one before it."""

    arrives: float
    #: For each task, whether it is interactive.
    interactive: tuple[bool, ...]


def makespans(workflows: Sequence[Workflow], lanes: int, seconds: float) -> list[float]:
    """Return for each workflow the time from its arrival to its end, if every task takes so many seconds.

    Of workflows that arrive at the same time, the one that is named first comes first.
    """
    # What is to come: when a task becomes ready, its workflow, and its place in the chain.
    coming = [(workflow.arrives, number, 0) for number, workflow in enumerate(workflows)]
    heapq.heapify(coming)
    ready: list[tuple[bool, float, int, int]] = []
    free_at = [0.0] * lanes
    ends = [workflow.arrives for workflow in workflows]
    now = 0.0
    while coming or ready:
        now = max(now, free_at[0] if ready else max(free_at[0], coming[0][0]))
        while coming and coming[0][0] <= now:
            _, number, place = heapq.heappop(coming)
            workflow = workflows[number]
            heapq.heappush(ready, (not workflow.interactive[place], workflow.arrives, number, place))
        _, _, number, place = heapq.heappop(ready)
        end = now + seconds
        heapq.heapreplace(free_at, end)
        ends[number] = end
        if place + 1 < len(workflows[number].interactive):
            heapq.heappush(coming, (end, number, place + 1))
    return [end - workflow.arrives for end, workflow in zip(ends, workflows, strict=True)]
