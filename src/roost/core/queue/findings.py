"""Findings: what each node has found as the result of elements whose results have to agree.

A finding is the key of a result, by which results are compared, and the token under which it was made. They are in no
record and on no disk. Who has made one says so until the element has ended (core/agreement/agreeing.py), so what is
lost with a node costs another attempt and nothing else.

Rules
- A node has one finding at an element, its last one: nobody agrees with itself.
- Findings of another edition or round are of no use: what is counted is always of one.
- Who has made one tells it again and again. What was not told for long is dropped: it cannot be offered any more.
- Keys alone are compared. Whoever makes a result says what matters about it.
- That it failed is a finding, too, with which nothing agrees: else one bad machine could fail an element for all.
"""

import math
from collections import Counter
from collections.abc import Container
from typing import Final, NamedTuple

from roost.model.ids import NodeId, TaskId
from roost.model.ranges import EMPTY, RangeSet
from roost.model.task import Agreement
from roost.model.token import Token

#: The key of what has failed.
FAILED: Final = b""


class Pass(NamedTuple):
    """In which edition and round of an element something was found; a later one makes all before it void."""

    edition: int
    round: int


class Finding(NamedTuple):
    token: Token
    key: bytes
    #: When it was told last; this node's own is always at hand.
    told_at: float = math.inf


class _Element:
    __slots__ = ("at", "by_node")

    def __init__(self, at: Pass) -> None:
        self.at = at
        self.by_node: dict[NodeId, Finding] = {}


class Findings:
    def __init__(self, name: NodeId) -> None:
        self._name = name
        self._known: dict[TaskId, dict[int, _Element]] = {}
        #: What this node has a finding at.
        self._own: dict[TaskId, RangeSet] = {}
        #: How many are known, of all nodes.
        self.size = 0

    def add(self, task: TaskId, index: int, at: Pass, node: NodeId, finding: Finding) -> bool:
        """Note what a node has found; return whether that is news."""
        elements = self._known.setdefault(task, {})
        element = elements.get(index)
        if element is None or element.at < at:
            self._drop(task, index)
            element = elements[index] = _Element(at)
        known = element.by_node.get(node)
        if element.at > at:
            return False
        if known is not None and known.token >= finding.token:
            element.by_node[node] = known._replace(told_at=finding.told_at)
            return False
        self.size += known is None
        element.by_node[node] = finding
        if node == self._name:
            self._own[task] = self._own.get(task, EMPTY) | RangeSet.span(index, index + 1)
        return True

    def expire(self, before: float) -> bool:
        """Drop what was told last before then; return whether there was something."""
        size = self.size
        for elements in self._known.values():
            for index, element in list(elements.items()):
                for node in [node for node, finding in element.by_node.items() if finding.told_at < before]:
                    del element.by_node[node]
                    self.size -= 1
                if not element.by_node:
                    del elements[index]
        return self.size < size

    def of(self, task: TaskId, index: int) -> dict[NodeId, Finding]:
        """Return what is known of an element, by node."""
        element = self._known.get(task, {}).get(index)
        return {} if element is None else element.by_node

    def agreeing(self, task: TaskId, index: int, key: bytes) -> int:
        """Return how many nodes have found this."""
        return sum(finding.key == key != FAILED for finding in self.of(task, index).values())

    def lacking(self, task: TaskId, index: int, agreement: Agreement, living: Container[NodeId]) -> int:
        """Return how many more findings it takes at the least, if all agree with most of those that there are.

        Those of nodes that are gone do not count: nobody can offer them.
        """
        known = [finding.key for node, finding in self.of(task, index).items() if node in living]
        return max(min(agreement.agreeing - most_alike(known), agreement.limit - len(known)), 0)

    def own(self, task: TaskId) -> RangeSet:
        """Return the elements of a task at which this node has a finding that is not decided on."""
        return self._own.get(task, EMPTY)

    def drop(self, task: TaskId, ranges: RangeSet, before: Pass | None = None) -> RangeSet:
        """These elements have ended, or begin ``before`` anew; return those of which something was void by it."""
        known = self._known.get(task, {})
        gone = [index for index in known if index in ranges and (before is None or known[index].at < before)]
        for index in gone:
            self._drop(task, index)
        return RangeSet.of(gone)

    def forget(self, task: TaskId) -> None:
        """A task leaves memory."""
        for index in list(self._known.get(task, ())):
            self._drop(task, index)
        self._known.pop(task, None)

    def _drop(self, task: TaskId, index: int) -> None:
        element = self._known[task].pop(index, None)
        if element is not None:
            self.size -= len(element.by_node)
        own = self._own.get(task, EMPTY) - RangeSet.span(index, index + 1)
        if own:
            self._own[task] = own
        else:
            self._own.pop(task, None)


def most_alike(keys: list[bytes]) -> int:
    """Return how many of these are the same, at most."""
    return max(Counter(key for key in keys if key != FAILED).values(), default=0)
