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
    KeysNoted,
    LivesHeard,
    NeighboursMet,
    ResultsStored,
    RunFinished,
    RunForgotten,
    RunMerged,
    StatesMerged,
    StoryTold,
    TaskAdded,
    VoteKept,
    Worked,
)
from roost.model.limits import FAILURE_TEXT_MAX, KIB
from roost.model.task import Function, TaskSpec
from roost.runtime.journal.recent import RECENT_ELEMENTS_MAX

#: A number and the facts that are written under it, all or none.
Ticket: TypeAlias = tuple[int, tuple[Fact, ...]]

_FACTS_MAX = 32
_PAYLOAD_BYTES_MAX = 64 * KIB
#: Ranges, edges and names in one fact.
_PARTS_MAX = 64


class Promises:
    """The tickets that count as written and are not yet. They are looked at one by one as they come, and only once."""

    def __init__(self) -> None:
        self.tickets: list[Ticket] = []
        self._facts = 0
        self._payload_bytes = 0

    def take(self, tickets: Sequence[Ticket]) -> bool:
        """Add these if all are certain to fit, and what a lease wants of them is in memory meanwhile; else none."""
        facts = [fact for _, facts in tickets for fact in facts]
        if self._facts + len(facts) > _FACTS_MAX:
            return False
        payload_bytes = self._payload_bytes
        for fact in facts:
            if isinstance(fact, ItemsStored | ResultsStored):
                payload_bytes += len(fact.segment.payload)
            if payload_bytes > _PAYLOAD_BYTES_MAX or not _is_plain(fact):
                return False
        self.tickets += tickets
        self._facts += len(facts)
        self._payload_bytes = payload_bytes
        return True


def _is_plain(fact: Fact) -> bool:
    match fact:
        case StatesMerged(delta=delta):
            return delta.range_count <= _PARTS_MAX
        case StoryTold(ranges=ranges):
            return ranges.range_count <= _PARTS_MAX
        case TaskAdded(spec=spec):
            return _is_plain_task(spec)
        case RunMerged(record=record):
            return len(record.spec.final) <= _PARTS_MAX
        case FailureNoted(failure=failure):
            return failure.size <= FAILURE_TEXT_MAX
        case KeysNoted():
            return False
        case ItemsStored(segment=segment) | ResultsStored(segment=segment):
            return segment.count <= RECENT_ELEMENTS_MAX
        case RunFinished() | Worked():
            return True
        case NeighboursMet(nodes=nodes):
            return len(nodes) <= _PARTS_MAX
        case BlobStored() | VoteKept() | LivesHeard() | RunForgotten():
            return False


def _is_plain_task(spec: TaskSpec) -> bool:
    # A command brings its arguments and environment, which may be long.
    parts = len(spec.edges) + spec.elements.range_count
    return isinstance(spec.work, Function) and parts <= _PARTS_MAX
