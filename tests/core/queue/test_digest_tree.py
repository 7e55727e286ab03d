"""The digests of a run's tasks, gathered in buckets."""

from roost.core.queue.digest_tree import DigestTree, bucket_of_task, differing
from roost.model.hashing import DIGEST_BYTES
from roost.model.ids import RunId, TaskId, task_id
from roost.model.limits import SYNC_TASK_BUCKETS

RUN = RunId("1-bababa")
TASKS = [(task_id(RUN, f"t{at}"), at.to_bytes(DIGEST_BYTES)) for at in range(1, 2000)]


def test_they_are_worked_out_once_and_then_kept_up() -> None:
    sums = DigestTree()
    before = sums.of(RUN, TASKS)
    assert sums.of(RUN, []) == before, "they are known"
    sums.changed(RUN, TASKS[5][0], (7).to_bytes(DIGEST_BYTES))
    assert differing(sums.of(RUN, []), before) == {bucket_of_task(TASKS[5][0])}
    sums.changed(RUN, TASKS[5][0], (7).to_bytes(DIGEST_BYTES))
    assert sums.of(RUN, []) == before


def test_what_was_forgotten_is_worked_out_again() -> None:
    sums = DigestTree()
    sums.of(RUN, TASKS)
    sums.forget(RUN)
    sums.changed(RUN, TASKS[0][0], b"x" * DIGEST_BYTES)
    assert sums.of(RUN, []) == bytes(DIGEST_BYTES * SYNC_TASK_BUCKETS)


def test_tasks_are_spread_over_the_buckets() -> None:
    load = [0] * SYNC_TASK_BUCKETS
    for at in range(100 * SYNC_TASK_BUCKETS):
        load[bucket_of_task(TaskId(f"{RUN}/step-{at}"))] += 1
    assert 50 < min(load) < max(load) < 200
