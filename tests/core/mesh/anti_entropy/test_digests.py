"""Anti-entropy: replicas that differ find out by digests, and what is missing."""

from collections.abc import Callable
from random import Random

import pytest

from roost.core.mesh.anti_entropy.digests import (
    DIFFERENCE_S,
    NOTHING,
    PAUSE_S,
    Digests,
    bucket_of,
    digest_of_record,
    digest_of_tasks,
)
from roost.core.queue.replica import Replica
from roost.model.clock import Stamp
from roost.model.elements import Elements
from roost.model.ids import NodeId, RunId, TaskId, run_of, task_id
from roost.model.limits import DATAGRAM_BYTES_MAX, SYNC_BUCKETS
from roost.model.record import RunRecord, Switch, TaskRecord
from roost.model.states import Done
from roost.wire.codec import encode
from roost.wire.messages import BucketDigests, RunDigests
from tests.core.harness import ASH, OTHER_RUN, RUN, ranges, run_spec, task
from tests.tokens import attempt

ELM = NodeId("elm")
A = task_id(RUN, "a")
DONE = Elements({Done(attempt(1), ASH): ranges("0")})


class Desk:
    """A replica and its digests."""

    def __init__(self, *runs: RunId) -> None:
        self.replica = Replica()
        self.sync = Digests(self.replica)
        for run in runs:
            self.add(run)

    def add(self, run: RunId = RUN, name: str = "a", count: int = 3) -> None:
        if run not in self.replica.runs:
            self.replica.add_run(RunRecord(run_spec(run)))
            self.sync.run_changed(run)
        self.replica.add_task(TaskRecord(task(name, count, run=run)))
        self.sync.task_changed(task_id(run, name))

    def move(self, name: TaskId = A, delta: Elements = DONE) -> None:
        self.replica.tasks[name].merge(delta)
        self.sync.task_changed(name)

    def suspend(self, run: RunId = RUN) -> None:
        self.replica.add_run(RunRecord(run_spec(run), suspended=Switch(Stamp(9, 0, ASH), on=True)))
        self.sync.run_changed(run)

    def drop(self, name: TaskId = A) -> TaskRecord:
        entry = self.replica.tasks[name]
        self.sync.task_leaves(name)
        self.replica.drop_task(name)
        return TaskRecord(entry.spec, entry.elements)


def many(count: int) -> list[RunId]:
    return [RunId(f"{number}-bababa") for number in range(count)]


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


# When to compare.


def test_only_a_difference_that_lasts_is_looked_into() -> None:
    desk, theirs = Desk(RUN), Desk()
    assert desk.sync.heard(ELM, theirs.sync.total(), 10.0) is None
    assert desk.sync.heard(ELM, theirs.sync.total(), 10.0 + DIFFERENCE_S - 0.01) is None
    assert isinstance(desk.sync.heard(ELM, theirs.sync.total(), 10.0 + DIFFERENCE_S), BucketDigests)


def test_a_moment_of_agreement_begins_the_wait_anew() -> None:
    desk = Desk(RUN)
    assert desk.sync.heard(ELM, NOTHING, 10.0) is None
    assert desk.sync.heard(ELM, desk.sync.total(), 10.9) is None
    assert desk.sync.heard(ELM, NOTHING, 11.0) is None
    assert desk.sync.heard(ELM, NOTHING, 11.9) is None
    assert desk.sync.heard(ELM, NOTHING, 12.0) is not None


def test_one_node_is_left_alone_after_a_comparison_and_others_are_not() -> None:
    desk, oak = Desk(RUN), NodeId("oak")
    for node in (ELM, oak):
        desk.sync.heard(node, NOTHING, 10.0)
    assert desk.sync.heard(ELM, NOTHING, 12.0) is not None
    assert desk.sync.heard(ELM, NOTHING, 12.0 + PAUSE_S - 0.01) is None
    assert desk.sync.heard(oak, NOTHING, 12.1) is not None
    assert desk.sync.heard(ELM, NOTHING, 12.0 + PAUSE_S) is not None


def test_a_node_that_has_gone_is_forgotten() -> None:
    desk = Desk(RUN)
    desk.sync.heard(ELM, NOTHING, 10.0)
    desk.sync.heard(ELM, NOTHING, 12.0)
    desk.sync.forget(ELM)
    assert desk.sync.heard(ELM, NOTHING, 12.5) is None
    assert desk.sync.heard(ELM, NOTHING, 12.5 + DIFFERENCE_S) is not None


# Comparing.


def exchange(asking: Desk, asked: Desk) -> tuple[list[RunId], list[RunId]]:
    """Compare two replicas; return what either sends of its own: the asking one, the asked one."""
    runs = asked.sync.buckets_heard(asking.sync.compare())
    if runs is None:
        return [], []
    sent, answer = asking.sync.runs_heard(runs)
    if answer is None:
        return sent, []
    back, end = asked.sync.runs_heard(answer)
    assert end is None, "a comparison has an end"
    return sent, back


def test_those_who_agree_have_nothing_to_say() -> None:
    assert Desk(RUN).sync.buckets_heard(Desk(RUN).sync.compare()) is None


def test_each_side_sends_what_the_other_lacks() -> None:
    shared = many(100)
    asking, asked = Desk(*shared, RunId("500-gogogo")), Desk(*shared, RunId("600-hahaha"))
    assert exchange(asking, asked) == (["500-gogogo"], ["600-hahaha"])


def test_both_sides_send_what_they_have_otherwise() -> None:
    asking, asked = Desk(*many(100)), Desk(*many(100))
    name = task_id(RunId("7-bababa"), "a")
    asking.move(name)
    assert exchange(asking, asked) == ([run_of(name)], [run_of(name)])


def test_who_lacks_everything_gets_everything_and_the_other_way_round() -> None:
    runs = many(200)
    sent, back = exchange(Desk(), Desk(*runs))
    assert (sent, sorted(back)) == ([], sorted(runs))
    sent, back = exchange(Desk(*runs), Desk())
    assert (sorted(sent), back) == (sorted(runs), [])


def test_only_the_runs_in_buckets_that_differ_are_named() -> None:
    desk, other = Desk(*many(500)), Desk(*many(500))
    other.add(RunId("900-lululu"))
    named = desk.sync.buckets_heard(other.sync.compare())
    assert named is not None
    assert named.buckets == (bucket_of(RunId("900-lululu")),)
    assert {bucket_of(run) for run, _ in named.digests} <= set(named.buckets)
    assert len(named.digests) < 30


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


def test_what_makes_no_sense_is_survived() -> None:
    desk = Desk(RUN)
    assert desk.sync.buckets_heard(BucketDigests(())) is None
    assert desk.sync.buckets_heard(BucketDigests((b"x",) * 1000)) is not None
    assert desk.sync.runs_heard(RunDigests((-1, 99_999), ((RunId("x"), b""),), ask=False)) == ([], None)


def test_buckets_hold_their_share_and_their_digests_fit_into_a_datagram() -> None:
    load = [0] * SYNC_BUCKETS
    for run in many(6400):
        load[bucket_of(run)] += 1
    assert 50 < min(load) < max(load) < 160
    assert len(encode(Desk(RUN).sync.compare())) < DATAGRAM_BYTES_MAX
