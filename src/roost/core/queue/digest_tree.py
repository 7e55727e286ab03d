"""The digests of a run's tasks, gathered in buckets: two nodes compare those of a large run before they send tasks.

A run's sums are worked out when it is first compared, and kept up until it leaves memory.
"""

from collections.abc import Iterable
from zlib import crc32

from roost.model.hashing import DIGEST_BYTES
from roost.model.ids import RunId, TaskId
from roost.model.limits import SYNC_TASK_BUCKETS


class DigestTree:
    def __init__(self) -> None:
        self._sums: dict[RunId, list[int]] = {}

    def of(self, run: RunId, tasks: Iterable[tuple[TaskId, bytes]]) -> bytes:
        """Return the sums of a run one after the other; ``tasks`` are all its tasks, with their digests."""
        sums = self._sums.get(run)
        if sums is None:
            sums = self._sums[run] = [0] * SYNC_TASK_BUCKETS
            for task, digest in tasks:
                sums[bucket_of_task(task)] ^= int.from_bytes(digest)
        return b"".join([one.to_bytes(DIGEST_BYTES) for one in sums])

    def changed(self, run: RunId, task: TaskId, by: bytes) -> None:
        """The digest of a task changed, by what the old and the new one give together."""
        sums = self._sums.get(run)
        if sums is not None:
            sums[bucket_of_task(task)] ^= int.from_bytes(by)

    def forget(self, run: RunId) -> None:
        self._sums.pop(run, None)


def differing(ours: bytes, theirs: bytes) -> frozenset[int]:
    """Return the buckets whose sums are not the same; all of them if theirs are not so many."""
    places = range(0, SYNC_TASK_BUCKETS * DIGEST_BYTES, DIGEST_BYTES)
    return frozenset(
        place // DIGEST_BYTES
        for place in places
        if ours[place : place + DIGEST_BYTES] != theirs[place : place + DIGEST_BYTES]
    )


def bucket_of_task(task: TaskId) -> int:
    # Quick, because it is asked of every task whenever a large run is compared, and even enough.
    return crc32(task.encode()) % SYNC_TASK_BUCKETS
