"""What a node tells about its runs."""

import pytest

from roost.core.events import Answered, Progressed
from roost.core.queue.replica import TaskEntry
from roost.core.telling.summaries import done_on, end_state, ended_counts
from roost.core.telling.views import STATES
from roost.model.elements import Elements
from roost.model.ids import CauseId, NodeId, task_id
from roost.model.segments import pack
from roost.model.states import Cancelled, Done, Failed
from roost.model.task import Manual
from tests.core.company import WINDOW_S, Company
from tests.core.harness import ASH, RUN, Bench, edge, function, ranges, task
from tests.tokens import attempt


def test_every_element_is_in_exactly_one_state() -> None:
    bench = Bench(task("a", 6), task("b", 6, edge("a")), cpus=2)
    bench.done("a", "0")
    bench.fail("a", 1)
    bench.cancel(a="5", b="2")
    assert bench.states("a") == {"running": "2-3", "ready": "4", "done": "0", "failed": "1", "cancelled": "5"}
    assert bench.states("b") == {"ready": "0", "waiting": "3-4", "cancelled": "2", "aborted": "1,5"}
    assert bench.view().total == 12


def test_elements_that_wait_in_a_lane_are_ready_and_the_first_runs() -> None:
    bench = Bench(cpus=1)
    bench.submit(function("f", 20))
    bench.done("f", each_s=0.01)
    lease = next(iter(bench.node.queue.leases.active.values()))
    assert len(lease.outstanding) > 1
    assert bench.states("f")["running"] == str(lease.outstanding.first)


def test_a_cancelled_element_that_still_dies_is_cancelled() -> None:
    bench = Bench(task("a"))
    bench.suspend()
    assert bench.states("a") == {"suspended": "0"}
    bench.cancel(a="0")
    assert bench.states("a") == {"cancelled": "0"}


def test_running_elements_come_with_their_time_and_progress() -> None:
    bench = Bench(task("a", 2), cpus=2)
    lease = next(iter(bench.node.queue.leases.active))
    bench.now += 5
    bench.feed(Progressed(lease, 0, 0.25, "a quarter"))
    assert bench.seen() == ["tell a[0] at 0.25"]
    first, second = bench.node.summaries.task_view(task_id(RUN, "a")).running
    assert (first.index, first.seconds, first.fraction, first.note) == (0, 5.0, 0.25, "a quarter")
    assert (second.index, second.fraction) == (1, None)


def test_progress_of_what_does_not_run_is_not_told_nor_kept() -> None:
    bench = Bench(task("a", 2), cpus=1)
    lease = next(iter(bench.node.queue.leases.active))
    bench.feed(Progressed(lease, 1, 0.5))
    bench.feed(Progressed(lease, 0, 0.5))
    bench.done("a", "0")
    bench.feed(Progressed(lease, 0, 0.9))
    assert [line for line in bench.seen() if " at " in line] == ["tell a[0] at 0.5"]
    assert bench.node.queue.progress._said == {}


def test_a_run_is_waiting_running_suspended_and_running_again() -> None:
    bench = Bench(task("busy"), cpus=1)
    bench.submit(task("a", 2, run="2-dedede", at=1))
    states = [bench.node.summaries.run_view("2-dedede").state]
    bench.done("busy")
    states.append(bench.node.summaries.run_view("2-dedede").state)
    bench.suspend("2-dedede")
    states.append(bench.node.summaries.run_view("2-dedede").state)
    bench.resume("2-dedede")
    states.append(bench.node.summaries.run_view("2-dedede").state)
    assert states == ["waiting", "running", "suspended", "running"]


def test_a_run_between_two_elements_goes_on() -> None:
    bench = Bench(task("a", 2), cpus=1)
    bench.submit(task("first", priority="interactive", run="2-dedede"))
    bench.done("a", "0")
    assert bench.view().state == "running"


def test_a_session_with_nothing_to_do_is_open() -> None:
    bench = Bench()
    bench.submit(task("a"), stays_open=True)
    assert bench.view().state == "running"
    bench.done("a")
    assert bench.view().state == "open"


def test_a_recalled_run_is_seen_as_it_ended() -> None:
    bench = Bench(task("a"))
    bench.fail("a")
    bench.recall()
    view = bench.view()
    assert (view.state, view.counts, view.finished_at) == ("failed", {"failed": 1}, bench.now)


@pytest.mark.parametrize(
    ("counts", "state"),
    [
        ({"done": 3}, "done"),
        ({}, "done"),
        ({"done": 3, "cancelled": 1}, "cancelled"),
        ({"cancelled": 1, "aborted": 1}, "cancelled"),
        ({"failed": 1, "cancelled": 1, "aborted": 5}, "failed"),
    ],
)
def test_the_end_of_a_run_is_the_worst_that_happened(counts: dict[str, int], state: str) -> None:
    assert end_state(counts) == state


def test_what_never_ran_of_a_task_that_has_ended_was_aborted() -> None:
    entry = TaskEntry.fresh(task("a", 10))
    states = {
        Done(attempt(1), ASH): ranges("0-3"),
        Failed(0, attempt(1), ASH, 1): ranges("4"),
        Cancelled(attempt(1)): ranges("5"),
    }
    entry.merge(Elements(states))
    assert ended_counts(entry) == {"done": 4, "failed": 1, "cancelled": 1, "aborted": 4}
    assert set(ended_counts(entry)) <= set(STATES)


# What runs elsewhere.


def test_what_runs_on_another_node_is_shown_with_its_time_its_progress_and_its_place() -> None:
    company = Company("ash", "elm", "oak", no_room=["ash", "oak"])
    company["ash"].submit(task("f", 20))
    company.wait(WINDOW_S)
    elm = company["elm"]
    elm.done("f", each_s=0.01)
    company.wait(1.0)
    lease = next(iter(elm.node.queue.leases.active.values()))
    elm.feed(Progressed(lease.name, lease.outstanding.first, 0.25, "a quarter " * 20))
    company.wait(1.0)
    for name in ("ash", "elm", "oak"):
        (running,) = company[name].node.summaries.task_view(task_id(RUN, "f")).running
        assert (running.index, running.node, running.fraction) == (lease.outstanding.first, "elm", 0.25)
        assert running.seconds is not None
        assert running.seconds > 0.5
        assert running.note.startswith("a quarter")
    views = [company[name].states("f") for name in ("ash", "elm", "oak")]
    assert views[0] == views[1] == views[2]


def test_every_node_knows_who_made_how_many_accepted_results() -> None:
    company = Company("ash", "elm", no_room=["ash"])
    company["ash"].submit(task("a", 3))
    company.wait(WINDOW_S)
    company["elm"].done("a", "0")
    company.wait(1.0)
    for name in ("ash", "elm"):
        assert company[name].node.summaries.task_view(task_id(RUN, "a")).done_on == {"elm": 1}


def test_a_retaken_element_counts_for_the_node_whose_result_was_accepted() -> None:
    elm, oak = NodeId("elm"), NodeId("oak")
    states = {Done(attempt(7), oak): ranges("0-3"), Failed(0, attempt(9), elm, 1): ranges("4")}
    later = {Done(attempt(9), elm): ranges("5"), Done(attempt(8), oak): ranges("6-7")}
    entry = TaskEntry.fresh(task("a", 8))
    entry.merge(Elements(states | later))
    assert list(done_on(entry).items()) == [("elm", 1), ("oak", 6)]


def test_of_a_node_whose_heartbeat_was_not_heard_the_first_of_each_lease_counts_as_running() -> None:
    company = Company("ash", "elm", no_room=["ash"])
    company["ash"].submit(task("a", 2))
    company.wait(WINDOW_S)
    ash = company["ash"]
    members = ash.node.medium.members
    assert members is not None
    member = members.member(NodeId("elm"))
    assert member is not None
    member.heartbeat = None
    (running,) = ash.node.summaries.task_view(task_id(RUN, "a")).running
    assert (running.index, running.node, running.seconds, running.fraction) == (0, "elm", None, None)


def test_what_waits_for_people_is_counted_until_it_is_answered_or_suspended() -> None:
    bench = Bench(task("a", 3), task("look", 3, edge("a"), work=Manual("Look")), cpus=3)
    assert bench.view().for_people == 0
    bench.done("a", "0-1")
    assert bench.view().for_people == 2
    bench.feed(Answered(CauseId("answer"), task_id(RUN, "look"), 1, pack(1, [b"{}"]), "anna"))
    assert bench.view().for_people == 1
    bench.suspend()
    assert bench.view().for_people == 0
