"""Answers that may be long come in pages; a page ends at a count of elements or of bytes, and says where to go on.

A position is a task and an index, never a count: elements that end between two requests shift nothing.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from roost.api.requests import PageQuery
from roost.app.intake.lookup import elements_of
from roost.core.telling.views import TaskView
from roost.model.errors import NotFound
from roost.model.ids import name_of
from roost.model.limits import PAGE_BYTES_MAX, POOL_INDEX_MAX
from roost.model.ranges import EMPTY, RangeSet
from roost.model.visible import quoted


class Part(NamedTuple):
    """Elements of one task that are asked for."""

    view: TaskView
    ranges: RangeSet


class Page:
    """Counts what is put on it, and remembers where the next one begins."""

    def __init__(self, limit: int) -> None:
        self.limit = self._elements_left = limit
        self._bytes_left = PAGE_BYTES_MAX
        self.next: int | None = None
        self.next_task: str | None = None

    @property
    def end(self) -> dict[str, Any]:
        """Where the next one begins, as the fields of an answer."""
        return {"next": self.next, "next_task": self.next_task}

    @property
    def is_empty(self) -> bool:
        return self._elements_left == self.limit

    def ends_before(self, view: TaskView, index: int) -> None:
        """The next page begins with this element, although there is room here."""
        self.next, self.next_task = index, name_of(view.spec.id)

    def takes(self, view: TaskView, index: int, size: int) -> bool:
        """Put an element on the page; if the page is full already, the next one begins with this element."""
        if self._elements_left <= 0 or self._bytes_left <= 0:
            self.ends_before(view, index)
            return False
        self._elements_left -= 1
        self._bytes_left -= size
        return True


def wanted(query: PageQuery, views: Sequence[TaskView], state: str | None) -> Iterator[Part]:
    """Yield the elements that the query asks for, of those in ``state``, from where it says to start."""
    for position, view in enumerate(_from_task(query, views)):
        ranges = elements_of(view, query.elements)
        if position == 0 and query.start is not None:
            ranges &= RangeSet.span(query.start, POOL_INDEX_MAX + 1)
        if state is not None:
            ranges &= view.ranges.get(state, EMPTY)
        yield Part(view, ranges)


def _from_task(query: PageQuery, views: Sequence[TaskView]) -> Sequence[TaskView]:
    if query.start_task is None:
        return views
    for position, view in enumerate(views):
        if query.start_task in (name_of(view.spec.id), view.spec.id):
            return views[position:]
    raise NotFound(f"{quoted(query.start_task)} is not one of the tasks that are asked for")
