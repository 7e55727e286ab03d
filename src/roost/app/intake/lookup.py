"""Finding what a person means inside a run: its tasks, its final tasks, elements of a task."""

from collections.abc import Sequence

from roost.app.intake.selectors import was_forgotten
from roost.core.telling.views import TaskView
from roost.model.errors import InvalidInput, NotFound
from roost.model.ids import RunId, TaskId, name_of, run_of, task_id
from roost.model.paths import parts_of, read_ranges, shown_in, shown_ranges
from roost.model.ranges import RangeSet
from roost.model.visible import quoted
from roost.runtime.service import NodeService


def known_task(service: NodeService, task: TaskId) -> TaskView:
    """Find a task by its id; raise NotFound if there is none, and say so if its run was forgotten."""
    try:
        return service.task(task)
    except NotFound:
        run = run_of(task)
        if run in service.forgotten_ids():
            raise was_forgotten([run]) from None
        raise


def task_named(service: NodeService, run: RunId, name: str) -> TaskView:
    """Find a task of this run by its name or its whole id; raise NotFound if the run has none."""
    task = task_id(run, name.removeprefix(f"{run}/"))
    try:
        return service.task(task)
    except NotFound:
        raise NotFound(f"run {run} has no task {quoted(name_of(task))}; 'roost show {run}' lists them") from None


def sole_task(service: NodeService, run: RunId, name: str | None) -> TaskView:
    """Find the task that is named, or the run's only one."""
    if name is not None:
        return task_named(service, run, name)
    tasks = service.tasks(run)
    if len(tasks) != 1:
        raise InvalidInput(f"run {run} has {len(tasks):,} tasks; say which one you mean with 'task'")
    return tasks[0]


def sinks(tasks: Sequence[TaskView]) -> list[TaskView]:
    """Return the tasks that feed no other of the run: once they are done, all of it is."""
    sources = {edge.source for view in tasks for edge in view.spec.edges}
    return [view for view in tasks if view.spec.id not in sources]


def final_tasks(service: NodeService, run: RunId) -> list[TaskView]:
    """Return the tasks whose results are the run's result."""
    declared = service.run(run).record.spec.final
    return [service.task(task) for task in declared] if declared else sinks(service.tasks(run))


def elements_of(view: TaskView, text: str | None) -> RangeSet:
    """Return the named elements of a task, all of them for None; raise NotFound if it lacks some."""
    if text is None:
        return view.elements
    # Outside of pools there are no ways, and no indices that only they need.
    asked = RangeSet.parse(text) if view.spec.mapper is None else read_ranges(text)
    missing = asked - view.elements
    if missing:
        raise _lacks(view, missing.first)
    return asked


def sole_element(view: TaskView, index: int | None) -> int:
    """Return the element that is named, or the task's only one."""
    elements = view.elements
    if index is None:
        if len(elements) != 1:
            raise InvalidInput(
                f"{_task_words(view.spec.id)} has {len(elements):,} elements; say which one you mean with 'element'"
            )
        return elements.first
    if index not in elements:
        raise _lacks(view, index)
    return index


def state_of(view: TaskView, index: int) -> str:
    return next((state for state, ranges in view.ranges.items() if index in ranges), "waiting")


def _task_words(task: TaskId) -> str:
    return f"task {quoted(name_of(task))}"


def _lacks(view: TaskView, index: int) -> NotFound:
    return NotFound(f"{_task_words(view.spec.id)} has no element {shown_in(view.spec, index)}; it has {_shown(view)}")


def _shown(view: TaskView) -> str:
    spec, elements = view.spec, view.elements
    if not elements:
        return "none yet"
    text = shown_ranges(elements, parts_of(spec))
    first, last = shown_in(spec, elements.first), shown_in(spec, elements.last)
    return text if len(text) <= 60 else f"{first} to {last}, not all of them"
