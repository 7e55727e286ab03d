"""What people ask for: checked whole, written first, answered last."""

from typing import Any

import pytest

from roost.core.actions import Accepted, Refused
from roost.core.events import CancelAsked, RetryAsked, Sealed, Submitted
from roost.core.facts import BlobStored, ItemsStored, RunMerged, StoryTold, TaskAdded
from roost.model.ids import CauseId, RunId, TaskId, task_id
from roost.model.pools import POOL_BLOCK
from roost.model.ranges import RangeSet
from roost.model.segments import pack
from roost.model.task import Value
from tests.core.harness import OTHER_RUN, RUN, Bench, edge, function, inside, mapping, ranges, run_spec, task
from tests.tokens import attempt


def refusal(answer: Accepted | Refused | None) -> str:
    assert isinstance(answer, Refused)
    return answer.message


# Submitting.


def test_a_submission_is_answered_when_it_is_on_disk() -> None:
    bench = Bench()
    bench.slow_disk = True
    bench.submit(task("a", 3), task("b", 3, edge("a")))
    assert bench.seen() == []
    assert bench.node.replica.tasks == {}
    bench.write()
    assert bench.seen() == [
        "accept submit 6",
        "tell run 1-bababa added",
        "start a[0]",
        "start a[1]",
    ]


def test_tasks_that_join_a_run_are_told_one_by_one_and_those_of_a_new_one_with_it() -> None:
    bench = Bench(cpus=0.0)
    bench.submit(task("a", 3), stays_open=True)
    assert bench.seen()[1:] == ["tell run 1-bababa added"]
    bench.submit(task("b", 2), stays_open=True)
    assert bench.seen()[1:] == ["tell b[0-1] added"]


def test_everything_about_a_submission_is_in_one_ticket() -> None:
    bench = Bench()
    bench.slow_disk = True
    items = ((task_id(RUN, "a"), pack(0, [b"x", b"y"])),)
    bench.submit(task("a", 2, has_items=True), items=items)
    assert bench.unwritten == 1
    assert [type(fact) for fact in bench.facts] == [RunMerged, TaskAdded, ItemsStored, StoryTold]
    assert BlobStored not in map(type, bench.facts)


def test_a_submission_is_told_once_for_all_its_tasks_unless_more_may_come() -> None:
    whole = Bench(task("a"), task("b"))
    told = [fact for fact in whole.facts if isinstance(fact, StoryTold) and fact.what.startswith("submitted")]
    assert [(line.task, line.cause) for line in told] == [(TaskId(RUN), CauseId("submit-1"))]
    session = Bench()
    session.submit(task("a"), task("b"), stays_open=True)
    told = [fact for fact in session.facts if isinstance(fact, StoryTold) and fact.what.startswith("submitted")]
    assert [line.task for line in told] == [task_id(RUN, "a"), task_id(RUN, "b")]


def test_what_cannot_be_is_refused_with_one_sentence_and_changes_nothing() -> None:
    bench = Bench()
    circle = (task("a", 1, edge("b")), task("b", 1, edge("a")))
    assert "in a circle" in refusal(bench.submit(*circle))
    assert "which does not exist" in refusal(bench.submit(task("a", 1, edge("ghost"))))
    assert "no elements" in refusal(bench.submit(task("a", 0)))
    assert (bench.facts, bench.node.replica.runs, bench.node.replica.tasks) == ([], {}, {})


def test_a_finished_submission_takes_no_more_tasks() -> None:
    bench = Bench(task("a", 5))
    assert refusal(bench.submit(task("b"))) == "run 1-bababa takes no more tasks; start a new one"


def test_a_name_is_given_once_even_while_the_first_is_on_its_way_to_the_disk() -> None:
    bench = Bench()
    bench.slow_disk = True
    bench.submit(task("a"), stays_open=True)
    assert "is being submitted already" in refusal(bench.submit(task("a"), stays_open=True))
    bench.write()
    assert "two tasks are named 'a'" in refusal(bench.submit(task("a"), stays_open=True))


def test_items_match_the_elements_one_to_one() -> None:
    a = task_id(RUN, "a")
    bench = Bench()
    for items in ((), ((a, pack(0, [b"x"])),), ((a, pack(0, [b"x"] * 2)), (a, pack(1, [b"y"])))):
        assert "do not match its 2 elements" in refusal(bench.submit(task("a", 2, has_items=True), items=items))
    assert "do not match" in refusal(bench.submit(task("a", 1), items=((a, pack(0, [b"x"])),)))
    stray = ((task_id(RUN, "z"), pack(0, [b"x"])),)
    assert "'1-bababa/z', which is not among the tasks" in refusal(bench.submit(task("a"), items=stray))


def test_what_will_never_fit_is_accepted_with_a_warning() -> None:
    answer = Bench(cpus=2).submit(task("a", cpus=3), function("f", python="3.9"))
    assert isinstance(answer, Accepted)
    assert answer.warnings == (
        "'1-bababa/a' will wait: it needs 3 CPUs and this node offers 2",
        "'1-bababa/f' will wait: its function was made by Python 3.9 and this node runs Python 3.11",
    )


def test_a_task_may_build_on_one_of_another_run() -> None:
    bench = Bench(task("a", 2))
    bench.submit(task("b", 2, edge("a", run=RUN), run=OTHER_RUN))
    bench.done("a", "1")
    assert bench.states("b", OTHER_RUN) == {"waiting": "0", "running": "1"}


def test_what_a_submission_on_its_way_to_the_disk_builds_on_stays_in_memory() -> None:
    bench = Bench(task("a"))
    bench.slow_disk = True
    bench.submit(task("b", 1, edge("a", run=RUN), run=OTHER_RUN))
    awaited = bench.node.tickets.awaits
    assert [awaited(name) for name in (RUN, task_id(RUN, "a"), OTHER_RUN)] == [True, True, True]
    bench.write()
    assert not awaited(task_id(RUN, "a"))


# Sessions.


def test_a_session_takes_tasks_until_it_is_sealed() -> None:
    bench = Bench()
    bench.submit(task("a"), stays_open=True)
    assert isinstance(bench.submit(task("b", 1, edge("a")), stays_open=True), Accepted)
    assert bench.seal() == Accepted(elements=2)
    assert "takes no more tasks" in refusal(bench.submit(task("c"), stays_open=True))


def test_a_submission_says_how_many_tasks_its_run_has() -> None:
    bench = Bench(task("a"), task("b"))
    assert bench.disk.runs[RUN].task_count == 2
    assert bench.node.replica.runs[RUN].is_complete


def test_a_session_says_how_many_tasks_it_has_when_it_is_sealed() -> None:
    bench = Bench()
    bench.submit(task("a"), stays_open=True)
    bench.submit(task("b"), stays_open=True)
    assert bench.disk.runs[RUN].task_count == 0
    assert not bench.node.replica.runs[RUN].is_complete
    bench.seal()
    assert bench.disk.runs[RUN].task_count == 2
    assert bench.node.replica.runs[RUN].is_complete


@pytest.mark.parametrize("sealed_first", [False, True])
def test_tasks_that_cross_a_seal_on_its_way_to_the_disk_are_counted(sealed_first: bool) -> None:
    bench = Bench()
    bench.submit(task("a"), stays_open=True)
    bench.slow_disk = True
    if sealed_first:
        bench.seal()
    bench.submit(task("b"), stays_open=True)
    if not sealed_first:
        bench.seal()
    bench.slow_disk = False
    bench.write_all()
    assert bench.disk.runs[RUN].sealed.on
    assert bench.disk.runs[RUN].task_count == 2


def test_suspending_leaves_the_number_of_tasks_alone() -> None:
    bench = Bench(task("a"), task("b"))
    bench.suspend()
    bench.resume()
    assert bench.disk.runs[RUN].task_count == 2


def test_tasks_that_cross_a_seal_on_its_way_to_the_disk_do_not_undo_it() -> None:
    bench = Bench()
    bench.submit(task("a"), stays_open=True)
    bench.slow_disk = True
    bench.seal()
    bench.submit(task("b"), stays_open=True)
    bench.slow_disk = False
    bench.write_all()
    bench.finish_all()
    assert bench.seen()[-2:] == ["tell run 1-bababa done", "archive a b"]


def test_an_unknown_run_cannot_be_switched() -> None:
    bench = Bench()
    assert refusal(bench.seal()) == "there is no run 1-bababa that could be sealed"
    assert refusal(bench.suspend()) == "there is no run 1-bababa that could be suspended"
    assert refusal(bench.resume()) == "there is no run 1-bababa that could be resumed"


# Cancelling.


def test_a_cancellation_is_answered_when_what_ran_is_confirmed_dead() -> None:
    bench = Bench(task("a", 3), cpus=2)
    assert bench.cancel(a="0-2") is None
    assert bench.seen() == ["tell a[0-1] cancelled", "tell a[2] cancelled", "stop a[0] kill", "stop a[1] kill"]
    bench.give_back("a", "0")
    assert bench.seen() == []
    bench.give_back("a", "1")
    assert bench.seen() == ["accept cancel 3", "tell run 1-bababa cancelled", "archive a"]


def test_what_does_not_run_is_cancelled_at_once() -> None:
    bench = Bench(task("a", 3), cpus=1)
    assert bench.cancel(a="1-2") == Accepted(elements=2)
    assert bench.states("a") == {"running": "0", "cancelled": "1-2"}


def test_what_is_leased_can_be_spared() -> None:
    bench = Bench(task("a", 4), cpus=2)
    assert bench.cancel(unleased=True, a="1-3") == Accepted(elements=2)
    assert bench.seen() == ["tell a[2-3] cancelled", "accept cancel 2"]
    assert bench.states("a") == {"running": "0-1", "cancelled": "2-3"}


def test_what_is_spared_if_it_is_leased_is_not_leased_while_its_cancellation_is_written() -> None:
    bench = Bench(task("a", 4), cpus=2)
    bench.slow_disk = True
    assert bench.cancel(unleased=True, a="0-3") is None
    bench.done("a", "0")
    assert not [line for line in bench.seen() if line.startswith("start")]
    bench.slow_disk = False
    bench.write_all()
    bench.done("a", "1")
    seen = bench.seen()
    assert "tell a[2-3] cancelled" in seen
    assert not [line for line in seen if line.startswith(("start", "stop"))]
    assert bench.disk.ends[RUN].counts == {"done": 2, "cancelled": 2}


def test_what_was_to_be_withdrawn_goes_on_if_the_disk_refuses_that() -> None:
    bench = Bench(task("a", 3), cpus=2)
    bench.slow_disk = True
    bench.cancel(unleased=True, a="0-2")
    bench.done("a", "0")
    bench.refuse()
    bench.slow_disk = False
    bench.wait(60.0)
    bench.finish_all()
    assert bench.disk.ends[RUN].counts == {"done": 3}


def test_what_is_done_stays_done() -> None:
    bench = Bench(task("a", 3), cpus=1)
    bench.done("a", "0")
    bench.seen()
    bench.cancel(a="0-2")
    bench.give_back("a", "1-2")
    assert "accept cancel 2" in bench.seen()
    assert bench.disk.ends[RUN].counts == {"done": 1, "cancelled": 2}


def test_a_result_that_comes_before_the_kill_beats_the_cancellation() -> None:
    bench = Bench(task("a"), task("b"), cpus=1)
    bench.cancel(a="0")
    bench.done("a", "0")
    assert bench.states("a") == {"done": "0"}
    assert bench.seen()[:4] == ["tell a[0] cancelled", "stop a[0] kill", "accept cancel 1", "start b[0]"]


def test_a_result_that_is_written_before_the_cancellation_leaves_nothing_to_cancel() -> None:
    bench = Bench(task("a"), task("b"), cpus=1)
    bench.slow_disk = True
    bench.done("a", "0")
    bench.cancel(a="0")
    bench.slow_disk = False
    bench.write_all()
    seen = bench.seen()
    assert [line for line in seen if "a[0]" in line] == ["tell a[0] done"]
    assert "accept cancel 0" in seen


def test_an_unknown_task_is_not_cancelled_nor_retried() -> None:
    bench = Bench(task("a"))
    assert refusal(bench.cancel(a="0", ghost="0")) == "there is no task '1-bababa/ghost'"
    assert refusal(bench.retry(ghost="0")) == "there is no task '1-bababa/ghost'"
    assert bench.states("a") == {"running": "0"}


# Trying again.


def test_a_retry_begins_failed_elements_anew_and_leaves_the_others_alone() -> None:
    bench = Bench(task("a", 3), cpus=3)
    bench.fail("a", 0)
    bench.done("a", "1")
    bench.seen()
    assert bench.retry(a="0-2") == Accepted(elements=1)
    assert bench.seen() == ["tell a[0] ready", "accept retry 1", "start a[0]"]


def test_a_retry_gives_all_retries_anew() -> None:
    bench = Bench(task("a", 1, retries=1), task("b"), cpus=2)
    for _ in range(2):
        bench.fail("a")
    assert bench.states("a") == {"failed": "0"}
    bench.retry(a="0")
    bench.fail("a")
    assert bench.states("a") == {"running": "0"}


def test_a_retry_lets_what_was_aborted_go_on() -> None:
    bench = Bench(task("a"), task("b", 1, edge("a")), task("c"), cpus=1)
    bench.fail("a")
    assert bench.states("b") == {"aborted": "0"}
    bench.retry(a="0")
    assert bench.states("b") == {"waiting": "0"}


def test_a_retry_while_the_run_is_finishing_is_not_lost() -> None:
    bench = Bench(task("a"))
    bench.slow_disk = True
    bench.fail("a")
    bench.write()
    assert bench.unwritten == 1, "the end of the run is on its way to the disk"
    bench.retry(a="0")
    bench.slow_disk = False
    bench.write_all()
    assert bench.states("a") == {"running": "0"}
    bench.done("a")
    assert bench.disk.ends[RUN].state == "done"


# Suspending.


def test_suspending_freezes_what_runs_and_starts_nothing_more() -> None:
    bench = Bench(task("a", 5), cpus=2)
    assert bench.suspend() == Accepted(elements=5)
    assert bench.seen() == [
        "stop a[0] unstarted",
        "pause a",
        "stop a[1] unstarted",
        "pause a",
        "accept suspend 5",
        "tell run 1-bababa suspended",
    ]
    assert bench.states("a") == {"suspended": "0-4"}


def test_frozen_lanes_make_room_for_others() -> None:
    bench = Bench(task("a", 5), cpus=1)
    bench.suspend()
    bench.seen()
    bench.submit(task("b", run=OTHER_RUN))
    assert bench.starts() == ["b[0]"]


def test_a_resumed_lane_goes_on_before_anything_new_starts_once_there_is_room() -> None:
    bench = Bench(task("a", 5), cpus=1)
    bench.suspend()
    bench.submit(task("b", 2, run=OTHER_RUN, at=-5))
    bench.resume()
    assert bench.seen()[-1] == "tell run 1-bababa resumed", "there is no room yet"
    bench.done("b", "0", run=OTHER_RUN)
    assert bench.seen()[0] == "continue a"


def test_what_waits_in_a_lane_is_given_back_and_started_anew_after_the_resume() -> None:
    bench = Bench(cpus=1)
    bench.submit(function("warm", run=OTHER_RUN))
    bench.done("warm", each_s=0.01, run=OTHER_RUN)
    bench.submit(function("f", 6))
    assert bench.starts()[1:] == ["f[0-2]", "f[3-4]", "f[5]"]
    bench.suspend()
    assert bench.seen()[:4] == ["stop f[0-2] unstarted", "stop f[3-4] unstarted", "stop f[5] unstarted", "pause f"]
    bench.give_back("f", "1-5")
    assert bench.states("f") == {"suspended": "0-5"}
    assert bench.seen() == []
    bench.resume()
    assert bench.seen()[-4:] == ["continue f", "start f[1-3]", "start f[4]", "start f[5]"]
    bench.finish_all()
    assert bench.disk.ends[RUN].counts == {"done": 6}


def test_a_lease_of_another_run_behind_a_frozen_one_is_given_back_too() -> None:
    bench = Bench(cpus=1)
    bench.submit(function("warm", run=OTHER_RUN), stays_open=True)
    bench.done("warm", each_s=0.001, run=OTHER_RUN)
    bench.submit(function("f", 2))
    bench.submit(function("g", run=OTHER_RUN, at=1), stays_open=True)
    assert len(bench.node.scheduler.lanes.open_lanes) == 1
    assert bench.states("g", OTHER_RUN) == {"ready": "0"}
    bench.seen()
    bench.suspend()
    assert [line for line in bench.seen() if line.startswith(("stop", "pause"))][-2:] == [
        "stop g[0] unstarted",
        "pause f",
    ]


def test_a_lease_that_comes_to_the_front_of_a_frozen_lane_is_frozen_as_well() -> None:
    bench = Bench(cpus=1)
    bench.submit(function("warm", run=OTHER_RUN))
    bench.done("warm", each_s=0.01, run=OTHER_RUN)
    bench.submit(function("f"), function("g"))
    bench.suspend()
    bench.seen()
    bench.done("f")
    assert "pause g" in bench.seen()
    assert bench.states("g") == {"suspended": "0"}


def test_suspending_what_has_ended_changes_nothing() -> None:
    bench = Bench(task("a"))
    bench.fail("a")
    bench.recall()
    before = len(bench.facts)
    assert bench.suspend() == Accepted()
    assert len(bench.facts) == before
    assert bench.retry(a="0") == Accepted(elements=1)
    assert bench.states("a") == {"running": "0"}


def test_suspending_a_session_with_nothing_to_do_says_what_that_means() -> None:
    bench = Bench()
    bench.submit(task("a"), stays_open=True)
    bench.finish_all()
    idle = bench.suspend()
    assert isinstance(idle, Accepted)
    assert "what comes next waits for 'roost resume" in idle.warnings[0]
    bench.submit(task("b"), stays_open=True)
    assert bench.states("b") == {"suspended": "0"}


def test_a_retry_in_a_suspended_run_says_that_it_is_held_back() -> None:
    bench = Bench(task("a"), task("b"), cpus=0)
    bench.suspend()
    bench.cancel(a="0", b="0")
    bench.recall()
    answer = bench.retry(a="0")
    assert isinstance(answer, Accepted)
    assert (answer.elements, answer.warnings) == (
        1,
        (f"run {RUN} is suspended, so nothing of it starts before 'roost resume {RUN}'",),
    )
    bench.cancel(a="0")
    bench.recall()
    assert bench.resume() == Accepted((f"run {RUN} is no longer suspended; nothing of it waits",))


def test_a_suspension_behind_a_retry_on_its_way_to_the_disk_counts() -> None:
    bench = Bench(task("a"), cpus=1)
    bench.fail("a")
    bench.recall()
    bench.slow_disk = True
    bench.retry(a="0")
    bench.suspend()
    bench.slow_disk = False
    bench.write_all()
    assert bench.states("a") == {"suspended": "0"}


def test_cancelling_a_suspended_run_kills_what_is_frozen() -> None:
    bench = Bench(task("a", 2), cpus=1)
    bench.suspend()
    bench.seen()
    bench.cancel(a="0-1")
    assert bench.seen() == ["tell a[0] cancelled", "tell a[1] cancelled", "stop a[0] kill"]
    bench.give_back("a", "0")
    assert bench.seen() == ["accept cancel 2", "tell run 1-bababa cancelled", "archive a"]


# A disk that refuses.


@pytest.mark.parametrize("what", ["submit", "cancel", "retry", "suspend", "seal"])
def test_a_request_that_the_disk_refuses_changes_nothing_and_may_be_asked_again(what: str) -> None:
    bench = Bench(task("a", 3), task("b"), cpus=3)
    bench.fail("a", 0)
    before = (bench.states("a"), list(bench.node.replica.tasks))
    bench.seen()
    ask = {
        "submit": lambda: bench.submit(task("c", run=OTHER_RUN)),
        "cancel": lambda: bench.cancel(a="0-2"),
        "retry": lambda: bench.retry(a="0"),
        "suspend": bench.suspend,
        "seal": bench.seal,
    }[what]
    bench.slow_disk = True
    ask()
    bench.refuse()
    [line] = bench.seen()
    assert line == (
        f"refuse {what}: this node cannot write its journal (no space left on device), "
        "so nothing was changed; try again when there is room"
    )
    assert all(answer.temporary for answer in bench.outcomes.values() if isinstance(answer, Refused))
    assert (bench.states("a"), list(bench.node.replica.tasks)) == before
    bench.slow_disk = False
    ask()
    if what == "cancel":
        bench.give_back("a", "1-2")
    assert any(line.startswith(f"accept {what}") for line in bench.seen())


def test_requests_about_runs_that_nobody_knows_name_them() -> None:
    bench = Bench()
    cause = bench.cause("seal")
    assert "9-zazaza" in refusal(bench.ask(Sealed(cause, RunId("9-zazaza"))))


# Pools.


def a_pool(length: int | None = None) -> Bench:
    m = mapping("m")
    bench = Bench(m, inside("p", m), task("r", 1, edge("p", "gather")), cpus=9.0)
    if length is not None:
        bench.map("m", _0=length)
    bench.seen()
    return bench


def test_a_value_is_done_when_it_is_accepted_and_says_how_long_its_pool_is() -> None:
    v = mapping("v", work=Value("[1,2]"))
    bench = Bench()
    given = ((v.id, pack(0, [b"[1,2]"]), 2),)
    bench.ask(Submitted(bench.cause("submit"), run_spec(), (v, inside("p", v)), given=given))
    assert bench.states("v") == {"done": "0"}
    assert sorted(bench.starts()) == ["p[0]", "p[1]"]
    assert bench.disk.results[v.id, 0] == [(attempt(1), b"[1,2]")]


def test_a_pool_of_unknown_length_is_cancelled_with_all_that_it_might_have() -> None:
    bench = a_pool()
    bench.cancel(p=f"0-{POOL_BLOCK - 1}")
    bench.map("m", _0=3)
    bench.recall()
    assert bench.states("p") == {"cancelled": "0-2"}
    assert bench.states("r") == {"aborted": "0"}
    assert bench.view().counts == {"done": 1, "cancelled": 3, "aborted": 1}


def test_what_of_a_cancelled_pool_does_not_exist_keeps_nothing_from_its_end() -> None:
    bench = a_pool()
    bench.cancel(p="5-9")
    bench.map("m", _0=2)
    bench.finish_all()
    bench.recall()
    assert (bench.states("p"), bench.view().state) == ({"done": "0-1"}, "done")


def test_the_lengths_of_pools_outlive_the_node_also_if_they_were_not_written() -> None:
    bench = a_pool()
    bench.slow_disk = True
    bench.map("m", _0=2)
    bench.write()
    bench.slow_disk = False
    bench.boot()
    assert bench.states("p")["running"] == "0-1"
    bench.finish_all()
    bench.recall()
    assert bench.view().counts == {"done": 4}


@pytest.mark.parametrize("length", [0, 1, 40])
def test_a_run_with_a_pool_is_counted_alike_before_and_after_it_is_archived(length: int) -> None:
    bench = a_pool(length)
    bench.finish_all()
    assert not bench.node.replica.tasks
    bench.boot()
    bench.recall()
    assert bench.view().counts == {"done": length + 2}
    assert bench.states("p") == ({"done": str(RangeSet.span(0, length))} if length else {})


@pytest.mark.parametrize("asked", [CancelAsked, RetryAsked])
def test_a_request_is_about_all_tasks_that_it_names_also_those_that_need_no_change(asked: Any) -> None:
    bench = Bench(task("a", 2), cpus=1)
    bench.done("a", "0")
    bench.slow_disk = True
    assert not bench.node.tickets.awaits(task_id(RUN, "a"))
    bench.feed(asked(CauseId("x-1"), ((task_id(RUN, "a"), ranges("0")),)))
    assert bench.node.tickets.awaits(task_id(RUN, "a"))
    bench.write_all()
    assert not bench.node.tickets.awaits(task_id(RUN, "a"))
    assert bench.outcomes[CauseId("x-1")] == Accepted(elements=0)
