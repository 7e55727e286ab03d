"""Which records a message names that are not in memory: they are looked up on disk before the message counts."""

from roost.core.mesh.anti_entropy.digests import Digests
from roost.core.queue.replica import Replica
from roost.model.ids import RunId, TaskId, run_of
from roost.wire.ballots import Hold, Prepare
from roost.wire.messages import DoYouKnow, Message, Records, RunDigests, TaskDigests


def not_in_memory(
    replica: Replica, digests: Digests, message: Message
) -> tuple[tuple[RunId, ...], tuple[TaskId, ...]] | None:
    """Return the runs and tasks that a message names and that may be on disk only."""
    runs: dict[RunId, None] = {}
    tasks: dict[TaskId, None] = {}
    match message:
        case Records():
            named = [spec.id for spec in message.tasks]
            named += [task for task, _ in (*message.states, *message.offers)]
            named += [held.task for held in message.holding]
            named += [task for task, *_ in (*message.failures, *message.results)]
            named += [edge.source for spec in message.tasks for edge in spec.edges]
            tasks = {task: None for task in named if task not in replica.tasks}
            named_runs = [record.spec.id for record in message.runs]
            named_runs += [tombstone.run for tombstone in message.forgotten if digests.knows(tombstone.run)]
            runs = {run: None for run in named_runs if run not in replica.runs}
        case RunDigests():
            to_send, _ = digests.runs_heard(message)
            runs = {run: None for run in to_send if digests.knows(run) and not replica.has_whole(run)}
        case TaskDigests(run=run) if digests.knows(run) and not replica.has_whole(run):
            runs = {run: None}
        case DoYouKnow(task=task) | Prepare(task=task) | Hold(task=task) if task not in replica.tasks:
            tasks = {task: None}
        case _:
            return None
    runs |= {run_of(task): None for task in tasks if run_of(task) not in replica.runs}
    return (tuple(runs), tuple(tasks)) if runs or tasks else None
