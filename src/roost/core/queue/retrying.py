"""Trying again: a person wants what failed, or what was cancelled, to be run once more. What is done stays done.

Rules
- What failed begins another round, with all its retries anew.
- What was cancelled begins another edition, because within one edition a cancellation beats every attempt
  (model/states.py). Nothing was made of it, so that nothing else has to be done again, except for pools: the list
  that a mapper gives this time is another one, so all that its pools had is open again.
- Of a pool only what is known to exist is tried again: the rest may turn out not to.
"""

from roost.core.queue.dataflow import Dataflow
from roost.core.queue.invalidation import Affected, next_edition, reopened
from roost.core.queue.replica import Phase, Replica, TaskEntry
from roost.model.elements import Elements
from roost.model.ids import TaskId
from roost.model.limits import ROUND_MAX
from roost.model.pools import below
from roost.model.ranges import EMPTY, RangeSet
from roost.model.states import Failed, Retried, State


def retried(replica: Replica, dataflow: Dataflow, asked: Affected) -> dict[TaskId, Elements]:
    """Return the states by which these elements are tried again, by task, as far as there is something to try."""
    deltas = {task: _next_round(replica.tasks[task], ranges) for task, ranges in asked.items()}
    stopped = {task: _stopped(replica.tasks[task], part) for task, part in asked.items()}
    affected = _with_pools(replica, dataflow, stopped)
    for task, delta in reopened(replica, affected, next_edition(replica, affected)):
        deltas[task] = deltas.get(task, Elements()).merge(delta)
    return {task: delta for task, delta in deltas.items() if delta}


def _next_round(entry: TaskEntry, ranges: RangeSet) -> Elements:
    states: dict[State, RangeSet] = {}
    for state, part in entry.elements.entries_within(entry.phases[Phase.FAILED] & ranges):
        assert isinstance(state, Failed)
        again = Retried(min(state.round + 1, ROUND_MAX), state.token, state.edition)
        states[again] = states.get(again, EMPTY) | part
    return Elements(states)


def _stopped(entry: TaskEntry, ranges: RangeSet) -> RangeSet:
    return entry.phases[Phase.CANCELLED] & ranges & entry.present


def _with_pools(replica: Replica, dataflow: Dataflow, stopped: Affected) -> Affected:
    affected = {task: ranges for task, ranges in stopped.items() if ranges}
    waiting = list(affected.items())
    while waiting:
        mapper, ranges = waiting.pop()
        for pool in [pool for pool in dataflow.pools(mapper) if replica.tasks[pool].spec.mapper == mapper]:
            blocks = below(ranges) & replica.tasks[pool].spec.elements
            affected[pool] = affected.get(pool, EMPTY) | blocks
            waiting.append((pool, blocks))
    return affected
