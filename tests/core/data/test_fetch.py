"""Bringing here what elements need before they can start."""

from roost.core.data.fetch import PATIENCE_S, RETRY_S, Fetching
from roost.core.data.inventory import Lacking
from roost.model.hashing import rendezvous
from roost.model.ids import BlobHash, NodeId, RunId, TaskId
from roost.wire.messages import Fetch, Purpose
from tests.core.harness import ranges

RUN = RunId("1-bababa")
A, B = TaskId("1-bababa/a"), TaskId("1-bababa/b")
ELM, FIR, OAK = (NodeId(name) for name in ("elm", "fir", "oak"))
OTHERS = (ELM, FIR, OAK)
LACKING = Lacking(((A, ranges("0-3")),), ((B, ranges("1")),), (BlobHash("c0de"),))
LESS = Lacking(items=((A, ranges("3")),))


def by_weight(*nodes: NodeId) -> list[NodeId]:
    """Return nodes in the order in which they would keep the run."""
    return sorted(nodes, key=lambda node: rendezvous(RUN, node), reverse=True)


def test_everything_that_is_lacking_is_asked_for_in_one_question() -> None:
    asked = Fetching().want(A, LACKING, [OAK], OTHERS, 10.0)
    assert asked == (OAK, Fetch(Purpose.INPUTS, 1, LACKING.items, LACKING.results, LACKING.blobs))


def test_the_likely_are_asked_first_and_then_the_others_likely_keepers_first() -> None:
    supply = Fetching()
    order = []
    asked = supply.want(A, LACKING, [OAK, NodeId("away"), OAK], OTHERS, 10.0)
    while asked is not None:
        order.append(asked[0])
        asked = supply.answered(1, LACKING, 10.1)
    assert order == [OAK, *by_weight(ELM, FIR)]


def test_the_next_is_asked_only_for_what_is_still_missing() -> None:
    supply = Fetching()
    supply.want(A, LACKING, [OAK], OTHERS, 10.0)
    asked = supply.answered(1, LESS, 10.1)
    assert asked is not None
    assert asked[1] == Fetch(Purpose.INPUTS, 1, LESS.items)


def test_one_question_is_open_for_a_task_at_a_time_and_each_has_its_number() -> None:
    supply = Fetching()
    assert supply.want(A, LACKING, [OAK], OTHERS, 10.0) is not None
    assert supply.want(A, LACKING, [OAK], OTHERS, 10.0) is None
    asked = supply.want(B, LESS, [OAK], OTHERS, 10.0)
    assert asked is not None
    assert (asked[1].number, supply.task_of(1), supply.task_of(2), supply.task_of(3)) == (2, A, B, None)
    assert len(supply) == 2


def test_a_question_is_over_when_nothing_is_lacking() -> None:
    supply = Fetching()
    supply.want(A, LACKING, [OAK], OTHERS, 10.0)
    assert supply.answered(1, Lacking(), 10.1) is None
    assert (len(supply), supply.task_of(1), supply.next_deadline()) == (0, None, None)
    assert not supply.is_hopeless(A, 10.1)


def test_an_answer_to_no_question_asks_nobody() -> None:
    assert Fetching().answered(0, LACKING, 10.0) is None
    assert Fetching().answered(7, LACKING, 10.0) is None


def test_who_does_not_answer_in_time_is_passed_over() -> None:
    supply = Fetching()
    supply.want(A, LACKING, [OAK], OTHERS, 10.0)
    assert supply.next_deadline() == 10.0 + PATIENCE_S
    assert supply.tick(OTHERS, 10.0 + PATIENCE_S - 0.01) == []
    [(second, fetch)] = supply.tick(OTHERS, 10.0 + PATIENCE_S)
    assert second == by_weight(ELM, FIR)[0]
    assert fetch.number == 1, "a late answer of the first still counts"


def test_who_dies_is_passed_over_at_once_and_the_dead_are_not_asked() -> None:
    supply = Fetching()
    supply.want(A, LACKING, [OAK], OTHERS, 10.0)
    [(second, _)] = supply.tick((ELM,), 10.1)
    assert second == ELM


def test_when_nobody_has_it_the_task_is_left_to_others_for_a_while() -> None:
    supply = Fetching()
    supply.want(A, LACKING, [OAK], (OAK,), 10.0)
    assert supply.answered(1, LACKING, 11.0) is None
    assert supply.is_hopeless(A, 11.0)
    assert not supply.is_hopeless(B, 11.0)
    assert supply.want(A, LACKING, [OAK], OTHERS, 12.0) is None
    assert supply.next_deadline() == 11.0 + RETRY_S
    assert supply.tick(OTHERS, 11.0 + RETRY_S) == []
    assert supply.next_deadline() is None
    assert supply.want(A, LACKING, [OAK], OTHERS, 11.0 + RETRY_S) is not None


def test_alone_nobody_is_asked() -> None:
    supply = Fetching()
    assert supply.want(A, LACKING, [OAK], (), 10.0) is None
    assert not supply.is_hopeless(A, 10.0)


def test_a_task_that_needs_nothing_any_more_or_has_left_is_dropped() -> None:
    supply = Fetching()
    supply.want(A, LACKING, [OAK], OTHERS, 10.0)
    supply.drop(A)
    supply.drop(A)
    assert supply.answered(1, LACKING, 10.1) is None
    supply.want(A, LACKING, [OAK], (OAK,), 10.0)
    supply.answered(2, LACKING, 10.1)
    supply.forget(A)
    assert not supply.is_hopeless(A, 10.1)
    assert supply.next_deadline() is None


def test_who_has_more_than_one_answer_holds_is_asked_on_under_a_new_number() -> None:
    supply = Fetching()
    supply.want(A, LACKING, [OAK], OTHERS, 10.0)
    assert supply.answered(1, LESS, 10.1, more=True) == (OAK, Fetch(Purpose.INPUTS, 2, LESS.items))
    assert supply.next_deadline() == 10.1 + PATIENCE_S
    assert supply.answered(1, LESS, 10.2, more=True) is None, "an answer that comes twice is followed up once"
    assert supply.answered(2, Lacking(), 10.3) is None
    assert len(supply) == 0


def test_who_promises_more_and_brings_nothing_is_not_asked_again() -> None:
    supply = Fetching()
    supply.want(A, LACKING, [OAK], OTHERS, 10.0)
    asked = supply.answered(1, LACKING, 10.1, more=True)
    assert asked is not None
    assert asked[0] == by_weight(ELM, FIR)[0]
