"""Promises: which tickets are so small and plain that they are sure to fit into the room set aside for them.

A call of a function and its result are; whatever else is not plain is written before anybody goes on from it.
"""

from collections.abc import Sequence
from typing import TypeAlias

from roost.core.facts import (
    BlobStored,
    Fact,
    FailureNoted,
    ItemsStored,
    NeighboursMet,
    ResultsStored,
    RunFinished,
    RunMerged,
    StatesMerged,
    StoryTold,
    TaskAdded,
)
from roost.model.limits import FAILURE_TEXT_MAX, KIB
from roost.model.segments import Segment
from roost.model.task import Function, TaskSpec
from roost.runtime.recent import RECENT_ELEMENTS_MAX

#: A number and the facts that are written under it, all or none.
Ticket: TypeAlias = tuple[int, tuple[Fact, ...]]

_FACTS_MAX = 32
_PAYLOAD_BYTES_MAX = 64 * KIB
#: Ranges, edges and names in one fact.
_PARTS_MAX = 64


def are_plain(tickets: Sequence[Ticket]) -> bool:
    """Whether these tickets are certain to fit, and all that a lease wants of them is in memory meanwhile."""
    facts = [fact for _, facts in tickets for fact in facts]
    if len(facts) > _FACTS_MAX:
        return False
    segments = [fact.segment for fact in facts if isinstance(fact, ItemsStored | ResultsStored)]
    return _are_light(segments) and all(map(_is_plain, facts))


def _are_light(segments: list[Segment]) -> bool:
    size = sum(len(segment.payload) for segment in segments)
    return size <= _PAYLOAD_BYTES_MAX and all(segment.count <= RECENT_ELEMENTS_MAX for segment in segments)


def _is_plain(fact: Fact) -> bool:
    match fact:
        case StatesMerged(delta=delta):
            return sum(ranges.range_count for _, ranges in delta.items()) <= _PARTS_MAX
        case StoryTold(ranges=ranges):
            return ranges.range_count <= _PARTS_MAX
        case TaskAdded(spec=spec):
            return _is_plain_task(spec)
        case RunMerged(record=record):
            return len(record.spec.final) <= _PARTS_MAX
        case FailureNoted(failure=failure):
            return len(failure.reason) + len(failure.detail) <= FAILURE_TEXT_MAX
        case ItemsStored() | ResultsStored() | RunFinished():
            return True
        case NeighboursMet(nodes=nodes):
            return len(nodes) <= _PARTS_MAX
        case BlobStored():
            return False


def _is_plain_task(spec: TaskSpec) -> bool:
    # A command brings its arguments and environment, which may be long.
    parts = len(spec.edges) + spec.elements.range_count
    return isinstance(spec.work, Function) and parts <= _PARTS_MAX
