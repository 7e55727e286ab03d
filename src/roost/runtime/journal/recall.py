"""Recalling: records that have left memory come back from the journal, with all that they need."""

from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress

from roost.core.events import Heard, Recalled
from roost.core.holdings import Holdings
from roost.core.queue.replica import Replica
from roost.core.restored import Archived
from roost.model.errors import Damaged, NotFound
from roost.model.ids import RunId, TaskId, run_of
from roost.model.order import in_order
from roost.model.record import TaskRecord
from roost.runtime.journal.damage import Reading
from roost.runtime.journal.journal import Journal
from roost.runtime.journal.reader import sources_of


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
    holdings = [journal.holdings(record.spec.id, votes=bool(record.spec.voters)) for record in records]
    holdings += _votes_of_forgotten(journal, wanted_tasks)
    return Recalled(tuple(_archived(journal, gone)), tuple(records), tuple(holdings), about, tuple(sorted(runs)))


def _votes_of_forgotten(journal: Journal, wanted: Iterable[TaskId]) -> list[Holdings]:
    """Return what this node has voted on tasks of runs that were forgotten, and may be about to come back."""
    by_run: dict[RunId, list[TaskId]] = {}
    for task in wanted:
        by_run.setdefault(run_of(task), []).append(task)
    tasks = [task for run, some in by_run.items() if journal.was_forgotten(run) for task in some]
    holdings = [journal.holdings(task, votes=True) for task in tasks if not journal.has_task(task)]
    return [held for held in holdings if held.votes or held.votes_lost]


def _archived(journal: Journal, runs: Iterable[RunId]) -> Iterator[Archived]:
    for run in runs:
        # A run whose record is damaged is not known until another node tells it again.
        with suppress(Damaged):
            yield journal.archived(run)


def _missing(journal: Journal, replica: Replica, wanted: Iterable[TaskId]) -> list[TaskRecord]:
    """Read the tasks that are not in memory, with all that they need, each after those it needs."""
    found: dict[TaskId, TaskRecord] = {}
    waiting = [task for task in wanted if task not in replica.tasks]
    while waiting:
        task = waiting.pop()
        if task not in found and journal.has_task(task):
            try:
                record = found[task] = journal.task_record(task, reading=Reading.MENDING)
            except NotFound:
                # It is damaged, and was taken out: others may tell of it again.
                continue
            sources = [edge.source for edge in record.spec.edges]
            waiting += [source for source in sources if source not in replica.tasks]
    return [found[task] for task in in_order(sources_of(found))]
