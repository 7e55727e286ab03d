"""What others tell of work is merged, kept or answered; other messages are left to others."""

from roost.core.mesh.heard_facts import HeardFacts
from roost.core.mesh.mesh import Mesh
from roost.model.ids import NodeId, task_id
from roost.model.segments import pack
from roost.wire.messages import Delivery, Facts, Fetch, Forgotten, Hello, Keep, Kept, Message, News, Purpose, Standing
from tests.core.company import WINDOW_S, Company, Member
from tests.core.harness import RUN, task

ELM = NodeId("elm")
A = task_id(RUN, "a")
LARGE = b"x" * 20_000


def heard_facts(member: Member) -> HeardFacts:
    medium = member.node.medium
    assert isinstance(medium, Mesh)
    return medium._heard_facts


def test_it_says_which_messages_are_its_own() -> None:
    company = Company("ash", "elm")
    mine: list[Message] = [Facts(), Forgotten(()), Kept(7), Fetch(Purpose.INPUTS), Delivery(Purpose.INPUTS)]
    others: list[Message] = [Hello(News(ELM, 1, 0, Standing.ALIVE))]
    taken = [heard_facts(company["ash"]).heard(ELM, message) for message in (*mine, *others)]
    assert taken == [True] * len(mine) + [False]


def test_inputs_that_were_asked_for_are_used_by_who_won() -> None:
    company = Company("ash", "elm", no_room=["ash"])
    company.lost = lambda letter: isinstance(letter.message, Keep)
    items = ((A, pack(0, [LARGE])),)
    company["ash"].submit(task("a", has_items=True), items=items)
    company.wait(WINDOW_S)
    assert company.runs() == {"elm": ["a[0]"]}
    assert [fetch.purpose for fetch in company.said_by("elm", Fetch)] == [Purpose.INPUTS]


def test_a_message_to_keep_is_answered_when_it_is_on_disk() -> None:
    company = Company("ash", "elm", no_room=["ash", "elm"])
    company["elm"].slow_disk = True
    company["ash"].submit(task("a"))
    company.settle()
    assert company.said_by("elm", Kept) == []
    company["elm"].write_all()
    assert len(company.said_by("elm", Kept)) == 1
