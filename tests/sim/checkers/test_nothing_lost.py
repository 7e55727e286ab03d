"""The checker of promise 1 notices what is lost."""

import pytest

from roost.core.actions import Accepted, Refused, Reply
from roost.core.events import CancelAsked, RetryAsked, Submitted
from roost.model.elements import Elements
from roost.model.ids import CauseId, task_id
from roost.model.ranges import RangeSet
from roost.model.record import TaskRecord
from roost.model.states import Cancelled, Done, Retried, State
from roost.sim.checkers.nothing_lost import NothingLost
from roost.sim.checkers.observer import Broken
from roost.sim.journal import SimDisk
from tests.core.harness import ASH, RUN, Bench, ranges, run_spec, task
from tests.tokens import attempt

CAUSE = CauseId("test-1")
A, B = task_id(RUN, "a"), task_id(RUN, "b")
DONE = Elements({Done(attempt(1), ASH): ranges("0")})


@pytest.fixture
def node():
    return Bench().node


def test_a_request_that_was_refused_or_that_the_crash_swallowed_promises_nothing(node) -> None:
    checker, disk = NothingLost(), SimDisk(ASH)
    submitted = Submitted(CAUSE, run_spec(), (task("a"),))
    checker.on_event(submitted, node)
    checker.on_action(Reply(CAUSE, Refused("no")), node, disk)
    checker.on_event(submitted, node)
    checker.on_crash()
    checker.on_action(Reply(CAUSE, Accepted()), node, disk)
    checker.check_disk(disk)


def test_a_retry_elsewhere_of_what_had_failed_may_cross_a_cancellation() -> None:
    """The node that is asked to cancel has nothing to cancel there, and what it hears of the retry then stands."""
    bench = Bench(task("a", 2))
    bench.fail("a", 0)
    checker = NothingLost()
    checker.on_event(CancelAsked(CAUSE, ((A, ranges("0-1")),)), bench.node)
    states: dict[State, RangeSet] = {Retried(1, attempt(1)): ranges("0"), Cancelled(attempt(1)): ranges("1")}
    bench.disk.flushed.tasks.update({A: TaskRecord(task("a", 2), Elements(states))})
    checker.on_action(Reply(CAUSE, Accepted()), bench.node, bench.disk)
    checker.on_event(CancelAsked(CAUSE, ((A, ranges("0-1")),)), Bench(task("a", 2)).node)
    with pytest.raises(Broken, match="the cancellation of 0 was accepted and is not on disk"):
        checker.on_action(Reply(CAUSE, Accepted()), bench.node, bench.disk)


def test_a_retry_that_crosses_a_cancellation_may_come_after_it(node) -> None:
    checker, disk = NothingLost(), SimDisk(ASH)
    disk.flushed.tasks.update({A: TaskRecord(task("a"))})
    checker.on_event(RetryAsked(CauseId("retry-1"), ((A, ranges("0")),)), node)
    checker.on_event(CancelAsked(CAUSE, ((A, ranges("0")),)), node)
    checker.on_action(Reply(CAUSE, Accepted()), node, disk)
