"""Which records a message names that are not in memory: they are looked up on disk before the message counts."""

from roost.core.mesh.anti_entropy.digest_exchange import DigestExchange
from roost.core.mesh.anti_entropy.sifting import facts_of
from roost.core.queue.digests import Digests
from roost.core.queue.replica import Replica
from roost.model.ids import RunId, TaskId, run_of
from roost.wire.ballots import Hold, Prepare
from roost.wire.messages import (
    Audit,
    Delivery,
    DoYouKnow,
    Facts,
    Forgotten,
    Keep,
    Message,
    RunDigests,
    TaskDigests,
)


def not_in_memory(
    replica: Replica, digests: Digests, exchange: DigestExchange, message: Message
) -> tuple[tuple[RunId, ...], tuple[TaskId, ...]] | None:
    """Return the runs and tasks that a message names and that may be on disk only."""
    runs: dict[RunId, None] = {}
    tasks: dict[TaskId, None] = {}
    match message:
        case Facts() | Keep() | Audit() | Delivery():
            tasks = {task: None for task in _tasks_in(message) if task not in replica.tasks}
            runs = {record.spec.id: None for record in facts_of(message).runs if record.spec.id not in replica.runs}
        case Forgotten(tombstones=tombstones):
            named = [tombstone.run for tombstone in tombstones if digests.knows(tombstone.run)]
            runs = {run: None for run in named if run not in replica.runs}
        case RunDigests():
            to_send, _ = exchange.runs_heard(message)
            runs = {run: None for run in to_send if digests.knows(run) and not replica.has_whole(run)}
        case TaskDigests(run=run) if digests.knows(run) and not replica.has_whole(run):
            runs = {run: None}
        case DoYouKnow(task=task) | Prepare(task=task) | Hold(task=task) if task not in replica.tasks:
            tasks = {task: None}
        case _:
            return None
    runs |= {run_of(task): None for task in tasks if run_of(task) not in replica.runs}
    return (tuple(runs), tuple(tasks)) if runs or tasks else None


def _tasks_in(message: Facts | Keep | Audit | Delivery) -> list[TaskId]:
    """Return the tasks that have to be in memory before a message counts."""
    facts = facts_of(message)
    named = [spec.id for spec in facts.tasks]
    named += [task for task, _ in facts.states]
    named += [task for task, *_ in (*facts.failures, *facts.results)]
    named += [edge.source for spec in facts.tasks for edge in spec.edges]
    if isinstance(message, Keep):
        named += [task for task, _ in message.offers]
    elif isinstance(message, Audit):
        named += [held.task for held in message.holding]
    return named
