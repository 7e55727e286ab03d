"""Inputs that are elsewhere are asked for."""

from roost.core.data.fetch import PATIENCE_S, RETRY_S
from roost.core.events import CapacityChanged, Heard
from roost.model.clock import Stamp
from roost.model.hashing import rendezvous
from roost.model.ids import BlobHash, NodeId, task_id
from roost.model.resources import Capacity
from roost.model.segments import pack
from roost.wire.messages import (
    Delivery,
    Fetch,
    Message,
    Purpose,
)
from tests.core.company import WINDOW_S, Company, Letter, Member
from tests.core.harness import OTHER_RUN, RUN, Bench, edge, task

A, B = task_id(RUN, "a"), task_id(RUN, "b")
ELM = NodeId("elm")
LARGE = b"x" * 20_000


def hear(member: Member | Bench, message: Message, sender: str = "elm") -> None:
    """Let a node hear something that nobody has said."""
    member.feed(Heard(NodeId(sender), Stamp(1, 0, NodeId(sender)), message))


def test_data_is_asked_of_the_likeliest_holder_first_and_then_of_the_others() -> None:
    """oak goes on with what elm has made for ash: ash keeps it, elm has it, and fir would be the run's next keeper."""
    assert rendezvous(OTHER_RUN, "fir") > rendezvous(OTHER_RUN, "elm")
    company = Company("ash", "elm", "fir", "oak", no_room=["ash", "fir", "oak"])
    company["ash"].submit(task("a", run=OTHER_RUN), task("b", 1, edge("a", run=OTHER_RUN), run=OTHER_RUN))
    company.wait(WINDOW_S)
    company["elm"].feed(CapacityChanged(Capacity(0.0, 0, "3.11")))
    company["elm"].done("a", run=OTHER_RUN)
    company.settle()
    asked: list[str] = []

    def never_arrives(letter: Letter) -> bool:
        if isinstance(letter.message, Fetch):
            asked.append(letter.to)
        return isinstance(letter.message, Fetch)

    company.lost = never_arrives
    company["oak"].feed(CapacityChanged(Capacity(1.0, 0, "3.11")))
    company.wait(3 * PATIENCE_S + 1)
    assert asked == ["ash", "elm", "fir"]
    assert company["oak"].runs() == []
    company.lost = lambda _: False
    company.wait(RETRY_S + 1)
    assert company["oak"].runs() == ["b[0]"]
    assert company["oak"].has_result("a", run=OTHER_RUN)


def test_who_is_asked_for_data_answers_with_all_that_it_has() -> None:
    company = Company("ash", "elm", no_room=["ash", "elm"])
    company["ash"].submit(task("a", has_items=True), items=((A, pack(0, [LARGE])),))
    company.wait(1)
    hear(
        company["ash"], Fetch(Purpose.INPUTS, 5, items=((A, company["ash"].node.queue.replica.tasks[A].spec.elements),))
    )
    [answer] = company.said_by("ash", Delivery)
    assert (answer.number, answer.items[0][1].values()) == (5, [LARGE])
    hear(company["ash"], Fetch(Purpose.INPUTS, 6, blobs=(BlobHash("c0de"),)))
    assert company.said_by("ash", Delivery)[-1] == Delivery(Purpose.INPUTS, 6)
