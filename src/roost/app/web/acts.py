"""Changing runs: cancel, retry, suspend, resume; and ending the node."""

from roost.api.answers import Stopping, Touched
from roost.api.requests import ActAsked, Nothing
from roost.app.intake.lookup import elements_of, sole_task, task_named
from roost.app.web.calls import Call
from roost.core.events import CancelAsked, RetryAsked, SuspendAsked
from roost.model.errors import Damaged, InvalidInput
from roost.model.ids import TaskId
from roost.model.ranges import RangeSet

ActCall = Call[Nothing, ActAsked]


async def cancel(call: ActCall) -> Touched:
    targets = _targets(call)
    accepted = await call.service.ask(CancelAsked(call.service.new_cause("cancel"), targets))
    return Touched(accepted.elements, accepted.warnings)


async def retry(call: ActCall) -> Touched:
    try:
        targets = _targets(call)
    except Damaged:
        # Whoever acts on a run whose records are damaged goes on with what is left of them.
        call.service.mend(call.run())
        targets = _targets(call)
    accepted = await call.service.ask(RetryAsked(call.service.new_cause("retry"), targets))
    return Touched(accepted.elements, accepted.warnings)


async def suspend(call: ActCall) -> Touched:
    return await _switch(call, "suspend", on=True)


async def resume(call: ActCall) -> Touched:
    return await _switch(call, "resume", on=False)


async def shut_down(call: Call[Nothing, Nothing]) -> Stopping:
    call.service.shut_down()
    return Stopping()


def _targets(call: ActCall) -> tuple[tuple[TaskId, RangeSet], ...]:
    run, body = call.run(), call.body
    if body.elements is not None:
        view = sole_task(call.service, run, body.task)
        return ((view.spec.id, elements_of(view, body.elements)),)
    views = call.service.tasks(run) if body.task is None else [task_named(call.service, run, body.task)]
    # Of a pool also what may still turn out to exist.
    return tuple((view.spec.id, view.spec.elements) for view in views)


async def _switch(call: ActCall, word: str, *, on: bool) -> Touched:
    run = call.run()
    if call.body.task is not None or call.body.elements is not None:
        raise InvalidInput(f"{word} is for whole runs; leave 'task' and 'elements' away")
    accepted = await call.service.ask(SuspendAsked(call.service.new_cause(word), run, on))
    return Touched(accepted.elements, accepted.warnings)
