"""Tasks that a message names and a node does not know are asked about."""

from roost.core.events import Heard
from roost.core.mesh.anti_entropy.unknown_tasks import Strategy
from roost.model.clock import Stamp
from roost.model.ids import NodeId, task_id
from roost.wire.messages import (
    AlreadyFinished,
    DoYouKnow,
    Facts,
    Message,
)
from tests.core.company import RECORDS, REPAIR_S, Company, Member
from tests.core.harness import OTHER_RUN, RUN, Bench, task

A, B = task_id(RUN, "a"), task_id(RUN, "b")
ELM = NodeId("elm")
LARGE = b"x" * 20_000


def hear(member: Member | Bench, message: Message, sender: str = "elm") -> None:
    """Let a node hear something that nobody has said."""
    member.feed(Heard(NodeId(sender), Stamp(1, 0, NodeId(sender)), message))


def ended(company: Company) -> Company:
    """Let a run of two elements end, and leave the memory of all; afterwards only the disks know it."""
    company["ash"].submit(task("a", 2))
    company.finish_all()
    company["ash"].submit(task("x", run=OTHER_RUN))
    company.finish_all()
    assert not any(member.knows("a") for member in company.living())
    for member in company.living():
        member.seen()
    company.said.clear()
    return company


def test_a_question_about_a_task_that_has_ended_is_answered_so_from_disk() -> None:
    company = ended(Company("ash", "elm"))
    company.said.clear()
    hear(company["ash"], DoYouKnow(A))
    company.wait(1)
    assert company.said_by("ash", AlreadyFinished) == [AlreadyFinished(A)]


def test_a_question_about_a_task_that_goes_on_is_answered_with_its_records() -> None:
    company = Company("ash", "elm", no_room=["ash", "elm"])
    company["ash"].submit(task("a"))
    company.wait(1)
    company.said.clear()
    hear(company["ash"], DoYouKnow(A))
    company.wait(1)
    [told] = company.said_by("ash", Facts)
    assert [spec.id for spec in told.tasks] == [A]


def test_of_all_who_know_a_task_that_goes_on_one_tells_it() -> None:
    names = ("ash", "elm", "fir", "oak", "yew")
    company = Company(*names, no_room=names)
    company["ash"].submit(task("a"))
    company.wait(1)
    company.said.clear()
    for name in names:
        hear(company[name], DoYouKnow(A), "bay")
    company.wait(REPAIR_S)
    assert sum(len(company.said_by(name, RECORDS)) for name in names) == 1


def test_a_node_that_never_wants_unknown_tasks_waits_for_anti_entropy() -> None:
    company = Company("ash", "elm", no_room=["ash", "elm"], strategy=Strategy.NEVER)
    company["ash"].submit(task("a"), stays_open=True)
    company.lose(company.waiting)
    company["ash"].cancel(a="0")
    company.wait(REPAIR_S)
    assert company.said_by("elm", DoYouKnow) == []
    assert company["elm"].knows("a")
