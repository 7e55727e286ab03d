"""Pages: every element once, whatever their limits are."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roost.api.requests import PageQuery
from roost.app.web.pages import Page, wanted
from roost.core.telling.views import TaskView
from roost.model.clock import Stamp
from roost.model.errors import NotFound
from roost.model.ids import NodeId, RunId, name_of, task_id
from roost.model.limits import PAGE_BYTES_MAX
from roost.model.ranges import RangeSet
from roost.model.task import Command, TaskSpec

RUN = RunId("1-kedova")
Place = tuple[str, int]


def view_of(name: str, elements: RangeSet, done: RangeSet) -> TaskView:
    spec = TaskSpec(task_id(RUN, name), RUN, Command(("true",)), elements, Stamp(1, 0, NodeId("ash")))
    return TaskView(spec, {"done": done, "ready": elements - done})


def read_page(views: list[TaskView], query: PageQuery, size: int) -> tuple[list[Place], Page]:
    page = Page(query.limit)
    found: list[Place] = []
    for view, ranges in wanted(query, views, "done"):
        for index in ranges:
            if not page.takes(view, index, size):
                return found, page
            found.append((name_of(view.spec.id), index))
    return found, page


sets = st.sets(st.integers(0, 12)).map(RangeSet.of)


@given(st.lists(st.tuples(sets, sets), max_size=4), st.integers(1, 5), st.sampled_from([0, 1, PAGE_BYTES_MAX // 2]))
def test_following_the_pages_gives_every_element_once_and_in_order(
    shapes: list[tuple[RangeSet, RangeSet]], limit: int, size: int
) -> None:
    views = [view_of(f"t{at}", one | two, one) for at, (one, two) in enumerate(shapes)]
    expected = [(name_of(view.spec.id), index) for view in views for index in view.ranges["done"]]
    seen: list[Place] = []
    query = PageQuery(limit=limit)
    while True:
        found, page = read_page(views, query, size)
        assert len(found) <= limit
        seen += found
        if page.next is None:
            break
        assert found, "a page has at least one element"
        query = PageQuery(limit=limit, start=page.next, start_task=page.next_task)
    assert seen == expected


def test_an_element_that_is_larger_than_a_page_has_one_of_its_own() -> None:
    views = [view_of("a", RangeSet.span(0, 3), RangeSet.span(0, 3))]
    found, page = read_page(views, PageQuery(), PAGE_BYTES_MAX * 2)
    assert (found, page.next, page.next_task) == ([("a", 0)], 1, "a")


def test_only_the_first_task_of_a_page_is_cut_at_its_start() -> None:
    views = [view_of(name, RangeSet.span(0, 3), RangeSet.span(0, 3)) for name in ("a", "b")]
    found, _ = read_page(views, PageQuery(start=2), 0)
    assert found == [("a", 2), ("b", 0), ("b", 1), ("b", 2)]


def test_an_unknown_task_to_start_from_is_refused() -> None:
    with pytest.raises(NotFound, match="'z' is not one of the tasks that are asked for"):
        list(wanted(PageQuery(start_task="z"), [], None))


def test_all_states_are_wanted_if_none_is_named(tmp_path: Path) -> None:
    view = view_of("a", RangeSet.span(0, 9), RangeSet.span(0, 3))
    ((_, ranges),) = wanted(PageQuery(elements="2-5"), [view], None)
    assert str(ranges) == "2-5"


def test_a_page_may_end_before_an_element_that_cannot_be_had() -> None:
    view = view_of("a", RangeSet.span(0, 9), RangeSet.span(0, 9))
    page = Page(5)
    assert page.is_empty
    assert page.takes(view, 0, 10)
    assert not page.is_empty
    page.ends_before(view, 1)
    assert (page.next, page.next_task) == (1, "a")
