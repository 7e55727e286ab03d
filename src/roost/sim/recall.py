"""Recalling, twin of journal/recall.py: records that have left memory come back from disk, with all that they need."""

from collections.abc import Collection, Iterable

from roost.core.events import Heard, Recalled
from roost.core.queue.replica import Replica
from roost.core.requests.requests import Request, named_by
from roost.model.ids import RunId, TaskId, run_of
from roost.sim.journal import SimDisk


def recall(
    disk: SimDisk,
    replica: Replica,
    runs: Collection[RunId],
    tasks: Iterable[TaskId],
    *,
    about: Heard | None = None,
    whole: bool = False,
) -> Recalled:
    """Read those of the runs and tasks that are on disk and not in memory; ``whole``: all tasks of the runs, too."""
    named = [*tasks, *(task for task in disk.tasks if whole and run_of(task) in runs)]
    records = disk.missing(named, replica.tasks)
    wanted = dict.fromkeys([*runs, *(record.spec.run for record in records)])
    gone = tuple(disk.archived_run(run) for run in wanted if run in disk.runs and run not in replica.runs)
    forgotten = [task for task in named if task in disk.votes and task not in disk.tasks]
    holdings = tuple(disk.holdings(task) for task in (*(record.spec.id for record in records), *forgotten))
    return Recalled(gone, records, holdings, about, tuple(sorted(runs)))


def recall_for(request: Request, replica: Replica, disk: SimDisk) -> Recalled | None:
    """Return what the node has to take back into memory before it is asked; None if all of it is there."""
    named = named_by(request)
    whole = [task for task in disk.tasks if run_of(task) in named.whole]
    recalled = recall(disk, replica, named.runs, [*named.tasks, *whole])
    return recalled if recalled.runs or recalled.tasks else None
