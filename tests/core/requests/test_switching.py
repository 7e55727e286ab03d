"""Runs that are suspended, resumed and sealed."""

import pytest

from roost.core.actions import Accepted, Refused
from tests.core.harness import OTHER_RUN, RUN, Bench, edge, function, task


def refusal(answer: Accepted | Refused | None) -> str:
    assert isinstance(answer, Refused)
    return answer.message


def test_a_session_takes_tasks_until_it_is_sealed() -> None:
    bench = Bench()
    bench.submit(task("a"), stays_open=True)
    assert isinstance(bench.submit(task("b", 1, edge("a")), stays_open=True), Accepted)
    assert bench.seal() == Accepted(elements=2)
    assert "takes no more tasks" in refusal(bench.submit(task("c"), stays_open=True))


def test_a_session_says_how_many_tasks_it_has_when_it_is_sealed() -> None:
    bench = Bench()
    bench.submit(task("a"), stays_open=True)
    bench.submit(task("b"), stays_open=True)
    assert bench.disk.runs[RUN].task_count == 0
    assert not bench.node.queue.replica.runs[RUN].is_complete
    bench.seal()
    assert bench.disk.runs[RUN].task_count == 2
    assert bench.node.queue.replica.runs[RUN].is_complete


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
    assert len(bench.node.queue.lanes.open_lanes) == 1
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
