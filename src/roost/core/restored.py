"""What a node knows when it starts: the merge of the facts that its journal holds."""

from collections.abc import Container, Iterable

import msgspec

from roost.core.facts import RunFinished
from roost.core.holdings import Holdings
from roost.model.clock import Stamp
from roost.model.executions import NO_EXECUTIONS, Executions
from roost.model.ids import BlobHash, NodeId, RunId, TaskId
from roost.model.online import NEVER_ONLINE, OnlineLog
from roost.model.record import RunRecord, TaskRecord
from roost.model.tombstones import Tombstone
from roost.policy.expected_length import Learnt


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
    #: Which data of those tasks is on this disk, and which functions.
    holdings: tuple[Holdings, ...] = ()
    blobs: tuple[BlobHash, ...] = ()
    #: The other nodes that were there when the last life ended.
    neighbours: tuple[NodeId, ...] = ()
    #: Of every run, the digests of its record and of its tasks that are not in ``tasks``.
    digests: tuple[tuple[RunId, bytes, bytes], ...] = ()
    #: Runs that were forgotten and have not come back.
    tombstones: tuple[Tombstone, ...] = ()
    #: When this node was on line in its earlier lives.
    online: OnlineLog = NEVER_ONLINE
    #: How right people were in its earlier lives when they stated lengths.
    lengths: tuple[Learnt, ...] = ()
    #: How its executions ended in its earlier lives, but for those that its last death has aborted.
    executions: Executions = NO_EXECUTIONS


def with_all_needed(tasks: Iterable[TaskRecord], runs: Container[RunId]) -> list[TaskRecord]:
    """Leave out tasks whose run, or one that they need, is not there: a full disk refused it.

    Others will tell of it again; nothing that rests on it was promised. Each task comes after those that it needs.
    """
    found: dict[TaskId, TaskRecord] = {}
    for record in tasks:
        if record.spec.run in runs and all(edge.source in found for edge in record.spec.edges):
            found[record.spec.id] = record
    return list(found.values())
