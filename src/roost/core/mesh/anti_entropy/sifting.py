"""Sifting: what counts of what other nodes say of runs that were forgotten here (queue/forgotten_runs.py)."""

import msgspec

from roost.core.queue.forgotten_runs import ForgottenRuns
from roost.model.ids import RunId, TaskId, run_of
from roost.wire.messages import Audit, Delivery, Facts, Keep, Message


def sift(forgotten: ForgottenRuns, message: Message) -> Message:
    """Return what counts of what another node says: nothing of forgotten runs, unless one of them is back.

    What it wants kept of them is merged and not kept: it is told of the tombstone, and wants it no longer.
    """
    if forgotten.is_empty or not isinstance(message, Facts | Keep | Audit | Delivery):
        return message
    facts = facts_of(message)
    back = tuple(map(forgotten.let_return, facts.runs))
    if back != facts.runs:
        facts = msgspec.structs.replace(facts, runs=back)
        message = facts if isinstance(message, Facts | Delivery) else msgspec.structs.replace(message, facts=facts)
    named = {record.spec.id for record in facts.runs}
    named.update(run_of(task) for task in tasks_in(facts))
    if isinstance(message, Keep):
        named.update(run_of(task) for task, _ in message.offers)
    elif isinstance(message, Audit):
        named.update(run_of(held.task) for held in message.holding)
    gone = {run for run in named if forgotten.has_forgotten(run)}
    return without(facts, gone) if gone else message


def facts_of(message: Facts | Keep | Audit | Delivery) -> Facts:
    """Return what is to be merged of a message."""
    match message:
        case Facts():
            return message
        case Delivery():
            return message.facts()
        case Keep(facts=facts) | Audit(facts=facts):
            return facts


def tasks_in(facts: Facts) -> list[TaskId]:
    """Return all tasks that facts name."""
    return [
        *(spec.id for spec in facts.tasks),
        *(part[0] for part in facts.states),
        *(part[0] for part in facts.failures),
        *(part[0] for part in facts.items),
        *(part[0] for part in facts.results),
        *(part.task for part in facts.handed),
    ]


def without(facts: Facts, gone: set[RunId]) -> Facts:
    """Return facts with nothing of these runs."""

    def stays(task: TaskId) -> bool:
        return run_of(task) not in gone

    return msgspec.structs.replace(
        facts,
        runs=tuple(record for record in facts.runs if record.spec.id not in gone),
        tasks=tuple(spec for spec in facts.tasks if stays(spec.id)),
        states=tuple(part for part in facts.states if stays(part[0])),
        failures=tuple(part for part in facts.failures if stays(part[0])),
        items=tuple(part for part in facts.items if stays(part[0])),
        results=tuple(part for part in facts.results if stays(part[0])),
        handed=tuple(part for part in facts.handed if stays(part.task)),
    )
