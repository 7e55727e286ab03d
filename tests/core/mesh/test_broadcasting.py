"""What changes on a node is told to all others."""

import pytest

from roost.core.actions import Accepted
from roost.core.mesh.anti_entropy.sifting import facts_of
from roost.model.elements import Elements
from roost.model.ids import NodeId, task_id
from roost.model.segments import pack
from roost.model.states import Done, Leased
from roost.wire.messages import Facts, Keep, Kept
from tests.core.company import RECORDS, REPAIR_S, WINDOW_S, Company
from tests.core.harness import RUN, edge, function, ranges, task
from tests.tokens import attempt

A, B = task_id(RUN, "a"), task_id(RUN, "b")
ELM, OAK = NodeId("elm"), NodeId("oak")


def news(company: Company, name: str) -> list[Facts]:
    """Return the records that a node told to all."""
    return company.said_by(name, Facts)


def running_on_elm(count: int = 1) -> Company:
    """Let elm run elements that were submitted on ash; the other two have no room."""
    company = Company("ash", "elm", "oak", cpus=float(count), no_room=["ash", "oak"])
    company["ash"].submit(task("a", count))
    company.wait(WINDOW_S)
    assert company["elm"].holders("a") == {"elm": str(ranges(f"0-{count - 1}"))}
    for member in company.living():
        member.seen()
    company.said.clear()
    return company


def test_everything_that_moved_in_one_event_leaves_in_one_message_to_everybody() -> None:
    company = Company("ash", "elm", "oak", no_room=["ash"])
    company["ash"].submit(task("a", 2, has_items=True), task("b", 2, edge("a")), items=((A, pack(0, [b"x"] * 2)),))
    [told] = news(company, "ash")
    assert [record.spec.id for record in told.runs] == [RUN]
    assert [spec.id for spec in told.tasks] == [A, B]
    assert [(name, segment.ranges) for name, segment in told.items] == [(A, ranges("0-1"))]
    assert {letter.to for letter in company.letters(RECORDS) if letter.message is told} == {"elm", "oak"}


def test_large_inputs_stay_where_they_are() -> None:
    company = Company("ash", "elm", no_room=["ash"])
    company["ash"].submit(task("a", has_items=True), items=((A, pack(0, [b"x" * 10_000])),))
    [told] = news(company, "ash")
    assert (len(told.tasks), told.items) == (1, ())


def test_a_lease_is_told_at_once_and_a_result_when_it_is_on_disk() -> None:
    company = Company("ash", "elm", no_room=["ash"])
    elm = company["elm"]
    company["ash"].submit(task("a"))
    company.settle()
    elm.slow_disk = True
    company.hold(WINDOW_S)
    [leases] = news(company, "elm")
    assert leases.states == ((A, Elements({Leased(0, attempt(1), ELM, 0): ranges("0")})),)
    assert elm.unwritten == 1
    elm.write_all()
    company.said.clear()
    elm.done("a")
    assert company.said_by("elm", RECORDS) == []
    elm.write_all()
    assert [type(said) for said in company.said_by("elm", RECORDS)] == [Keep]


def test_a_submission_with_all_its_data_is_told_before_it_is_flushed_and_answered_after_that() -> None:
    company = Company("ash", "elm", "oak", no_room=["ash"])
    ash = company["ash"]
    ash.flushes = False
    ash.submit(task("a", has_items=True), items=((A, pack(0, [b"x"])),))
    assert [(isinstance(said, Keep), len(facts_of(said).items)) for said in company.said_by("ash", RECORDS)] == [
        (True, 1),
        (False, 1),
    ]
    company.wait(2 * WINDOW_S)
    assert len(company.runs()) == 1, "it runs elsewhere"
    assert len(company.said_by("elm", Kept) + company.said_by("oak", Kept)) == 1
    assert ash.answer("submit") is None
    ash.flush_all()
    assert isinstance(ash.answer("submit"), Accepted)


@pytest.mark.parametrize("code_came_before", [False, True])
def test_a_submission_whose_data_stays_here_is_told_when_it_is_flushed(code_came_before: bool) -> None:
    """Otherwise a power cut could leave others with a task that nobody has the inputs of."""
    company = Company("ash", "elm", no_room=["ash"])
    ash = company["ash"]
    ash.flushes = False
    if code_came_before:
        ash.submit(function("a"))
    else:
        ash.submit(task("a", has_items=True), items=((A, pack(0, [b"x" * 10_000])),))
    assert company.said_by("ash", RECORDS) == []
    ash.flush_all()
    assert [type(said) for said in company.said_by("ash", RECORDS)] == [Keep, Facts]


def test_what_was_submitted_here_and_lost_in_a_power_cut_comes_back_from_others() -> None:
    company = Company("ash", "elm", no_room=["ash"])
    ash = company["ash"]
    ash.slow_disk = True
    ash.submit(task("a"))
    ash.write()
    company.settle()
    company.kill("ash")
    ash.disk.tasks.clear()
    ash.disk.runs.clear()
    ash.slow_disk = False
    company.boot("ash")
    company.wait(REPAIR_S)
    assert ash.knows("a")
    company["elm"].done("a")
    company.wait(WINDOW_S)
    assert isinstance(ash.state_on_disk("a"), Done)
    assert company.agree()


def test_what_the_keeper_has_accepted_is_told_once() -> None:
    company = running_on_elm()
    company["elm"].done("a")
    company.wait(1.0)
    told = [(sender, records.states) for sender in ("ash", "elm") for records in news(company, sender)]
    assert told == [("ash", ((A, Elements({Done(attempt(1), ELM): ranges("0")})),))]
    assert company.agree()


def test_alone_nothing_is_gathered_for_later() -> None:
    company = Company("ash")
    company["ash"].submit(task("a", 3))
    company["ash"].done("a", "0")
    assert company.said_by("ash", RECORDS) == []
    company.add("elm")
    company.wait(REPAIR_S)
    assert company["elm"].states("a")["done"] == "0"
    assert company.agree()
