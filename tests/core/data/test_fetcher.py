"""Inputs that are elsewhere are asked for."""

from roost.core.actions import Send
from roost.core.clock_bounds import ClockBounds
from roost.core.data.fetcher import PATIENCE_S, RETRY_S, Fetcher
from roost.core.data.inventory import Inventory, Lacking
from roost.core.events import CapacityChanged, Heard
from roost.core.peers import Peers
from roost.core.queue.replica import Replica
from roost.core.tickets import Tickets
from roost.core.turn import Turn
from roost.model.clock import Stamp
from roost.model.hashing import rendezvous
from roost.model.ids import BlobHash, NodeId, TaskId, task_id
from roost.model.ranges import RangeSet
from roost.model.record import RunRecord, TaskRecord
from roost.model.resources import Capacity
from roost.model.segments import pack
from roost.model.task import RunKind, RunSpec, TaskSpec
from roost.wire.messages import (
    Delivery,
    Fetch,
    Message,
    Purpose,
)
from tests.core.company import WINDOW_S, Company, Letter, Member
from tests.core.harness import ASH, OTHER_RUN, RUN, Bench, edge, ranges, task

A, B = task_id(RUN, "a"), task_id(RUN, "b")
ELM, FIR, OAK = (NodeId(name) for name in ("elm", "fir", "oak"))
OTHERS = (ELM, FIR, OAK)
LARGE = b"x" * 20_000
LACKING = Lacking(((A, ranges("0-3")),), ((B, ranges("1")),), (BlobHash("c0de"),))
LESS = Lacking(items=((A, ranges("3")),))


class Stock(Inventory):
    """Lacks what a test says."""

    lacks = LACKING

    def lacking(self, spec: TaskSpec, ranges: RangeSet) -> Lacking:
        return self.lacks


class Desk:
    """Ash, which needs what oak, where its tasks were submitted, probably has."""

    def __init__(self, *others: NodeId) -> None:
        at = Stamp(1, 0, OAK)
        replica = Replica()
        replica.add_run(RunRecord(RunSpec(RUN, "run", RunKind.FLOW, "ann", OAK, at)))
        self._specs = {name: task(name, 4, submitted=at) for name in ("a", "b")}
        for spec in self._specs.values():
            replica.add_task(TaskRecord(spec))
        self._turn = Turn(ASH, 1, ClockBounds(ASH), Tickets())
        self._peers = Peers(self._turn)
        self._stock = Stock(replica)
        self.fetcher = Fetcher(self._turn, self._peers, replica, self._stock)
        self._at(10.0, others)

    def _at(self, now: float, others: tuple[NodeId, ...] | None = None) -> None:
        self._actions = self._turn.begin(now)
        if others is not None:
            self._peers.others = others

    def _asked(self) -> list[tuple[NodeId | None, Fetch]]:
        """Return who is asked for what in this turn."""
        sent = [action for action in self._actions if isinstance(action, Send)]
        return [(send.to, send.message) for send in sent if isinstance(send.message, Fetch)]

    def want(
        self, name: str, now: float = 10.0, others: tuple[NodeId, ...] | None = None
    ) -> list[tuple[NodeId | None, Fetch]]:
        self._at(now, others)
        self.fetcher.fetch(self._specs[name], self._specs[name].elements)
        return self._asked()

    def answered(
        self, number: int, lacking: Lacking, now: float = 10.1, *, more: bool = False
    ) -> list[tuple[NodeId | None, Fetch]]:
        self._at(now)
        self._stock.lacks = lacking
        self.denied = self.fetcher.answered(Delivery(Purpose.INPUTS, number, more=more), self._wanted)
        return self._asked()

    def tick(self, now: float, others: tuple[NodeId, ...] | None = None) -> list[tuple[NodeId | None, Fetch]]:
        self._at(now, others)
        self.fetcher.tick()
        return self._asked()

    def _wanted(self, task: TaskId) -> RangeSet:
        return ranges("0-3")


def by_weight(*nodes: NodeId) -> list[NodeId]:
    """Return nodes in the order in which they would keep the run."""
    return sorted(nodes, key=lambda node: rendezvous(RUN, node), reverse=True)


def hear(member: Member | Bench, message: Message, sender: str = "elm") -> None:
    """Let a node hear something that nobody has said."""
    member.feed(Heard(NodeId(sender), Stamp(1, 0, NodeId(sender)), message))


def test_everything_that_is_lacking_is_asked_for_in_one_question() -> None:
    fetch = Fetch(Purpose.INPUTS, 1, LACKING.items, LACKING.results, LACKING.blobs)
    assert Desk(*OTHERS).want("a") == [(OAK, fetch)]


def test_the_likely_are_asked_first_and_then_the_others_likely_keepers_first() -> None:
    desk = Desk(*OTHERS)
    order = []
    asked = desk.want("a")
    while asked:
        order += [to for to, _ in asked]
        asked = desk.answered(1, LACKING)
    assert order == [OAK, *by_weight(ELM, FIR)]


def test_the_next_is_asked_only_for_what_is_still_missing() -> None:
    desk = Desk(*OTHERS)
    desk.want("a")
    [(_, fetch)] = desk.answered(1, LESS)
    assert fetch == Fetch(Purpose.INPUTS, 1, LESS.items)


def test_one_question_is_open_for_a_task_at_a_time_and_each_has_its_number() -> None:
    desk = Desk(*OTHERS)
    [(_, first)] = desk.want("a")
    assert desk.want("a") == []
    [(_, second)] = desk.want("b")
    assert (first.number, second.number) == (1, 2)


def test_a_question_is_over_when_nothing_is_lacking() -> None:
    desk = Desk(*OTHERS)
    desk.want("a")
    assert desk.answered(1, Lacking()) == desk.answered(1, LACKING) == []
    assert desk.fetcher.next_deadline() is None
    assert not desk.fetcher.is_hopeless(A)
    assert not desk.fetcher.has_hopeless


def test_an_answer_to_no_question_asks_nobody() -> None:
    desk = Desk(*OTHERS)
    assert desk.answered(0, LACKING) == desk.answered(7, LACKING) == []


def test_who_does_not_answer_in_time_is_passed_over() -> None:
    desk = Desk(*OTHERS)
    desk.want("a")
    assert desk.fetcher.next_deadline() == 10.0 + PATIENCE_S
    assert desk.tick(10.0 + PATIENCE_S - 0.01) == []
    [(second, fetch)] = desk.tick(10.0 + PATIENCE_S)
    assert second == by_weight(ELM, FIR)[0]
    assert fetch.number == 1, "a late answer of the first still counts"


def test_who_dies_is_passed_over_at_once_and_the_dead_are_not_asked() -> None:
    desk = Desk(*OTHERS)
    desk.want("a")
    [(second, _)] = desk.tick(10.1, (ELM,))
    assert second == ELM


def test_when_nobody_has_it_the_task_is_left_to_others_for_a_while() -> None:
    desk = Desk(OAK)
    desk.want("a")
    assert desk.answered(1, LACKING, 11.0) == []
    assert desk.denied == [(A, LACKING)]
    assert desk.fetcher.is_hopeless(A)
    assert desk.fetcher.has_hopeless
    assert not desk.fetcher.is_hopeless(B)
    assert desk.want("a", 12.0, OTHERS) == []
    assert desk.fetcher.next_deadline() == 11.0 + RETRY_S
    assert desk.tick(11.0 + RETRY_S) == []
    assert desk.fetcher.next_deadline() is None
    assert desk.want("a", 11.0 + RETRY_S) != []


def test_where_somebody_was_silent_nobody_says_that_it_is_lost() -> None:
    desk = Desk(ELM, OAK)
    desk.want("a")
    assert desk.tick(10.0 + PATIENCE_S) != []
    assert desk.answered(1, LACKING, 12.5) == []
    assert desk.denied == []
    assert desk.fetcher.is_hopeless(A)


def test_alone_nobody_is_asked() -> None:
    desk = Desk()
    assert desk.want("a") == []
    assert not desk.fetcher.is_hopeless(A)


def test_a_task_that_has_left_is_dropped() -> None:
    desk = Desk(OAK)
    desk.want("a")
    desk.fetcher.forget(A)
    desk.fetcher.forget(A)
    assert desk.answered(1, LACKING) == []
    assert desk.denied == []
    desk.want("a")
    desk.answered(2, LACKING)
    desk.fetcher.forget(A)
    assert not desk.fetcher.is_hopeless(A)
    assert desk.fetcher.next_deadline() is None


def test_who_has_more_than_one_answer_holds_is_asked_on_under_a_new_number() -> None:
    desk = Desk(*OTHERS)
    desk.want("a")
    assert desk.answered(1, LESS, more=True) == [(OAK, Fetch(Purpose.INPUTS, 2, LESS.items))]
    assert desk.fetcher.next_deadline() == 10.1 + PATIENCE_S
    assert desk.answered(1, LESS, 10.2, more=True) == [], "an answer that comes twice is followed up once"
    assert desk.answered(2, Lacking(), 10.3) == []
    assert desk.fetcher.next_deadline() is None


def test_who_promises_more_and_brings_nothing_is_not_asked_again() -> None:
    desk = Desk(*OTHERS)
    desk.want("a")
    [(next_one, _)] = desk.answered(1, LACKING, more=True)
    assert next_one == by_weight(ELM, FIR)[0]


def test_data_is_asked_of_the_likeliest_holder_first_and_then_of_the_others() -> None:
    """oak goes on with what elm has made for ash: ash keeps it, elm has it, and fir would be the run's next keeper."""
    assert rendezvous(OTHER_RUN, "fir") > rendezvous(OTHER_RUN, "elm")
    company = Company("ash", "elm", "fir", "oak", no_room=["ash", "fir", "oak"])
    company["ash"].submit(task("a", run=OTHER_RUN), task("b", 1, edge("a", run=OTHER_RUN), run=OTHER_RUN))
    company.wait(WINDOW_S)
    company["elm"].feed(CapacityChanged(Capacity.of(0.0, 0, "3.11")))
    company["elm"].done("a", run=OTHER_RUN)
    company.settle()
    asked: list[str] = []

    def never_arrives(letter: Letter) -> bool:
        if isinstance(letter.message, Fetch):
            asked.append(letter.to)
        return isinstance(letter.message, Fetch)

    company.lost = never_arrives
    company["oak"].feed(CapacityChanged(Capacity.of(1.0, 0, "3.11")))
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
