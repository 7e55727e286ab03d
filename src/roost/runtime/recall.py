"""Recalling: records that have left memory come back from the journal, with all that they need."""

from collections.abc import Collection, Iterable
from graphlib import TopologicalSorter

from roost.core.events import Heard, Recalled
from roost.core.replica import Replica
from roost.model.ids import RunId, TaskId
from roost.model.record import TaskRecord
from roost.runtime.journal import Journal


def recall(
    journal: Journal,
    replica: Replica,
    runs: Collection[RunId],
    tasks: Iterable[TaskId],
    *,
    about: Heard | None = None,
    whole: bool = False,
) -> Recalled:
    """Read those of the runs and tasks that are on disk and not in memory; ``whole``: all tasks of the runs, too."""
    wanted_tasks = [*tasks, *(task for run in runs if whole for task in journal.task_ids(run))]
    records = _missing(journal, replica, wanted_tasks)
    wanted = {*runs, *(record.spec.run for record in records)}
    gone = [name for name in sorted(wanted - replica.runs.keys()) if journal.has_run(name)]
    holdings = tuple(journal.holdings(record.spec.id, votes=bool(record.spec.voters)) for record in records)
    return Recalled(tuple(journal.archived(name) for name in gone), tuple(records), holdings, about)


def _missing(journal: Journal, replica: Replica, wanted: Iterable[TaskId]) -> list[TaskRecord]:
    """Read the tasks that are not in memory, with all that they need, each after those it needs."""
    found: dict[TaskId, TaskRecord] = {}
    waiting = [task for task in wanted if task not in replica.tasks]
    while waiting:
        task = waiting.pop()
        if task not in found and journal.has_task(task):
            record = found[task] = journal.task_record(task)
            sources = [edge.source for edge in record.spec.edges]
            waiting += [source for source in sources if source not in replica.tasks]
    order = TopologicalSorter({task: [edge.source for edge in found[task].spec.edges] for task in found})
    return [found[task] for task in order.static_order() if task in found]
