"""Digests: what this node knows, in a few bytes, so that two nodes that know the same can tell.

Rules
- A run's digest covers its record, its tasks and the states of their elements; the digests of all runs together make
  one number. Of a forgotten run its tombstone counts.
- What has left memory is counted as it was when it left.

Digests add up by exclusive or, so that a change costs the digest of one task, however many there are.
"""

from collections.abc import Iterable
from functools import lru_cache
from itertools import chain

from roost.core.queue.digest_tree import DigestTree, bucket_of_task, differing
from roost.core.queue.replica import Replica
from roost.model.elements import Elements
from roost.model.hashing import DIGEST_BYTES, digest_of
from roost.model.ids import RunId, TaskId, run_of
from roost.model.limits import SYNC_BUCKETS
from roost.model.record import RunRecord, TaskRecord
from roost.model.tombstones import Tombstone
from roost.wire.codec import encode

#: Runs whose bucket is remembered, so that it is not worked out again at every comparison.
_BUCKETS_KEPT = 65_536

NOTHING = bytes(DIGEST_BYTES)
#: Added to the digest of a run whose records were found damaged, until they are counted anew.
DOUBT = b"\xff" * DIGEST_BYTES


class Digests:
    def __init__(self, replica: Replica) -> None:
        self._replica = replica
        #: Tasks in memory, as they were when last looked at.
        self._tasks: dict[TaskId, bytes] = {}
        #: Runs as they were when last in memory.
        self._records: dict[RunId, bytes] = {}
        self._stale_tasks: dict[TaskId, None] = {}
        self._stale_records: dict[RunId, None] = {}
        #: Each run's sum over its record and tasks, those that have left memory included.
        self._runs: dict[RunId, bytes] = {}
        #: ... and the digests of what is left of those that were forgotten.
        self._buried: dict[RunId, bytes] = {}
        self._total = NOTHING
        self._sums = DigestTree()

    # Keeping up.

    def restore(self, run: RunId, record: bytes, tasks: bytes) -> None:
        """A run is on disk: its record has this digest, and those of its tasks that are not in memory have that."""
        self._records[run] = record
        self._change(run, _xor(record, tasks))

    def run_changed(self, run: RunId) -> None:
        self._stale_records[run] = None

    def task_changed(self, task: TaskId) -> None:
        self._stale_tasks[task] = None

    def tasks_changed(self, tasks: Iterable[TaskId]) -> None:
        self._stale_tasks.update(dict.fromkeys(tasks))

    def task_leaves(self, task: TaskId) -> None:
        """A task leaves memory; its digest stays in its run's sum."""
        self._refresh()
        self._tasks.pop(task, None)
        self._sums.forget(run_of(task))

    def task_returns(self, task: TaskId) -> None:
        """A task is back in memory, as it was when it left."""
        self._tasks[task] = self._task_digest(task)

    def recount(self, run: RunId) -> None:
        """A run is in memory with all its tasks: its digest is what they give, whatever was thought before."""
        self._refresh()
        self._sums.forget(run)
        total = self._records[run] = self._record_digest(run)
        for task in self._replica.runs[run].tasks:
            self._tasks[task] = self._task_digest(task)
            total = _xor(total, self._tasks[task])
        self._change(run, _xor(total, self._runs.get(run, NOTHING)))

    def doubt(self, run: RunId) -> None:
        """What is on disk of a run is not all that was there: whoever knows more shall notice."""
        if run in self._runs:
            self._sums.forget(run)
            self._change(run, DOUBT)

    def run_leaves(self, run: RunId) -> None:
        """A run is about to leave memory; its digest stays."""
        self._refresh()
        self._sums.forget(run)

    def bury(self, tombstone: Tombstone) -> None:
        """A run was forgotten: what its tombstone says takes its place."""
        run = tombstone.run
        self._refresh()
        self._sums.forget(run)
        self._records.pop(run, None)
        for digests in (self._runs, self._buried):
            before = digests.pop(run, None)
            if before is not None:
                self._total = _xor(self._total, _weight(run, before))
        self._buried[run] = digest_of(b"forgotten", encode(tombstone))
        self._total = _xor(self._total, _weight(run, self._buried[run]))

    def exhume(self, run: RunId) -> None:
        """A tombstone counts no longer."""
        self._total = _xor(self._total, _weight(run, self._buried.pop(run)))

    def total(self) -> bytes:
        self._refresh()
        return self._total

    def digest(self, run: RunId) -> bytes:
        """Return a run's digest; nothing for one that was never heard of."""
        self._refresh()
        return self._runs.get(run, NOTHING)

    def digest_of_tasks(self, run: RunId) -> bytes:
        """Return the part of a run's digest that covers its tasks."""
        return _xor(self.digest(run), self._records.get(run, NOTHING))

    def __len__(self) -> int:
        return len(self._runs)

    def runs(self) -> list[RunId]:
        """Return all runs, also those that have left memory."""
        self._refresh()
        return list(self._runs)

    def knows(self, run: RunId) -> bool:
        """Whether a run is here, in memory or on disk; of one that is new the digest may still be to be made."""
        return run in self._runs or run in self._replica.runs

    def _refresh(self) -> None:
        for run in self._stale_records:
            if run in self._replica.runs:
                digest = self._record_digest(run)
                self._change(run, _xor(digest, self._records.get(run, NOTHING)))
                self._records[run] = digest
        for task in self._stale_tasks:
            entry = self._replica.tasks.get(task)
            if entry is not None:
                digest = self._task_digest(task)
                by = _xor(digest, self._tasks.get(task, NOTHING))
                self._change(entry.spec.run, by)
                self._sums.changed(entry.spec.run, task, by)
                self._tasks[task] = digest
        self._stale_records.clear()
        self._stale_tasks.clear()

    def _change(self, run: RunId, by: bytes) -> None:
        before = self._runs.get(run)
        after = self._runs[run] = _xor(before or NOTHING, by)
        if before is not None:
            self._total = _xor(self._total, _weight(run, before))
        self._total = _xor(self._total, _weight(run, after))

    def _record_digest(self, run: RunId) -> bytes:
        return digest_of_record(self._replica.runs[run].record)

    def _task_digest(self, task: TaskId) -> bytes:
        return _digest_of_task(task, self._replica.tasks[task].elements)

    # For who compares.

    def task_sums(self, run: RunId) -> bytes:
        """Return the digests of the tasks of a run that is in memory whole, gathered in buckets."""
        self._refresh()
        return self._sums.of(run, ((task, self._tasks[task]) for task in self._replica.runs[run].tasks))

    def differing_tasks(self, run: RunId, theirs: bytes) -> list[TaskId]:
        """Return the tasks of a run, in memory whole, that may differ from those of whoever has these sums."""
        buckets = differing(self.task_sums(run), theirs)
        return [task for task in self._replica.runs[run].tasks if bucket_of_task(task) in buckets] if buckets else []

    def buckets(self) -> tuple[bytes, ...]:
        """Return the digests of all runs, gathered in buckets."""
        self._refresh()
        sums = [NOTHING] * SYNC_BUCKETS
        for run, digest in chain(self._runs.items(), self._buried.items()):
            bucket = bucket_of(run)
            sums[bucket] = _xor(sums[bucket], _weight(run, digest))
        return tuple(sums)

    def within(self, buckets: Iterable[int]) -> tuple[tuple[RunId, bytes], ...]:
        """Return the runs of some buckets, with their digests."""
        wanted = set(buckets)
        self._refresh()
        known = chain(self._runs.items(), self._buried.items())
        return tuple((run, digest) for run, digest in known if bucket_of(run) in wanted)


def digest_of_record(record: RunRecord) -> bytes:
    return digest_of(b"run", encode(record))


def digest_of_tasks(records: Iterable[TaskRecord]) -> bytes:
    """Return what tasks that are not in memory add to the digest of their run."""
    total = NOTHING
    for record in records:
        total = _xor(total, _digest_of_task(record.spec.id, record.elements))
    return total


def _digest_of_task(task: TaskId, elements: Elements) -> bytes:
    return digest_of(b"task", task.encode(), encode(elements))


@lru_cache(maxsize=_BUCKETS_KEPT)
def bucket_of(run: RunId) -> int:
    return digest_of(b"bucket", run.encode())[0] % SYNC_BUCKETS


def _weight(run: RunId, digest: bytes) -> bytes:
    """Return what a run adds to the sum of all: two runs with one digest must not cancel each other out."""
    return digest_of(run.encode(), digest)


def _xor(one: bytes, other: bytes) -> bytes:
    return (int.from_bytes(one) ^ int.from_bytes(other)).to_bytes(DIGEST_BYTES)
