"""What has left memory comes back from the simulated disk before a request names it."""

from typing import Any

from roost.core.events import CancelAsked, Sealed, Submitted
from roost.core.facts import RunForgotten, VoteKept
from roost.core.holdings import Holdings
from roost.core.queue.replica import Replica
from roost.model.ballots import Ballot, Vote
from roost.model.clock import Stamp
from roost.model.ids import CauseId, task_id
from roost.model.tombstones import Tombstone
from roost.sim.recall import recall, recall_for
from tests.core.harness import ASH, OTHER_RUN, RUN, edge, ranges, run_spec, task
from tests.sim.test_journal import A, B, C, chain

CAUSE = CauseId("test-1")


def test_tasks_come_with_their_runs_their_sources_and_their_holdings() -> None:
    recalled = recall(chain(), Replica(), [], [B])
    assert [record.spec.id for record in recalled.tasks] == [A, B]
    assert [run.record.spec.id for run in recalled.runs] == [RUN]
    assert [held.task for held in recalled.holdings] == [A, B]


def test_what_is_in_memory_or_not_on_disk_does_not_come() -> None:
    disk, replica = chain(), Replica()
    replica.add_run(disk.runs[RUN])
    replica.add_task(disk.tasks[A])
    recalled = recall(disk, replica, [RUN, OTHER_RUN], [A, task_id(OTHER_RUN, "x")])
    assert (recalled.runs, recalled.tasks) == ((), ())


def test_what_was_voted_on_a_forgotten_task_comes_without_the_task() -> None:
    disk, vote = chain(), Vote(0, Ballot(1, ASH, 1), ranges("0"))
    disk.append(2, (VoteKept(A, vote), RunForgotten(Tombstone(RUN, Stamp(9, 0, ASH)))))
    disk.write(2)
    recalled = recall(disk, Replica(), [RUN], [A, B])
    assert recalled.tasks == ()
    assert recalled.holdings == (Holdings(A, votes=(vote,)),)


def test_a_cancellation_recalls_its_whole_run_and_a_submission_what_it_builds_on() -> None:
    disk = chain()
    cancel: Any = recall_for(CancelAsked(CAUSE, ((C, ranges("0")),)), Replica(), disk)
    assert [record.spec.id for record in cancel.tasks] == [A, B, C]
    new = task("d", 1, edge("a"), run=OTHER_RUN)
    submitted: Any = recall_for(Submitted(CAUSE, run_spec(OTHER_RUN), (new,)), Replica(), disk)
    assert [record.spec.id for record in submitted.tasks] == [A, B, C], "what other tasks of it build on stays with it"


def test_a_request_about_nothing_that_is_on_disk_recalls_nothing() -> None:
    assert recall_for(Sealed(CAUSE, OTHER_RUN), Replica(), chain()) is None
    assert recall_for(Sealed(CAUSE, RUN), Replica(), chain()) is not None
