"""Phases follow from states, and records change by merging only."""

import pytest

from roost.core.facts import RunFinished
from roost.core.queue.replica import Phase, Replica, TaskEntry, phase_of
from roost.core.restored import Archived
from roost.model.clock import Stamp
from roost.model.elements import Elements
from roost.model.errors import InvariantViolated
from roost.model.ids import NodeId
from roost.model.record import RunRecord, Switch, TaskRecord
from roost.model.states import Cancelled, Done, Failed, Leased, Released, Retried
from tests.core.harness import ASH, OTHER_RUN, RUN, ranges, run_spec, task
from tests.tokens import attempt

ONE = attempt(1)


@pytest.mark.parametrize(
    ("state", "phase"),
    [
        (Leased(0, ONE, ASH, 0), Phase.LEASED),
        (Released(0, ONE, ASH, 9), Phase.PENDING),
        (Failed(0, ONE, ASH, 2), Phase.PENDING),
        (Failed(0, ONE, ASH, 3), Phase.FAILED),
        (Retried(1, ONE), Phase.PENDING),
        (Cancelled(ONE), Phase.CANCELLED),
        (Done(ONE, ASH), Phase.DONE),
    ],
)
def test_every_state_has_its_phase(state, phase: Phase) -> None:
    assert phase_of(state, retries=2) is phase


def test_all_elements_of_a_new_task_are_pending() -> None:
    entry = TaskEntry.fresh(task("a", 5))
    assert entry.pending == ranges("0-4")
    assert not entry.leased | entry.done | entry.lost


def test_elements_are_told_apart_by_their_edition() -> None:
    entry = TaskEntry.fresh(task("a", 5))
    entry.merge(Elements({Retried(0, ONE, 2): ranges("1-2"), Released(0, ONE, ASH, 0): ranges("3")}))
    assert [entry.edition_of(index) for index in range(5)] == [0, 2, 2, 0, 0]
    assert [str(entry.in_edition(ranges("0-4"), edition)) for edition in (0, 1, 2)] == ["0,3-4", "", "1-2"]


def test_a_merge_tells_what_moved_and_only_that() -> None:
    entry = TaskEntry.fresh(task("a", 5))
    done = Elements({Done(ONE, ASH): ranges("0-2")})
    assert entry.merge(done) == [(Done(ONE, ASH), ranges("0-2"))]
    assert entry.merge(done) == []
    assert entry.merge(Elements({Cancelled(ONE): ranges("2-3")})) == [(Cancelled(ONE), ranges("3"))]
    assert (entry.done, entry.lost, entry.pending) == (ranges("0-2"), ranges("3"), ranges("4"))
    entry.check()


def test_the_check_notices_a_phase_that_no_state_says() -> None:
    replica = Replica()
    replica.add_run(RunRecord(run_spec()))
    entry = replica.add_task(TaskRecord(task("a", 2)))
    replica.check()
    entry.phases = {**entry.phases, Phase.DONE: ranges("0")}
    with pytest.raises(InvariantViolated, match="phases are"):
        replica.check()


def test_the_check_notices_a_task_in_the_wrong_run() -> None:
    replica = Replica()
    replica.add_run(RunRecord(run_spec()))
    replica.add_task(TaskRecord(task("a")))
    replica.runs["2-dedede"] = replica.runs.pop(RUN)
    with pytest.raises(InvariantViolated, match="is listed under run"):
        replica.check()


def test_a_run_that_is_known_is_merged() -> None:
    replica = Replica()
    on = RunRecord(run_spec(), suspended=Switch(Stamp(2, 0, ASH), on=True))
    assert not replica.add_run(RunRecord(run_spec())).suspended
    assert replica.add_run(on).suspended
    assert replica.add_run(RunRecord(run_spec())).suspended, "an older word does not undo a later one"


def test_a_run_comes_back_with_its_counts_unless_it_is_there() -> None:
    replica = Replica()
    finished = RunFinished(RUN, Stamp(7, 0, ASH), "done", {"done": 3}, 1)
    archived = Archived(RunRecord(run_spec()), {"done": 3}, 1, finished)
    replica.restore_run(archived, kept=True)
    run = replica.runs[RUN]
    assert (run.archived, run.archived_tasks, run.finished_at, run.kept) == ({"done": 3}, 1, Stamp(7, 0, ASH), True)
    run.kept = False
    replica.restore_run(archived, kept=True)
    assert not replica.runs[RUN].kept


def test_a_task_that_is_dropped_leaves_its_run() -> None:
    replica = Replica()
    replica.add_run(RunRecord(run_spec()))
    entry = replica.add_task(TaskRecord(task("a"), Elements({Done(ONE, ASH): ranges("0")})))
    assert list(replica.entries(RUN)) == [entry]
    replica.drop_task(entry.spec.id)
    assert list(replica.entries(RUN)) == []


# What others hold, and whether all is known.


def test_tasks_of_which_somebody_holds_elements_are_noted() -> None:
    replica = Replica()
    replica.add_run(RunRecord(run_spec()))
    leased = Elements({Leased(0, ONE, NodeId("oak"), 0): ranges("0")})
    entry = replica.add_task(TaskRecord(task("a", 2), leased))
    replica.add_task(TaskRecord(task("b", 2)))
    assert list(replica.leased) == [entry.spec.id]
    entry.merge(Elements({Released(0, ONE, NodeId("oak"), 0): ranges("0")}))
    replica.follow(entry)
    assert list(replica.leased) == []
    replica.check()


def test_a_task_that_is_dropped_is_no_longer_noted_as_held() -> None:
    replica = Replica()
    replica.add_run(RunRecord(run_spec()))
    entry = replica.add_task(TaskRecord(task("a"), Elements({Leased(0, ONE, ASH, 0): ranges("0")})))
    replica.drop_task(entry.spec.id)
    assert list(replica.leased) == []


def test_the_check_notices_a_holder_that_was_not_noted() -> None:
    replica = Replica()
    replica.add_run(RunRecord(run_spec()))
    entry = replica.add_task(TaskRecord(task("a")))
    entry.merge(Elements({Leased(0, ONE, ASH, 0): ranges("0")}))
    with pytest.raises(InvariantViolated, match="are leased, noted are"):
        replica.check()


def test_a_run_is_complete_when_it_is_sealed_and_all_its_tasks_are_known() -> None:
    replica = Replica()
    sealed = Switch(Stamp(2, 0, ASH), on=True)
    run = replica.add_run(RunRecord(run_spec(), task_count=2))
    replica.add_task(TaskRecord(task("a")))
    assert (run.task_count, run.is_complete) == (1, False)
    replica.add_task(TaskRecord(task("b")))
    assert not run.is_complete, "more may come"
    replica.add_run(RunRecord(run_spec(), sealed=sealed))
    assert run.is_complete


def test_archived_tasks_are_known_but_not_in_memory() -> None:
    replica = Replica()
    sealed = RunRecord(run_spec(), sealed=Switch(Stamp(2, 0, ASH), on=True), task_count=3)
    replica.restore_run(Archived(sealed, {"done": 5}, 2), kept=False)
    replica.add_task(TaskRecord(task("c")))
    run = replica.runs[RUN]
    assert (run.task_count, run.is_complete) == (3, True)
    assert not replica.has_whole(RUN)
    run.archived_tasks = 0
    assert replica.has_whole(RUN)
    assert not replica.has_whole(OTHER_RUN)


def test_it_is_known_which_policies_tasks_name() -> None:
    replica = Replica()
    replica.add_run(RunRecord(run_spec()))
    for name, policy in (("a", "ec"), ("b", ""), ("c", "ec"), ("d", "bfc")):
        replica.add_task(TaskRecord(task(name, policy=policy)))
    assert replica.policies == {"ec": 2, "bfc": 1}
    replica.drop_task(task("a").id)
    replica.drop_task(task("d").id)
    assert replica.policies == {"ec": 1}
    replica.check()
    replica.policies["bfc"] = 1
    with pytest.raises(InvariantViolated, match="tasks name the policies"):
        replica.check()


def test_tasks_are_marked_while_nodes_have_gone_down_with_any_of_their_elements() -> None:
    replica = Replica()
    replica.add_run(RunRecord(run_spec()))
    once = Released(0, ONE, ASH, 0, downed=(ASH,))
    entry = replica.add_task(TaskRecord(task("a", 2), Elements({once: ranges("0")})))
    assert list(replica.marked) == [entry.spec.id]
    moved = entry.merge(Elements({Done(ONE, ASH): ranges("0")}))
    with pytest.raises(InvariantViolated, match="have gone down"):
        replica.check()
    assert replica.mark(entry, moved)
    assert not replica.marked
    assert not replica.mark(entry, entry.merge(Elements({Retried(0, ONE): ranges("1")})))
    replica.check()
    assert replica.mark(entry, entry.merge(Elements({once: ranges("1")})))
    replica.drop_task(entry.spec.id)
    assert not replica.marked
