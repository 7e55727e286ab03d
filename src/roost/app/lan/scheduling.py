"""From SCHEDULE to a run of one task: the program with its options, waiting for the tasks whose outputs it takes.

The program is run as LAN 5.2.2 says, ``program [-p raw] [-i input1] ... [-x parameters]``, in the programs' folder
(LAN 4.2) of whichever node takes it, and speaks the line protocol of LAN 3.5.
"""

from collections.abc import Sequence

from roost.api.requests import CommandAsked, EdgeAsked, Submission, TaskAsked
from roost.app.intake.submission import to_event
from roost.app.lan.ids import uuid_of
from roost.app.lan.names import find_task
from roost.app.lan.programs import GivenInput, Programs
from roost.app.lan.protocol import NthOutput, Schedule
from roost.core.telling.views import ENDED, TaskView
from roost.languages.lan.words import PortOutput, command_words
from roost.model.errors import InvalidInput
from roost.model.ids import TaskId, name_of
from roost.model.task import Command, EdgeKind, Protocol
from roost.runtime.service import NodeService
from roost.wire.values import decode_command_result


async def schedule(request: Schedule, programs: Programs, service: NodeService) -> TaskId:
    """Hand the task in and return its id when it is on disk. Raise InvalidInput, NotFound or Unavailable."""
    event = to_event(await submission_of(request, programs, service), service)
    await service.ask(event)
    return event.tasks[0].id


async def submission_of(request: Schedule, programs: Programs, service: NodeService) -> Submission:
    """Check whatever can be known now, and say what is to be run."""
    programs.find(request.program)
    sources = [await _source(service, one) for one in request.inputs]
    programs.check_inputs(
        request.program,
        [GivenInput(name_of(view.spec.id), one.nth) for view, one in zip(sources, request.inputs, strict=True)],
    )
    ports = {task: f"input{number}" for number, task in enumerate(dict.fromkeys(_ids(sources)), start=1)}
    inputs = [PortOutput(one.nth, ports[task]) for one, task in zip(request.inputs, _ids(sources), strict=True)]
    words = command_words(request.program, request.raw_files, inputs, request.parameters)
    task = TaskAsked(
        name=request.program,
        command=CommandAsked(tuple(words), protocol=Protocol.LAN, program=request.program),
        edges=[EdgeAsked(task, EdgeKind.BROADCAST, port) for task, port in ports.items()],
        priority=request.priority,
    )
    return Submission([task], name=request.program)


def _ids(views: Sequence[TaskView]) -> list[TaskId]:
    return [view.spec.id for view in views]


async def _source(service: NodeService, asked: NthOutput) -> TaskView:
    """Find a task whose output is wanted. Raise InvalidInput if it is plain that there will be no such output."""
    view = find_task(service, asked.task)
    uuid = uuid_of(view.spec.id)
    if not isinstance(view.spec.work, Command) or view.spec.work.protocol is not Protocol.LAN:
        raise InvalidInput(f"task {uuid} has no numbered outputs, because it is not a LAN program")
    if len(view.elements) != 1:
        raise InvalidInput(f"task {uuid} has {len(view.elements):,} elements; -a takes a task that has one")
    lost = [state for state in ENDED if state != "done" and view.ranges.get(state)]
    if lost:
        raise InvalidInput(
            f"task {uuid} has {'been cancelled' if 'cancelled' in lost else 'failed'}; it has no outputs"
        )
    if view.ranges.get("done"):
        named = len(await _datasets(service, view))
        if asked.nth > named:
            raise InvalidInput(f"task {uuid} has named {named} outputs; there is no output {asked.nth}")
    return view


async def _datasets(service: NodeService, view: TaskView) -> tuple[str, ...]:
    for segment in service.results(view.spec.id, await service.bring(view.spec.id, view.elements)):
        return decode_command_result(segment.values()[0]).datasets
    return ()
