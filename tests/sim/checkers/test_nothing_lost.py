"""The checker of promise 1 notices what is lost."""

import pytest

from roost.core.actions import Accepted, Refused, Reply
from roost.core.events import CancelAsked, RetryAsked, Submitted
from roost.core.queue.dataflow import Dataflow
from roost.core.queue.scheduler import Scheduler
from roost.core.requests.decisions import Decisions
from roost.model.elements import Elements
from roost.model.ids import CauseId, task_id
from roost.model.ranges import RangeSet
from roost.model.record import TaskRecord
from roost.model.states import Cancelled, Done, Retried, State
from roost.sim.checkers.nothing_lost import NothingLost
from roost.sim.checkers.observer import Broken
from roost.sim.journal import SimDisk
from roost.sim.world import Options
from tests.core.harness import ASH, RUN, Bench, edge, ranges, run_spec, task
from tests.sim.checkers.worlds import ROUGH, live_through
from tests.tokens import attempt

CAUSE = CauseId("test-1")
A, B = task_id(RUN, "a"), task_id(RUN, "b")
DONE = Elements({Done(attempt(1), ASH): ranges("0")})


@pytest.fixture
def node():
    return Bench().node


def test_it_is_content_with_a_sound_node() -> None:
    live_through(range(5))


def test_it_notices_a_disk_that_forgets_what_it_confirmed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SimDisk, "write", lambda disk, ticket: disk._queued.clear())
    with pytest.raises(Broken, match="was accepted and is not on disk"):
        live_through()


def test_it_notices_a_node_that_never_starts_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Scheduler, "assign", lambda scheduler, now, ready, grant, won: None)
    # The node itself would notice it sooner; here the world has to.
    monkeypatch.setattr(Scheduler, "overlooked", lambda scheduler, now, ready: None)
    with pytest.raises(Broken, match="has not ended although everything is at rest"):
        live_through()


def test_it_notices_a_cancellation_that_is_not_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Decisions, "write", lambda self, change, what, *more: self._turn.persist(change))
    with pytest.raises(Broken, match=r"the cancellation of .* was accepted and is not on disk"):
        live_through()


def test_it_notices_what_stays_in_the_archive_after_a_retry(monkeypatch: pytest.MonkeyPatch, node) -> None:
    checker, disk = NothingLost(), SimDisk(ASH)
    tasks = (task("a"), task("b", 1, edge("a")))
    disk.flushed.tasks = {A: TaskRecord(tasks[0], DONE), B: TaskRecord(tasks[1])}
    checker.on_event(Submitted(CAUSE, run_spec(), tasks), node)
    checker.on_action(Reply(CAUSE, Accepted()), node, disk)
    with pytest.raises(Broken, match="0 never ran although all inputs are there"):
        checker.at_rest(node, disk)


def test_it_notices_that_in_whole_worlds_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Dataflow, "aborted_behind", lambda flow, tasks: [])
    options = Options(requests=20, pause_s=0.3, crash=0.02, faults=ROUGH.faults)
    with pytest.raises(Broken, match="never ran although all inputs are there"):
        live_through(range(60, 90), options)


def test_a_request_that_was_refused_or_that_the_crash_swallowed_promises_nothing(node) -> None:
    checker, disk = NothingLost(), SimDisk(ASH)
    submitted = Submitted(CAUSE, run_spec(), (task("a"),))
    checker.on_event(submitted, node)
    checker.on_action(Reply(CAUSE, Refused("no")), node, disk)
    checker.on_event(submitted, node)
    checker.on_crash()
    checker.on_action(Reply(CAUSE, Accepted()), node, disk)
    checker.at_rest(node, disk)


def test_a_retry_elsewhere_of_what_had_failed_may_cross_a_cancellation() -> None:
    """The node that is asked to cancel has nothing to cancel there, and what it hears of the retry then stands."""
    bench = Bench(task("a", 2))
    bench.fail("a", 0)
    checker = NothingLost()
    checker.on_event(CancelAsked(CAUSE, ((A, ranges("0-1")),)), bench.node)
    states: dict[State, RangeSet] = {Retried(1, attempt(1)): ranges("0"), Cancelled(attempt(1)): ranges("1")}
    bench.disk.flushed.tasks = {A: TaskRecord(task("a", 2), Elements(states))}
    checker.on_action(Reply(CAUSE, Accepted()), bench.node, bench.disk)
    checker.on_event(CancelAsked(CAUSE, ((A, ranges("0-1")),)), Bench(task("a", 2)).node)
    with pytest.raises(Broken, match="the cancellation of 0 was accepted and is not on disk"):
        checker.on_action(Reply(CAUSE, Accepted()), bench.node, bench.disk)


def test_a_retry_that_crosses_a_cancellation_may_come_after_it(node) -> None:
    checker, disk = NothingLost(), SimDisk(ASH)
    disk.flushed.tasks = {A: TaskRecord(task("a"))}
    checker.on_event(RetryAsked(CauseId("retry-1"), ((A, ranges("0")),)), node)
    checker.on_event(CancelAsked(CAUSE, ((A, ranges("0")),)), node)
    checker.on_action(Reply(CAUSE, Accepted()), node, disk)
