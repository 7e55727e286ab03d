"""Touching: somebody sets runs to work again, so that a tombstone of who has not heard of it does not hide them.

What a run builds on is touched with it: it must not be forgotten alone (model/tombstones.py, tombstones.py).
"""

from collections.abc import Iterable

from roost.core.queue.replica import Replica
from roost.model.clock import Stamp
from roost.model.ids import RunId, run_of
from roost.model.record import RunRecord


def touched(
    replica: Replica, runs: Iterable[RunId], at: Stamp, needed_by: RunId | None = None
) -> tuple[RunRecord, ...]:
    """Return what is to be merged into the records of these runs, and of those that they build on.

    ``needed_by`` is a new run, or one that goes on, which builds on them.
    """
    first = dict.fromkeys(runs)
    by = () if needed_by is None else (needed_by,)
    return tuple(
        RunRecord(replica.runs[run].record.spec, touched=(at,), needed_by=by if run in first else ())
        for run in _with_sources(replica, first)
    )


def sources_of(replica: Replica, run: RunId) -> dict[RunId, None]:
    """Return the other runs on which those tasks of a run build that are in memory."""
    edges = (edge for entry in replica.entries(run) for edge in entry.spec.edges)
    return {source: None for edge in edges if (source := run_of(edge.source)) != run}


def _with_sources(replica: Replica, runs: dict[RunId, None]) -> dict[RunId, None]:
    found, pending = dict(runs), list(runs)
    while pending:
        fresh = [run for run in sources_of(replica, pending.pop()) if run not in found]
        found.update(dict.fromkeys(fresh))
        pending += fresh
    return found
