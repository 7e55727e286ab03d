"""Leaving the cluster for good: the home stays with all that it has seen, and belongs to nobody.

Rules
- The keys go first: whatever happens after that, this machine is outside.
- Work that had not ended belongs to the cluster, which goes on with it. Here it is written down as over, and is not
  run again; what is done of it can still be read. If this machine joins the same cluster again, its records merge.
- The name goes as well, so that the next start takes one as a new home does.
"""

import time
from collections import Counter

from roost.core.facts import Fact, RunFinished, StoryTold
from roost.core.queue.digests import digest_of_tasks
from roost.core.queue.replica import TaskEntry
from roost.core.telling.summaries import end_state, ended_counts
from roost.model.clock import tick
from roost.model.errors import Unavailable
from roost.model.happenings import LeftBehind
from roost.model.ids import CauseId, RunId
from roost.model.record import TaskRecord
from roost.runtime.home import Home
from roost.runtime.journal.journal import Journal
from roost.runtime.trust.key_file import KeyStore


def leave_cluster(home: Home) -> list[RunId]:
    """Forget the cluster; return the runs that go on there. The caller holds the home's lock, and no node runs."""
    KeyStore(home).forget()
    journal, answers = Journal.open(home.journal), _Answers()
    try:
        journal.rename(None)
        journal.begin_boot()
        left = _end_what_goes_on(journal, answers)
    finally:
        journal.close()
    if answers.trouble:
        raise Unavailable(f"{home.journal} cannot be written: {answers.trouble}; make room, then leave with --force")
    return left


def _end_what_goes_on(journal: Journal, answers: "_Answers") -> list[RunId]:
    restored = journal.restore()
    stamp, facts = restored.last_stamp, list[Fact]()
    left = dict.fromkeys(task.spec.run for task in restored.tasks)
    left |= dict.fromkeys(run.record.spec.id for run in restored.runs if run.finished is None)
    for run in left:
        records = journal.task_records(run)
        counts = _counts(records)
        stamp = tick(stamp, time.time())
        digest = digest_of_tasks(records)
        facts.append(RunFinished(run, stamp, end_state(counts), counts, len(records), digest))
        facts += [
            StoryTold(task.spec.id, stamp, task.spec.elements, LeftBehind(), CauseId("leave")) for task in records
        ]
    journal.start(answers)
    journal.append(1, tuple(facts))
    journal.archive([task.spec.id for task in restored.tasks])
    return list(left)


def _counts(records: list[TaskRecord]) -> dict[str, int]:
    """Count the elements as those of a run that is over: what is not done, failed or cancelled was aborted here."""
    counts: Counter[str] = Counter()
    for record in records:
        counts.update(ended_counts(TaskEntry.of(record)))
    return dict(counts)


class _Answers:
    """Hears the journal's writer, from its thread, until the journal is closed."""

    def __init__(self) -> None:
        self.trouble = ""

    def on_written(self, ticket: int) -> None:
        """As it should be."""

    def on_flushed(self, ticket: int) -> None:
        """As it should be."""

    def on_failed(self, _tickets: tuple[int, ...], reason: str) -> None:
        self.trouble = reason

    def on_lost(self, reason: str) -> None:
        self.trouble = reason
