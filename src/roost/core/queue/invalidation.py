"""Invalidation: a person wants finished steps done again, or has changed an answer (LAN 1.1, manual steps).

Rules
- What was made of the work that is sent back is done again as well, as far as the run has come; other runs keep what
  they took. A pool whose mapper is done again begins anew with all its blocks.
- All of it gets the same edition, which is larger than any that it had (model/states.py). So every node, whatever it
  had heard before, ends with the same: nothing of the earlier editions counts any more.
- What runs of it is stopped, here at once and elsewhere when the word arrives: its inputs are out of date.
"""

from collections.abc import Iterable
from typing import TypeAlias

from roost.core.queue.dataflow import Dataflow
from roost.core.queue.replica import Replica, TaskEntry
from roost.model.elements import Elements
from roost.model.ids import TaskId
from roost.model.limits import EDITION_MAX
from roost.model.pools import above, below
from roost.model.ranges import EMPTY, RangeSet
from roost.model.states import Retried, State
from roost.model.task import Edge, EdgeKind, TaskSpec
from roost.model.token import NO_TOKEN

Affected: TypeAlias = dict[TaskId, RangeSet]


def behind(replica: Replica, dataflow: Dataflow, asked: Iterable[tuple[TaskId, RangeSet]]) -> Affected:
    """Return everything in the same run that was, or would be, made of these elements; not they themselves."""
    found: Affected = {}
    waiting = list(asked)
    while waiting:
        task, ranges = waiting.pop()
        source = replica.tasks[task]
        for name in dataflow.targets(task):
            target = replica.tasks[name]
            if target.spec.run != source.spec.run:
                continue
            news = reached(source.spec, target, ranges) - found.get(name, EMPTY)
            if news:
                found[name] = found.get(name, EMPTY) | news
                waiting.append((name, news))
    return found


def next_edition(replica: Replica, affected: Affected) -> int:
    """Return an edition that is larger than all that these elements have had, as far as there is one."""
    states = (state for task, part in affected.items() for state, _ in _states(replica.tasks[task], part))
    return min(1 + max((state.edition for state in states), default=0), EDITION_MAX)


def reopened(replica: Replica, affected: Affected, edition: int) -> list[tuple[TaskId, Elements]]:
    """Return the states by which these elements are to be done again; those that nobody has touched just wait on."""
    deltas = []
    for task, part in affected.items():
        entry = replica.tasks[task]
        states: dict[State, RangeSet] = {}
        for state, touched in _states(entry, part):
            again = Retried(0, state.token, edition)
            states[again] = states.get(again, EMPTY) | touched
        if entry.spec.is_mapped:
            # The lengths of lists count for pools of their own edition only, so that also the first ones are of this.
            fresh = Retried(0, NO_TOKEN, edition)
            states[fresh] = states.get(fresh, EMPTY) | (part - entry.elements.known())
        if entry.spec.mapper in affected and entry.spec.mapper is not None:
            # The list may become longer: what was behind its end has to be open again.
            blocks = below(affected[entry.spec.mapper]) & part
            token = max((state.token for state in states), default=NO_TOKEN)
            states = {state: ranges - blocks for state, ranges in states.items()}
            states[Retried(0, token, edition)] = states.get(Retried(0, token, edition), EMPTY) | blocks
        delta = Elements(states)
        if delta:
            deltas.append((task, delta))
    return deltas


def reached(source: TaskSpec, target: TaskEntry, ranges: RangeSet) -> RangeSet:
    """Return the elements of a target that get something of these elements of a source."""
    reached = EMPTY
    for edge in target.spec.edges:
        if edge.source == source.id:
            reached |= _over(edge, target, ranges, target.spec.depth - source.depth)
    # What does not exist, or is not known to, stays as it is, unless its very list is made again.
    reached &= target.present
    if target.spec.mapper == source.id:
        reached |= below(ranges)
    return reached & target.spec.elements


def _over(edge: Edge, target: TaskEntry, ranges: RangeSet, inwards: int) -> RangeSet:
    match edge.kind:
        case EdgeKind.EACH | EdgeKind.SPREAD:
            return below(ranges, inwards)
        case EdgeKind.GATHER:
            return above(ranges, -inwards)
        case EdgeKind.ALL | EdgeKind.BROADCAST | EdgeKind.AFTER:
            return target.spec.elements


def _states(entry: TaskEntry, part: RangeSet) -> list[tuple[State, RangeSet]]:
    return entry.elements.entries_within(part)
