"""Data on its way to the disk: a lease that needs it is started when it is there to be read.

What was submitted here is on disk before anything of it is ready. What another node sent counts as soon as it is known,
and is written without haste, so that a lease may want it a moment too early.
"""

from collections.abc import Hashable, Iterable, Iterator

from roost.core.facts import BlobStored, Fact, ItemsStored, ResultsStored
from roost.model.ids import NodeId, TaskId
from roost.model.ranges import EMPTY, RangeSet
from roost.model.task import EdgeKind, TaskSpec, blobs_of


class Arriving:
    def __init__(self, me: NodeId) -> None:
        self._me = me
        #: Results that other nodes made, with their tickets.
        self._results: dict[TaskId, list[tuple[int, RangeSet]]] = {}
        #: The last ticket that brings something of each kind of data.
        self._tickets: dict[Hashable, int] = {}

    def note(self, ticket: int, facts: Iterable[Fact]) -> None:
        for fact in facts:
            match fact:
                case ItemsStored(task=task):
                    self._tickets["items", task] = ticket
                case ResultsStored(task=task, node=maker):
                    self._tickets["results", task] = ticket
                    if maker != self._me:
                        self._results.setdefault(task, []).append((ticket, fact.segment.ranges))
                case BlobStored(hash=blob):
                    self._tickets["blob", blob] = ticket
                case _:
                    pass

    def settled(self, ticket: int) -> None:
        """Everything up to this ticket is written, or refused."""
        for task, coming in list(self._results.items()):
            left = [(last, ranges) for last, ranges in coming if last > ticket]
            if left:
                self._results[task] = left
            else:
                del self._results[task]
        if self._tickets:
            self._tickets = {name: last for name, last in self._tickets.items() if last > ticket}

    def results(self, task: TaskId) -> RangeSet:
        """Return the elements of which results that other nodes made are on their way. Own ones are told when there."""
        coming = EMPTY
        for _, ranges in self._results.get(task, ()):
            coming |= ranges
        return coming

    def needed_for(self, spec: TaskSpec) -> int:
        """Return the ticket that must be written before elements of this task can be started; 0 if none."""
        if not self._tickets:
            return 0
        return max((self._tickets.get(name, 0) for name in _inputs(spec)), default=0)


def _inputs(spec: TaskSpec) -> Iterator[Hashable]:
    yield "items", spec.id
    for edge in spec.edges:
        if edge.kind is not EdgeKind.AFTER:
            yield "results", edge.source
    for blob in blobs_of(spec):
        yield "blob", blob
