"""Inventory: which data this node holds itself, and what it lacks to run elements of a task.

Records are everywhere, data is not: inputs, results and functions are on the nodes that made them, on those that keep a
copy, and on those that ran something with them. The core sees ranges and names, never the bytes.

Rules
- Results count for an element only if they were made under the token, and by the node, that its state names.
- An element can be started here when its own input, the results that it needs and the function are all here.
- What another node brought counts from when it is handed to the disk. What a full disk refused is not here, until it
  is handed in again.
"""

from collections.abc import Iterable

import msgspec

from roost.core.holdings import Brought, Holdings
from roost.core.queue.dataflow import needed_results
from roost.core.queue.replica import Replica
from roost.model.ids import BlobHash, NodeId, TaskId
from roost.model.pools import above, below
from roost.model.ranges import EMPTY, RangeSet
from roost.model.states import Done
from roost.model.task import Edge, EdgeKind, TaskSpec, blobs_of
from roost.model.token import Token


class Lacking(msgspec.Struct, frozen=True):
    """What is missing to start elements; everything empty means that nothing is."""

    items: tuple[tuple[TaskId, RangeSet], ...] = ()
    results: tuple[tuple[TaskId, RangeSet], ...] = ()
    blobs: tuple[BlobHash, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.items or self.results or self.blobs)

    def __len__(self) -> int:
        return sum(len(ranges) for _, ranges in (*self.items, *self.results)) + len(self.blobs)


class Inventory:
    def __init__(self, replica: Replica, blobs: Iterable[BlobHash] = ()) -> None:
        self._replica = replica
        self._items: dict[TaskId, RangeSet] = {}
        self._results: dict[TaskId, dict[tuple[Token, NodeId], RangeSet]] = {}
        self._blobs = dict.fromkeys(blobs)
        #: Whether all that this node itself made and was given is here, as far as it knows.
        self.is_whole = True

    def restore(self, holdings: Holdings) -> None:
        self._items[holdings.task] = holdings.items
        self._results[holdings.task] = {(token, node): ranges for token, node, ranges in holdings.results}

    def correct(self, holdings: Holdings) -> None:
        """Some of this data was found damaged; this is what is left."""
        self.is_whole = False
        self.restore(holdings)

    def lose_blob(self, blob: BlobHash) -> None:
        self.is_whole = False
        self._blobs.pop(blob, None)

    def drop(self, task: TaskId) -> None:
        self._items.pop(task, None)
        self._results.pop(task, None)

    def add_items(self, task: TaskId, ranges: RangeSet) -> None:
        self._items[task] = self._items.get(task, EMPTY) | ranges

    def add_results(self, task: TaskId, token: Token, node: NodeId, ranges: RangeSet) -> None:
        held = self._results.setdefault(task, {})
        held[token, node] = held.get((token, node), EMPTY) | ranges

    def add_blob(self, blob: BlobHash) -> None:
        self._blobs[blob] = None

    def add(self, brought: Brought) -> None:
        """This is on its way to the disk, or there."""
        for task, ranges in brought.items:
            self.add_items(task, ranges)
        for task, token, maker, ranges in brought.results:
            self.add_results(task, token, maker, ranges)
        for blob in brought.blobs:
            self.add_blob(blob)

    def take_back(self, brought: Brought) -> None:
        """The disk refused it."""
        for task, ranges in brought.items:
            self._items[task] = self.items(task) - ranges
        for task, token, maker, ranges in brought.results:
            held = self._results.get(task, {})
            held[token, maker] = held.get((token, maker), EMPTY) - ranges
        for blob in brought.blobs:
            self._blobs.pop(blob, None)

    def made(self, task: TaskId, token: Token, node: NodeId) -> RangeSet:
        """Return the results that are here of those that a node made under a token, accepted or not."""
        return self._results.get(task, {}).get((token, node), EMPTY)

    def has_blob(self, blob: BlobHash) -> bool:
        return blob in self._blobs

    def items(self, task: TaskId) -> RangeSet:
        return self._items.get(task, EMPTY)

    def results(self, task: TaskId) -> RangeSet:
        """Return the elements of a task whose accepted results are here."""
        here = EMPTY
        for _, _, ranges in self.accepted(task):
            here |= ranges
        return here

    def accepted(self, task: TaskId) -> tuple[tuple[Token, NodeId, RangeSet], ...]:
        """Return the accepted results that are here, by who made them under which token."""
        here = []
        for state, ranges in self._replica.tasks[task].elements.items() if task in self._results else ():
            if isinstance(state, Done) and (part := ranges & self.made(task, state.token, state.node)):
                here.append((state.token, state.node, part))
        return tuple(here)

    def gone(self, left: Holdings) -> RangeSet:
        """Return the accepted results of a task that count as here, and of which the disk holds no more than this."""
        here = {(token, node): ranges for token, node, ranges in left.results}
        found = EMPTY
        for token, node, ranges in self.accepted(left.task):
            found |= ranges - here.get((token, node), EMPTY)
        return found

    def startable(self, spec: TaskSpec, ranges: RangeSet) -> RangeSet:
        """Return those of the elements that have all they need here."""
        if any(blob not in self._blobs for blob in blobs_of(spec)):
            return EMPTY
        if spec.has_items:
            ranges &= self.items(spec.id)
        for edge in spec.edges:
            if not ranges or edge.kind is EdgeKind.AFTER:
                continue
            needed = needed_results(spec, edge, self._replica.tasks[edge.source], ranges)
            missing = needed - self.results(edge.source)
            if missing:
                ranges -= self._needing(spec, edge, missing, ranges)
        return ranges

    def _needing(self, spec: TaskSpec, edge: Edge, missing: RangeSet, ranges: RangeSet) -> RangeSet:
        """Return which of the elements lack something if these results are missing."""
        levels = spec.depth - self._replica.tasks[edge.source].spec.depth
        match edge.kind:
            case EdgeKind.EACH | EdgeKind.SPREAD:
                return below(missing, levels)
            case EdgeKind.GATHER:
                return above(missing, -levels)
            case _:
                return ranges

    def lacking(self, spec: TaskSpec, ranges: RangeSet) -> Lacking:
        """Return what has to come here before these elements can start."""
        items = ranges - self.items(spec.id) if spec.has_items else EMPTY
        results: dict[TaskId, RangeSet] = {}
        for edge in spec.edges:
            if edge.kind is not EdgeKind.AFTER:
                source = self._replica.tasks[edge.source]
                needed = needed_results(spec, edge, source, ranges)
                missing = (needed & source.done) - self.results(edge.source)
                if missing:
                    results[edge.source] = results.get(edge.source, EMPTY) | missing
        blobs = tuple(blob for blob in blobs_of(spec) if blob not in self._blobs)
        return Lacking(((spec.id, items),) if items else (), tuple(results.items()), blobs)
