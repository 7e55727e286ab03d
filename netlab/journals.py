"""The journals of nodes, read from outside while the nodes write on: what they have on disk, not what they say."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager

from roost.model.ids import RunId
from roost.model.states import Done
from roost.runtime.home import Home
from roost.runtime.journal.reader import JournalReader


@contextmanager
def journal_of(home: Home) -> Iterator[JournalReader]:
    """Read the journal of a node, which may be running."""
    with closing(sqlite3.connect(f"file:{home.journal}?mode=ro", uri=True)) as connection:
        yield JournalReader(home.journal, connection)


def written_in(home: Home, run: str) -> str:
    """Return the states of a run's elements as a journal has them, as one text."""
    with journal_of(home) as journal:
        records = journal.task_records(RunId(run))
    pairs = [(record.spec.id, state, ranges) for record in records for state, ranges in record.elements.items()]
    return "; ".join(sorted(f"{task} {state} {ranges}" for task, state, ranges in pairs))


def makers_in(home: Home, run: str) -> dict[int, str]:
    """Return which node made the accepted result of each element of a run of one task, as a journal has it."""
    makers = all_makers_in(home, run)
    assert len({task for task, _ in makers}) <= 1, f"{run} has more than one task"
    return {index: maker for (_, index), maker in makers.items()}


def all_makers_in(home: Home, run: str) -> dict[tuple[str, int], str]:
    """Return the same of all tasks of a run."""
    with journal_of(home) as journal:
        records = journal.task_records(RunId(run))
    return {
        (record.spec.id, index): state.node
        for record in records
        for state, ranges in record.elements.items()
        if isinstance(state, Done)
        for index in ranges
    }
