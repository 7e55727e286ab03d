"""Nodes whose replicas differ send each other what the other lacks, and of large runs little else."""

import pytest

from roost.core.events import ForgetAsked, Heard
from roost.core.mesh.anti_entropy.comparing import SMALL_RUN_TASKS
from roost.model.clock import Stamp
from roost.model.ids import NodeId, RunId
from roost.wire.messages import Facts, TaskDigests
from tests.core.company import RECORDS, REPAIR_S, Company
from tests.core.harness import OTHER_RUN, RUN, task


def told(company: Company, name: str) -> int:
    """Return how many tasks a node has told since they were last counted."""
    return sum(len(records.tasks) for records in company.said_by(name, Facts))


def differing(count: int) -> Company:
    """Two nodes with a run of so many tasks, of which elm has missed that one was cancelled."""
    company = Company("ash", "elm", no_room=["ash", "elm"])
    company["ash"].submit(*(task(f"t{at}", at=at) for at in range(count)))
    company.wait(1)
    company.lost = lambda letter: isinstance(letter.message, RECORDS)
    company["ash"].cancel(t5="0")
    company.settle()
    company.lost = lambda _: False
    company.said.clear()
    assert not company.agree()
    company.wait(REPAIR_S)
    assert company.agree()
    return company


def test_a_small_run_is_sent_whole() -> None:
    company = differing(SMALL_RUN_TASKS)
    assert told(company, "ash") == SMALL_RUN_TASKS
    assert company.said_by("ash", TaskDigests) == []


def test_of_a_large_run_that_both_know_the_tasks_that_may_differ_are_sent() -> None:
    company = differing(10 * SMALL_RUN_TASKS)
    assert 1 <= told(company, "ash") + told(company, "elm") < 10
    assert [message.ask for name in ("ash", "elm") for message in company.said_by(name, TaskDigests)].count(True) == 1


def test_of_a_large_run_whose_tasks_are_the_same_the_record_is_sent_alone() -> None:
    company = Company("ash", "elm", no_room=["ash", "elm"])
    company["ash"].submit(*(task(f"t{at}", at=at) for at in range(2 * SMALL_RUN_TASKS)))
    company.wait(1)
    company.lost = lambda letter: isinstance(letter.message, RECORDS)
    company["ash"].suspend()
    company.settle()
    company.lost = lambda _: False
    assert not company.agree()
    company.said.clear()
    company.wait(REPAIR_S)
    assert company.agree()
    assert told(company, "ash") + told(company, "elm") == 0


def test_who_lacks_a_large_run_gets_all_of_it() -> None:
    company = Company("ash", "elm", no_room=["ash", "elm"])
    company.lost = lambda letter: isinstance(letter.message, RECORDS)
    company["ash"].submit(*(task(f"t{at}", at=at) for at in range(2 * SMALL_RUN_TASKS)), stays_open=True)
    company.settle()
    company.lost = lambda _: False
    company.wait(REPAIR_S)
    assert company.agree()


@pytest.mark.parametrize("comes_back", [True, False])
def test_a_large_run_that_was_forgotten_comes_back_if_somebody_set_it_to_work_and_else_goes(comes_back: bool) -> None:
    company = Company("ash", "elm", cpus=8)
    company["ash"].submit(*(task(f"t{at}", at=at) for at in range(SMALL_RUN_TASKS + 1)))
    company.wait(1)
    company.finish_all()
    company["ash"].recall()
    company["elm"].recall()
    company.lost = lambda letter: isinstance(letter.message, RECORDS)
    company["ash"].ask(ForgetAsked(company["ash"].cause("forget"), (RUN,)))
    if comes_back:
        company["elm"].send_back(t5="0")
    company.settle()
    assert not company.agree()
    company.lost = lambda _: False
    company.wait(REPAIR_S)
    assert company.agree()
    assert [RUN in company[name].disk.runs for name in ("ash", "elm")] == [comes_back, comes_back]


def test_digests_of_a_run_that_nobody_knows_are_not_answered() -> None:
    company = Company("ash", "elm")
    company.said.clear()
    stranger = TaskDigests(RunId("9-nobody"), b"")
    company["ash"].feed(Heard(NodeId("elm"), Stamp(1, 0, NodeId("elm")), stranger))
    assert company.said_by("ash", TaskDigests) == []
    assert company.said_by("ash", RECORDS) == []


def test_digests_of_a_run_that_has_left_memory_are_answered_from_disk() -> None:
    company = Company("ash", "elm")
    for run in (RUN, OTHER_RUN):
        company["ash"].submit(task("a", run=run))
        company.finish_all()
    assert not company["ash"].knows("a")
    company.said.clear()
    company["ash"].feed(Heard(NodeId("elm"), Stamp(1, 0, NodeId("elm")), TaskDigests(RUN, b"x" * 8, ask=False)))
    company.settle()
    assert told(company, "ash") == 1
