"""Which task a client means: its UUID, as LAN has it, or any name by which Roost knows it, which is easier to type."""

from roost.app.intake.lookup import task_named
from roost.app.intake.selectors import select_one
from roost.app.lan.ids import is_uuid, is_uuid_of, run_of_uuid
from roost.core.telling.views import TaskView
from roost.model.errors import InvalidInput, NotFound
from roost.model.ids import RunId, run_number
from roost.model.limits import LAN_RUN_TASKS_MAX
from roost.model.visible import quoted
from roost.runtime.service import NodeService


def find_task(service: NodeService, text: str) -> TaskView:
    """Find a task by its UUID, by ``12-kedova/import``, or by its run (``12``, ``last``) if that has no other.

    Raise NotFound or InvalidInput with a sentence that names what was asked for.
    """
    if is_uuid(text):
        return _by_uuid(service, text)
    run_text, slash, name = text.partition("/")
    run = select_one(run_text, service.run_ids())
    return task_named(service, run, name) if slash else _sole_task(service, run)


def _by_uuid(service: NodeService, uuid: str) -> TaskView:
    run = run_of_uuid(uuid)
    for view in [] if run is None else _tasks(service, run):
        if is_uuid_of(uuid, view.spec.id):
            return view
    raise NotFound(f"there is no task {uuid}; use what SCHEDULED answered")


def _tasks(service: NodeService, run: RunId) -> list[TaskView]:
    try:
        count = service.run(run).task_count
    except NotFound:
        return []
    if count > LAN_RUN_TASKS_MAX:
        raise InvalidInput(
            f"run {run_number(run)} has {count:,} tasks, too many to look for a UUID; write {run}/ and the task's name"
        )
    return service.tasks(run)


def _sole_task(service: NodeService, run: RunId) -> TaskView:
    count = service.run(run).task_count
    if count != 1:
        raise InvalidInput(f"run {quoted(run)} has {count:,} tasks; name one of them as {run}/name")
    return service.tasks(run)[0]
