"""Digests: who knows the same has the same number."""

from collections.abc import Callable
from random import Random

import pytest

from roost.core.queue.digests import (
    NOTHING,
    Digests,
    digest_of_record,
    digest_of_tasks,
)
from roost.core.queue.replica import Replica
from roost.model.elements import Elements
from roost.model.ids import task_id
from roost.model.record import TaskRecord
from roost.model.states import Done
from tests.core.harness import ASH, OTHER_RUN, RUN, ranges
from tests.core.queue.desk import A, Desk, many
from tests.tokens import attempt

# Digests.


def test_who_knows_nothing_has_the_digest_of_nothing() -> None:
    desk = Desk()
    assert (desk.sync.total(), desk.sync.digest(RUN), len(desk.sync)) == (NOTHING, NOTHING, 0)
    assert not desk.sync.knows(RUN)


def test_who_knows_the_same_has_the_same_digest_whatever_the_order() -> None:
    runs = many(40)
    shuffled = runs[:]
    Random(1).shuffle(shuffled)
    assert Desk(*runs).sync.total() == Desk(*shuffled).sync.total()


def test_a_digest_covers_records_tasks_and_states() -> None:
    desk = Desk(RUN)
    seen = [desk.sync.total()]
    changes: list[Callable[[], None]] = [
        desk.move,
        lambda: desk.add(name="b"),
        desk.suspend,
        lambda: desk.add(OTHER_RUN),
    ]
    for change in changes:
        change()
        seen.append(desk.sync.total())
    assert len(set(seen)) == 5


def test_it_does_not_matter_how_a_state_came_about() -> None:
    once, twice = Desk(RUN), Desk(RUN)
    once.move(delta=Elements({Done(attempt(1), ASH): ranges("0-2")}))
    for members in ("0", "2", "1", "1"):
        twice.move(delta=Elements({Done(attempt(1), ASH): ranges(members)}))
        twice.sync.total()
    assert once.sync.total() == twice.sync.total()


def test_two_runs_that_are_alike_do_not_cancel_each_other_out() -> None:
    bare = Digests(Replica())
    bare.restore(RUN, b"12345678", NOTHING)
    bare.restore(OTHER_RUN, b"12345678", NOTHING)
    assert bare.total() != NOTHING


def test_what_leaves_memory_stays_in_the_digest_and_may_return() -> None:
    desk = Desk(RUN)
    desk.move()
    before = desk.sync.total()
    record = desk.drop()
    assert desk.sync.total() == before
    desk.replica.add_task(record)
    desk.sync.task_returns(A)
    assert desk.sync.total() == before
    desk.move(delta=Elements({Done(attempt(2), ASH): ranges("1")}))
    direct = Desk(RUN)
    direct.move()
    direct.move(delta=Elements({Done(attempt(2), ASH): ranges("1")}))
    assert desk.sync.total() == direct.sync.total()


def test_what_moved_just_before_it_leaves_is_counted() -> None:
    desk, other = Desk(RUN), Desk(RUN)
    other.move()
    desk.move()
    desk.drop()
    desk.sync.run_leaves(RUN)
    del desk.replica.runs[RUN]
    assert desk.sync.total() == other.sync.total()
    assert desk.sync.knows(RUN)


@pytest.mark.parametrize("in_memory", [True, False])
def test_after_a_restart_the_digest_is_that_of_before(in_memory: bool) -> None:
    desk = Desk(RUN)
    desk.add(name="b")
    desk.move()
    record, tasks = desk.replica.runs[RUN].record, [TaskRecord(e.spec, e.elements) for e in desk.replica.entries(RUN)]
    fresh = Desk()
    archived = tasks[:1] if in_memory else tasks
    fresh.sync.restore(RUN, digest_of_record(record), digest_of_tasks(archived))
    if in_memory:
        fresh.replica.add_run(record)
        fresh.replica.add_task(tasks[1])
        fresh.sync.task_changed(tasks[1].spec.id)
        fresh.sync.run_changed(RUN)
    assert fresh.sync.total() == desk.sync.total()
    assert fresh.sync.digest_of_tasks(RUN) == desk.sync.digest_of_tasks(RUN) == digest_of_tasks(tasks)


# Comparing.


def large(count: int = 500) -> Desk:
    desk = Desk()
    for at in range(count):
        desk.add(RUN, f"t{at}")
    return desk


def test_of_a_large_run_the_tasks_in_buckets_that_differ_are_found() -> None:
    desk, other = large(), large()
    assert desk.sync.differing_tasks(RUN, other.sync.task_sums(RUN)) == []
    other.move(task_id(RUN, "t7"))
    other.add(RUN, "more")
    found = desk.sync.differing_tasks(RUN, other.sync.task_sums(RUN))
    assert task_id(RUN, "t7") in found
    assert len(found) < 10
    assert task_id(RUN, "more") in other.sync.differing_tasks(RUN, desk.sync.task_sums(RUN))


def test_what_changes_after_the_first_comparison_is_counted_in_the_next() -> None:
    desk, other = large(), large()
    first = desk.sync.task_sums(RUN)
    for one in (desk, other):
        one.move(task_id(RUN, "t7"))
    assert desk.sync.task_sums(RUN) == other.sync.task_sums(RUN) != first
    desk.sync.recount(RUN)
    assert desk.sync.task_sums(RUN) == other.sync.task_sums(RUN)


def test_sums_that_make_no_sense_differ_in_all_buckets() -> None:
    desk = large(20)
    assert len(desk.sync.differing_tasks(RUN, b"")) == 20
    assert len(desk.sync.differing_tasks(RUN, b"x" * 100_000)) == 20
