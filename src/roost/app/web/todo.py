"""What waits for people: the list that a person looks through before he answers."""

import time
from collections.abc import Iterator
from typing import NamedTuple

from roost.api.answers import Todo, TodoList
from roost.api.requests import Nothing, TodoQuery
from roost.app.intake.forms import form_of
from roost.app.intake.lookup import sole_element, task_named
from roost.app.intake.selectors import select_runs
from roost.app.web.attachments import Attachments
from roost.app.web.calls import Call, retold
from roost.app.web.told import Stories
from roost.core.telling.views import TaskView
from roost.model.ids import RunId, name_of, run_number
from roost.model.paths import shown_in
from roost.model.ranges import EMPTY, RangeSet
from roost.model.task import Manual
from roost.runtime.service import NodeService


class _Part(NamedTuple):
    """Elements of one manual task that wait for a person."""

    view: TaskView
    manual: Manual
    ranges: RangeSet


async def list_todo(call: Call[TodoQuery, Nothing]) -> TodoList:
    """Answer with the elements that wait for people, of runs that are not suspended."""
    service, query = call.service, call.query
    going_on = set(service.unended_runs())
    chosen = select_runs(query.run, service.run_ids())
    _check_place(service, query, chosen)
    parts = [part for run in chosen if run in going_on for part in _parts(service, run, query)]
    told, more = _first(parts, query.limit)
    stories = await Stories.gather(service, [part.view for part in told])
    attachments = Attachments(service) if query.values else None
    todo = [await _todo(service, part, index, stories, attachments) for part in told for index in part.ranges]
    return TodoList(todo, more)


def _check_place(service: NodeService, query: TodoQuery, runs: list[RunId]) -> None:
    """Refuse a task or an element that is not there, if it is clear which run is meant."""
    if query.task is not None and len(runs) == 1:
        view = task_named(service, runs[0], query.task)
        if query.element is not None:
            sole_element(view, query.element)


def waiting_parts(service: NodeService, run: RunId) -> Iterator[_Part]:
    """Yield what waits for people in a run."""
    for view in service.tasks(run):
        ready = view.ranges.get("ready", EMPTY)
        if ready and isinstance(view.spec.work, Manual):
            yield _Part(view, view.spec.work, ready)


def _parts(service: NodeService, run: RunId, query: TodoQuery) -> Iterator[_Part]:
    if not service.run(run).for_people:
        return
    for part in waiting_parts(service, run):
        if query.task is not None and query.task not in (name_of(part.view.spec.id), part.view.spec.id):
            continue
        if query.who is not None and part.manual.who and query.who not in part.manual.who:
            continue
        ranges = part.ranges
        if query.element is not None:
            ranges &= RangeSet.span(query.element, query.element + 1)
        if ranges:
            yield part._replace(ranges=ranges)


def _first(parts: list[_Part], limit: int) -> tuple[list[_Part], int]:
    """Return the first so many elements, and how many more there are."""
    total, left, taken = sum(len(part.ranges) for part in parts), limit, []
    for part in parts:
        if left <= 0:
            break
        first = part.ranges.take(left)
        left -= len(first)
        taken.append(part._replace(ranges=first))
    return taken, max(0, total - limit)


async def _todo(
    service: NodeService, part: _Part, index: int, stories: Stories, attachments: Attachments | None
) -> Todo:
    spec, form = part.view.spec, form_of(part.manual)
    wait = stories.wait_of(part.view, index)
    return retold(
        form,
        Todo,
        run=spec.run,
        number=run_number(spec.run),
        run_name=service.run(spec.run).record.spec.name,
        task=spec.id,
        name=name_of(spec.id),
        element=index,
        path=shown_in(spec, index),
        elements=len(part.view.elements),
        show=[] if attachments is None else await attachments.of(part.view, index),
        since=wait.since,
        deadline=wait.deadline,
        late=wait.is_late(time.time()),
    )
