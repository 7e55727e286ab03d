"""Which elements are ready: what each waits for, and what becomes ready when one has ended (model/task.py, EdgeKind).

Rules
- Over EACH and SPREAD an element waits for one element of the source, or for the one in whose block it lies; over
  GATHER for all that lie below it; over all other edges for the whole source.
- What nobody runs has ended as soon as it is ready.
- Of an element that the source does not have nothing is waited for.
"""

from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from typing import Final

from roost.lab.what_if.work import Link, Task
from roost.model.pools import POOL_BLOCK
from roost.model.ranges import RangeSet
from roost.model.task import EdgeKind

_INWARDS: Final = (EdgeKind.EACH, EdgeKind.SPREAD)


class Readiness:
    def __init__(self, tasks: Sequence[Task]) -> None:
        self._tasks = tasks
        self._elements = [task.elements for task in tasks]
        #: How many elements of each task have not ended.
        self._left = [len(elements) for elements in self._elements]
        #: For how many whole tasks each waits, and for how many single elements each element.
        self._whole = [0] * len(tasks)
        self._single: list[dict[int, int]] = [defaultdict(int) for _ in tasks]
        #: Who waits for a task: where it is, and how.
        self._behind: list[list[tuple[int, Link]]] = [[] for _ in tasks]
        for at, task in enumerate(tasks):
            for link in task.links:
                self._behind[link.source].append((at, link))
                self._count(at, link)

    def _count(self, at: int, link: Link) -> None:
        source = self._elements[link.source]
        if link.kind in _INWARDS:
            for element in source:
                for index in self._fed(at, link, element):
                    self._single[at][index] += 1
        elif link.kind is EdgeKind.GATHER:
            for element in source:
                self._single[at][element // POOL_BLOCK**link.pools] += 1
        elif source:
            self._whole[at] += 1

    def _fed(self, at: int, link: Link, element: int) -> RangeSet:
        """Return the elements of a task that one element of a source feeds."""
        if link.kind is EdgeKind.GATHER:
            element //= POOL_BLOCK**link.pools
            return self._elements[at] & RangeSet.span(element, element + 1)
        block = POOL_BLOCK**link.pools
        return self._elements[at] & RangeSet.span(element * block, (element + 1) * block)

    @property
    def left(self) -> int:
        """How many elements that are run have not ended."""
        return sum(left for left, task in zip(self._left, self._tasks, strict=True) if task.is_run)

    def left_of(self, at: int) -> int:
        return self._left[at]

    def first(self) -> list[tuple[int, RangeSet]]:
        """Return what is ready at the beginning; ask once."""
        ready = [(at, self._unhindered(at)) for at in range(len(self._tasks)) if not self._whole[at]]
        return list(self._with_what_follows(deque((at, ranges) for at, ranges in ready if ranges)))

    def ended(self, at: int, index: int) -> list[tuple[int, RangeSet]]:
        """Return what is ready now that an element has ended."""
        return list(self._with_what_follows(deque(self._end(at, index))))

    def _with_what_follows(self, ready: deque[tuple[int, RangeSet]]) -> Iterator[tuple[int, RangeSet]]:
        while ready:
            at, ranges = ready.popleft()
            if self._tasks[at].is_run:
                yield at, ranges
                continue
            for index in ranges:
                ready.extend(self._end(at, index))

    def _unhindered(self, at: int) -> RangeSet:
        single = self._single[at]
        if not single:
            return self._elements[at]
        return self._elements[at] - RangeSet.of(index for index, count in single.items() if count)

    def _end(self, at: int, index: int) -> Iterator[tuple[int, RangeSet]]:
        self._left[at] -= 1
        for behind, link in self._behind[at]:
            if link.kind in _INWARDS or link.kind is EdgeKind.GATHER:
                single = self._single[behind]
                free = []
                for fed in self._fed(behind, link, index):
                    single[fed] -= 1
                    if not single[fed] and not self._whole[behind]:
                        free.append(fed)
                if free:
                    yield behind, RangeSet.of(free)
            elif not self._left[at]:
                self._whole[behind] -= 1
                if not self._whole[behind] and (ranges := self._unhindered(behind)):
                    yield behind, ranges
