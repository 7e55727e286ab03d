"""Handed in: the contents that people and programs gave, which nothing could make again.

Rules
- They are what inputs of tasks name, large arguments of calls, and the results of what nobody runs: answers of people
  with their files, and values. What elements made is made again if it is lost, and is not among them.
- Whoever holds data that names a content knows of it, whether the content is on this disk or not.
- A name is what the journal says needs files: a run, or a blob of arguments that runs share.
"""

from collections.abc import Iterator
from typing import NamedTuple

from roost.model.elements import Elements
from roost.model.ids import NodeId, RunId, TaskId
from roost.model.segments import Segment
from roost.model.states import Done
from roost.model.task import UNRUN
from roost.runtime.journal.forgetting import blob_that_names, handed_or_left
from roost.runtime.journal.journal import Journal
from roost.wire.stored import Stored, references_in


class HandedIn(NamedTuple):
    """A content, and what tells all nodes alike where it is likely to be (far/whom.py)."""

    content: str
    size: int
    #: What its nodes were chosen by: its run, or its own hash if it was handed in before there was a run.
    key: RunId
    #: Where it was handed in, if that is known.
    at: NodeId | None = None


def value_handed_in(stored: Stored, at: NodeId | None = None) -> HandedIn:
    """Return what a value is that is handed in before the run that takes it."""
    return HandedIn(stored.content, stored.size, RunId(stored.content), at)


def handed_in(journal: Journal, name: str) -> Iterator[list[HandedIn]]:
    """Yield the contents that a run or a blob names, in steps that are short each; nothing is read before it is wanted.

    Raise NotFound, or InvariantViolated, if it is forgotten meanwhile.
    """
    blob = blob_that_names(name)
    if blob is not None:
        yield [value_handed_in(stored) for stored in references_in(journal.blob(blob))]
        return
    for task in journal.task_ids(RunId(name)):
        yield from _of_task(journal, RunId(name), task)


def _of_task(journal: Journal, run: RunId, task: TaskId) -> Iterator[list[HandedIn]]:
    spec = journal.task_record(task).spec
    yield []
    if not spec.has_items and not isinstance(spec.work, UNRUN):
        return
    held = journal.holdings(task)
    for segment in journal.items_one_by_one(task, held.items, partly=True):
        yield _named(segment, run, spec.submitted.node)
    if isinstance(spec.work, UNRUN):
        for token, maker, ranges in held.results:
            made = Elements({Done(token, maker): ranges})
            for segment in journal.results(task, made, ranges, partly=True):
                yield _named(segment, run, maker)


def _named(segment: Segment, run: RunId, at: NodeId) -> list[HandedIn]:
    """Return what is named, each once: many elements may take the same large value."""
    values = dict.fromkeys(references_in(segment.payload))
    files = [HandedIn(*stored, run, at) for stored in handed_or_left(segment) if stored not in values]
    return [*(value_handed_in(stored, at) for stored in values), *files]
