"""The checker of promise 1 notices, in whole worlds of a lone node, what is lost and what never ends."""

import pytest

from roost.core.actions import Accepted, Reply
from roost.core.completion import Completion
from roost.core.events import Submitted
from roost.core.queue.dataflow import Dataflow
from roost.core.queue.scheduler import Scheduler
from roost.core.requests.decisions import Decisions
from roost.model.elements import Elements
from roost.model.ids import CauseId, task_id
from roost.model.record import TaskRecord
from roost.model.states import Done
from roost.sim.checkers.observer import Broken
from roost.sim.journal import SimDisk
from tests.core.harness import ASH, RUN, Bench, edge, ranges, run_spec, task
from tests.lone.nothing_left import NothingLeft
from tests.lone.world import Options
from tests.lone.worlds import ROUGH, live_through
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
    checker, disk = NothingLeft(), SimDisk(ASH)
    tasks = (task("a"), task("b", 1, edge("a")))
    disk.flushed.tasks.update({A: TaskRecord(tasks[0], DONE), B: TaskRecord(tasks[1])})
    checker.on_event(Submitted(CAUSE, run_spec(), tasks), node)
    checker.on_action(Reply(CAUSE, Accepted()), node, disk)
    with pytest.raises(Broken, match="0 never ran although all inputs are there"):
        checker.at_rest(node, disk)


def test_it_notices_that_in_whole_worlds_too(monkeypatch: pytest.MonkeyPatch) -> None:
    # Either of these would bring it back.
    monkeypatch.setattr(Dataflow, "aborted_behind", lambda flow, tasks: [])
    monkeypatch.setattr(Completion, "_looks_back", lambda *_: False)
    options = Options(requests=20, pause_s=0.3, crash=0.02, faults=ROUGH.faults)
    with pytest.raises(Broken, match="never ran although all inputs are there"):
        live_through(range(60, 90), options)
