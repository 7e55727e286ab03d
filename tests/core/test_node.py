"""The node as a whole: one entry, ordered actions, one deadline, and a check that notices."""

import msgspec
import pytest

from roost.core.events import CapacityChanged, ElementsDone, ElementsReturned, Heard, Persisted, Started
from roost.core.facts import FailureNoted, ResultsStored, StatesMerged, StoryTold, Worked
from roost.core.mesh.membership.suspicion import HEARTBEAT_S
from roost.core.telling.story_words import in_words
from roost.core.telling.views import TAKEN_OVER
from roost.core.tickets import RETRY_AFTER_S
from roost.core.turn import Turn
from roost.model.clock import Stamp
from roost.model.errors import InvariantViolated
from roost.model.happenings import DoneOn, ReusedFrom, TakenOver
from roost.model.ids import LeaseId, NodeId, RunId, TaskId, task_id
from roost.model.ranges import RangeSet
from roost.model.resources import Capacity
from roost.model.segments import pack
from roost.model.states import Done
from roost.model.task import Reuse
from roost.wire.messages import Fetch, WhoIsMaster
from tests.core.company import REPAIR_S, WINDOW_S, Company
from tests.core.harness import RUN, START_S, Bench, edge, ranges, task
from tests.tokens import attempt


def test_a_workflow_runs_from_its_first_element_to_its_end() -> None:
    bench = Bench(task("a", 2), task("b", 2, edge("a")), task("c", 1, edge("b", "all")))
    assert bench.finish_all() >= 5
    assert [line for line in bench.seen() if line.startswith("start")] == [
        "start b[0]",
        "start b[1]",
        "start c[0]",
    ]
    assert bench.disk.ends[RUN].counts == {"done": 5}


# Results.


def test_a_result_counts_when_it_is_on_disk() -> None:
    bench = Bench(task("a"), task("b", 1, edge("a")))
    bench.slow_disk = True
    bench.done("a")
    assert bench.seen() == []
    assert bench.states("b") == {"waiting": "0"}
    bench.write()
    assert bench.seen() == ["tell a[0] done", "start b[0]"]


def test_a_result_its_state_and_its_story_are_in_one_ticket() -> None:
    bench = Bench(task("a", 2), cpus=1)
    bench.slow_disk = True
    bench.facts.clear()
    bench.done("a", "0")
    assert [type(fact) for fact in bench.facts[:3]] == [StatesMerged, StoryTold, ResultsStored]
    states, story, results = bench.facts[:3]
    assert story.what == DoneOn(bench.node.name)
    assert states.delta.at(0) == Done(results.token, results.node)


def test_a_result_that_was_taken_over_is_one_as_others_but_no_work_of_a_lane() -> None:
    bench = Bench(msgspec.structs.replace(task("a", 2), reuse=Reuse.PURE), cpus=1)
    bench.facts.clear()
    lease = next(iter(bench.node.queue.leases.active.values()))
    keys = (pack(0, [b"key"]),)
    taken = ElementsDone(lease.name, (pack(0, [b"x"]),), 0.0, keys=keys, reused_from="0-zozozo/a element 3")
    lease = next(iter(bench.node.queue.leases.active.values()))
    keys, earlier = (pack(0, [b"key"]),), ReusedFrom(TaskId("0-zozozo/a"), RangeSet.span(3, 4))
    taken = ElementsDone(lease.name, (pack(0, [b"x"]),), 0.0, keys=keys, reused_from=earlier)
    bench.feed(taken)
    states, story, results, noted = bench.facts[:4]
    assert states.delta.at(0) == Done(results.token, results.node, reused=True)
    assert story.what == TakenOver(bench.node.name, earlier)
    assert (noted.token, noted.segment) == (results.token, keys[0])
    assert not any(isinstance(fact, Worked) for fact in bench.facts)
    view = bench.node.summaries.task_view(results.task)
    assert (str(view.taken_over), str(view.ranges["done"]), view.done_on) == ("0", "0", {})
    assert bench.node.summaries.run_view(RUN).taken_over == 1
    bench.done("a", "1")
    assert bench.disk.ends[RUN].counts == {"done": 2, TAKEN_OVER: 1}


def test_who_worked_on_what_is_remembered_with_each_outcome() -> None:
    bench = Bench(task("a", 4), cpus=2)
    bench.facts.clear()
    bench.done("a", "0")
    bench.fail("a", 1)
    done, failed = [fact.span for fact in bench.facts if isinstance(fact, Worked)]
    assert (done.task, done.node, done.lane, done.elements, done.failed) == ("1-bababa/a", "ash", 0, 1, 0)
    assert (failed.lane, failed.first, failed.failed) == (1, 1, 1)
    assert done.start <= done.end <= bench.now


def test_a_failure_is_kept_with_its_reason_even_if_it_is_tried_again() -> None:
    bench = Bench(task("a", 1, retries=1), cpus=1)
    bench.fail("a", 0, "exit code 3")
    [noted] = [fact for fact in bench.facts if isinstance(fact, FailureNoted)]
    assert noted.failure.reason == "exit code 3"
    assert bench.states("a") == {"running": "0"}


def test_a_failed_attempt_is_repeated_under_a_larger_token_while_retries_last() -> None:
    bench = Bench(task("a", 1, retries=2), cpus=1)
    tokens = []
    for _ in range(3):
        tokens.append(bench.tokens()["a"])
        bench.fail("a")
    assert tokens == [attempt(1), attempt(2), attempt(3)]
    assert bench.disk.ends[RUN].counts == {"failed": 1}


def test_what_an_executor_gives_back_starts_again_and_costs_no_retry() -> None:
    bench = Bench(task("a", 1, retries=0), cpus=1)
    for _ in range(3):
        bench.give_back("a", "0")
        assert bench.seen() == ["start a[0]"]
    bench.done("a")
    assert bench.disk.ends[RUN].counts == {"done": 1}


def test_an_answer_for_a_lease_that_is_over_is_ignored() -> None:
    bench = Bench(task("a", 2), cpus=1)
    bench.feed(ElementsReturned(LeaseId(99), ranges("0")))
    assert bench.seen() == []


# Leases and the disk.


def test_a_lease_starts_without_waiting_for_the_disk() -> None:
    bench = Bench()
    bench.slow_disk = True
    bench.submit(task("a", 2))
    bench.write()
    assert bench.starts() == ["a[0]", "a[1]"]
    assert bench.unwritten == 1, "both leases are in one ticket"


def test_every_lease_has_its_line_in_the_story_with_its_cause() -> None:
    bench = Bench(task("a"))
    told = [fact for fact in bench.facts if isinstance(fact, StoryTold)]
    assert [(in_words(line.what), line.cause) for line in told] == [
        ("submitted by ann on ash", "submit-1"),
        ("leased by ash, lane 1, token 0.1.0.1", "lease 1"),
    ]


def test_while_the_disk_refuses_nothing_new_starts() -> None:
    bench = Bench(task("a", 5), cpus=2)
    bench.slow_disk = True
    bench.done("a", "0", each_s=1.0)
    bench.refuse()
    assert bench.node.tickets.trouble == "no space left on device"
    assert bench.starts() == ["a[2]"], "it started before the disk refused"
    bench.done("a", "1", each_s=1.0)
    assert bench.starts() == []


def test_an_outcome_that_the_disk_refused_is_written_again_and_nothing_is_lost() -> None:
    bench = Bench(task("a", 2), cpus=2)
    bench.slow_disk = True
    bench.done("a", "0")
    bench.done("a", "1")
    bench.refuse()
    assert bench.node.next_deadline() == START_S + RETRY_AFTER_S
    bench.wait(RETRY_AFTER_S)
    assert bench.unwritten == 2
    bench.refuse()
    bench.slow_disk = False
    bench.wait(2 * RETRY_AFTER_S)
    assert bench.disk.ends[RUN].counts == {"done": 2}


def test_work_goes_on_when_the_disk_has_room_again() -> None:
    bench = Bench(task("a", 3), cpus=1)
    bench.slow_disk = True
    bench.give_back("a", "0")
    bench.refuse()
    bench.slow_disk = False
    bench.seen()
    bench.fail("a", 0)
    assert bench.starts() == ["a[1]"], "the outcome was written, so the trouble is over"


def test_the_trouble_is_over_after_a_pause_if_there_was_nothing_to_write_again() -> None:
    bench = Bench(task("a", 3), cpus=2)
    bench.slow_disk = True
    bench.suspend()
    bench.refuse()
    assert bench.node.tickets.trouble
    bench.wait(RETRY_AFTER_S)
    assert bench.node.tickets.trouble is None


# Restarting.


def test_after_a_restart_what_ran_is_given_back_and_started_again() -> None:
    bench = Bench(task("a", 3), cpus=2)
    bench.done("a", "0")
    bench.boot()
    assert bench.seen() == ["start a[1]", "start a[2]"]
    assert [in_words(fact.what) for fact in bench.facts if isinstance(fact, StoryTold)][-3:-1] == [
        "given back: the node that ran it was restarted",
        "leased by ash, lane 1, token 0.2.0.1",
    ]


def test_a_suspended_run_is_still_suspended_after_a_restart() -> None:
    bench = Bench(task("a", 3), cpus=2)
    bench.suspend()
    bench.boot()
    assert bench.seen() == []
    assert bench.states("a") == {"suspended": "0-2"}


def test_a_new_life_counts_on_from_the_last_stamp() -> None:
    bench = Bench(task("a"))
    last = max(fact.at for fact in bench.facts if isinstance(fact, StoryTold))
    bench.now -= 200
    bench.boot()
    assert bench.node.stamp_at(bench.now) > last


# Time.


def test_time_never_runs_backwards_inside() -> None:
    bench = Bench(task("a"))
    bench.node.handle(Started(), 2000.0)
    bench.node.handle(Started(), 1500.0)
    assert bench.node.now == 2000.0


def test_an_idle_node_has_no_deadline() -> None:
    assert Bench().node.next_deadline() is None


# The check.


def test_the_check_notices_a_lease_of_elements_that_nobody_knows() -> None:
    bench = Bench(task("a", 2), cpus=1)
    lease = next(iter(bench.node.queue.leases.active.values()))
    lease.outstanding = ranges("0,77")
    with pytest.raises(InvariantViolated, match="holds unknown elements"):
        bench.node.check()


def test_the_check_notices_work_that_nothing_has_stirred(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench(task("a"), task("b", 1, edge("a")))
    monkeypatch.setattr(Turn, "stir", lambda turn: None)
    with pytest.raises(InvariantViolated, match=r"could start 1-.*/b, and nothing has stirred it"):
        bench.done("a")


@pytest.mark.parametrize("steps", [1, 2, 3, 4, 5])
def test_a_check_in_steps_goes_on_while_all_that_it_looks_at_leaves_memory(steps: int) -> None:
    bench = Bench(task("a"), task("b", 1, edge("a")), cpus=1)
    checking = bench.node.checks()
    for _ in range(steps):
        next(checking)
    bench.done("a")
    bench.done("b")
    assert bench.node.queue.replica.runs == {}
    assert list(checking) == []


def test_the_check_notices_a_deadline_that_moved_between_two_events() -> None:
    bench = Bench(task("a"))
    bench.node.next_deadline()
    bench.node.check()
    bench.node.tickets.retry_at = START_S
    with pytest.raises(InvariantViolated, match="due at another time"):
        bench.node.check()


def test_a_ticket_that_was_written_twice_changes_nothing() -> None:
    bench = Bench(task("a", 2), cpus=1)
    before = bench.states("a")
    bench.feed(Persisted(1))
    assert bench.seen() == []
    assert bench.states("a") == before
    assert task_id(RUN, "a") in bench.node.queue.replica.tasks


# Among others.


def test_stamps_come_after_everything_that_was_heard() -> None:
    company = Company("ash", "elm")
    ahead = Stamp(int(START_S * 1000) + 200_000, 5, NodeId("elm"))
    company["ash"].feed(Heard(NodeId("elm"), ahead, WhoIsMaster()))
    assert company["ash"].stamp() > ahead


def test_in_company_there_is_always_a_next_heartbeat() -> None:
    company = Company("ash", "elm")
    deadline = company["ash"].node.next_deadline()
    assert deadline is not None
    assert company.now <= deadline <= company.now + HEARTBEAT_S


def test_after_a_restart_among_others_only_what_ran_is_begun_again() -> None:
    company = Company("ash", "elm", cpus=2, no_room=["ash"])
    company["ash"].submit(task("a", 3))
    company.wait(WINDOW_S)
    company["elm"].done("a", "0", each_s=9.0)
    company.settle()
    company.boot("elm")
    company.wait(REPAIR_S)
    assert company["elm"].runs() == ["a[1]", "a[2]"]
    assert company["ash"].states("a")["done"] == "0"
    assert company["ash"].holders("a") == {"elm": "1-2"}
    assert company.agree()


def test_after_a_restart_a_node_knows_what_its_disk_holds_and_fetches_nothing() -> None:
    company = Company("ash", "elm", no_room=["ash", "elm"])
    items = ((task_id(RUN, "a"), pack(0, [b"x" * 20_000])),)
    company["ash"].submit(task("a", has_items=True), items=items)
    company.wait(WINDOW_S)
    company.boot("ash")
    company.wait(REPAIR_S)
    company["ash"].feed(CapacityChanged(Capacity.of(1.0, 0, "3.11")))
    company.wait(WINDOW_S)
    assert company["ash"].runs() == ["a[0]"]
    assert company.said_by("ash", Fetch) == []


def test_after_a_restart_a_node_has_the_digest_of_before_though_runs_have_left_memory() -> None:
    company = Company("ash", "elm")
    for number in range(1, 4):
        company["ash"].submit(task("a", 2, run=RunId(f"{number}-bababa")))
        company.finish_all()
    company.wait(REPAIR_S)
    before = company["elm"].node.queue.digests.total()
    company.boot("elm")
    assert company["elm"].node.queue.digests.total() == before
    company.wait(REPAIR_S)
    assert company.agree()


def test_what_is_finished_here_is_not_lost_when_the_disk_refuses_it_at_first() -> None:
    company = Company("ash", "elm", no_room=["ash"])
    elm = company["elm"]
    company["ash"].submit(task("a"))
    company.wait(WINDOW_S)
    elm.slow_disk = True
    elm.done("a")
    elm.refuse()
    elm.slow_disk = False
    company.wait(2 * RETRY_AFTER_S)
    assert company["ash"].has_result("a")
    assert company["ash"].disk.ends[RUN].counts == {"done": 1}


def test_a_result_that_waits_for_its_keeper_keeps_its_run_in_memory() -> None:
    company = Company("ash", "elm", no_room=["ash"])
    company["ash"].submit(task("a"))
    company.wait(WINDOW_S)
    company["elm"].done("a")
    company["ash"].cancel(a="0")
    company.deliver([letter for letter in company.letters() if letter.sender == "ash"])
    assert company["elm"].knows("a")
    company.wait(REPAIR_S)
    assert all(isinstance(member.state_on_disk("a"), Done) for member in company.living()), (
        "a result beats a cancellation"
    )
    assert company.agree()
