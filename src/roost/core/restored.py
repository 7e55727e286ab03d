"""What a node knows when it starts: the merge of the facts that its journal holds."""

import msgspec

from roost.core.facts import RunFinished
from roost.model.clock import Stamp
from roost.model.record import RunRecord, TaskRecord


class Archived(msgspec.Struct, frozen=True):
    """A run, with what is left of those of its tasks that are archived: the states of their elements, and how many."""

    record: RunRecord
    counts: dict[str, int] = {}
    tasks: int = 0
    finished: RunFinished | None = None


class Restored(msgspec.Struct, frozen=True):
    """The runs that go on, with their tasks that are not archived, each after those that it needs."""

    #: This life's number; one more than the last.
    boot: int
    #: The largest stamp that any fact carries.
    last_stamp: Stamp
    runs: tuple[Archived, ...] = ()
    tasks: tuple[TaskRecord, ...] = ()
