"""Elements that lie: whatever they say, a node accepts one result of each, and the checkers would see two."""

from collections.abc import Callable
from random import Random

import pytest

from roost.core.actions import Start
from roost.core.events import ElementFailed, ElementsDone, ElementsReturned, Progressed
from roost.core.executor_reports import Answer, what_counts
from roost.core.node import Node
from roost.core.outcomes import done
from roost.core.queue.leases import Lease, Leases
from roost.model.ids import LeaseId
from roost.model.ranges import RangeSet
from roost.sim.checkers.observer import Broken
from roost.sim.liars import FRACTIONS, LIE, NO_LEASE, Liar, Lie, Said, is_result_of, result_of
from tests.core.harness import ranges, task
from tests.sim.checkers.meshes import live_through
from tests.sim.liars import LIARS
from tests.tokens import attempt

A = task("a", 10)


def heard(seed: int, chance: float = 1.0) -> list[Said]:
    """Return what a liar says about two leases of which one was stopped."""
    told: list[Said] = []
    liar = Liar(Random(seed), chance, lambda _, lie: told.append(lie.said))
    first, second = (Start(LeaseId(at), at, A, ranges(part), attempt(at)) for at, part in ((1, "0-2"), (2, "5-7")))
    for start in (first, second):
        for index in start.ranges:
            liar.began(start, index)
    liar.stopped(first, ranges("1-2"))
    return told


def test_the_honest_say_nothing() -> None:
    assert heard(1, chance=0.0) == []


def test_everything_is_said_that_is_not_true() -> None:
    told = [said for seed in range(60) for said in heard(seed)]
    done = [said for said in told if isinstance(said, ElementsDone)]
    indices = {segment.start for said in done for segment in said.segments}
    assert {said.lease for said in told} == {1, 2, NO_LEASE}
    assert indices & set(range(8))
    assert max(indices) > max(A.elements)
    assert {said.fraction for said in told if isinstance(said, Progressed)} >= set(FRACTIONS) - {FRACTIONS[5]}
    assert any(not said.segments for said in done)
    assert any(len(said.segments) == 2 for said in done)
    assert any(said.busy_s < 0 for said in done)
    assert any(segment.count == 2 for said in done for segment in said.segments)
    assert any(isinstance(said, ElementFailed) for said in told)
    assert {said.ranges for said in told if isinstance(said, ElementsReturned)} >= {ranges("0-2"), ranges("5-7")}


def test_what_could_be_true_is_a_result_of_its_element_and_the_rest_is_known_for_a_lie() -> None:
    leases = {LeaseId(1): ranges("0-2"), LeaseId(2): ranges("5-7")}
    for said in (said for seed in range(60) for said in heard(seed) if isinstance(said, ElementsDone)):
        for segment in said.segments:
            for index, value in enumerate(segment.values(), segment.start):
                could_be = index in leases.get(said.lease, RangeSet())
                assert is_result_of(value, A.id, index) if could_be else value == LIE


def test_every_attempt_of_a_fickle_element_has_a_result_of_its_own() -> None:
    liar = Liar(Random(1), 0.0, lambda _, lie: None)
    one, other = liar.fickle_result(A.id, 1), liar.fickle_result(A.id, 1)
    assert one != other
    assert all(is_result_of(value, A.id, 1) for value in (one, other, result_of(A.id, 1)))
    assert not any(is_result_of(one, A.id, index) for index in (0, 2, 10, 11))


def test_lies_come_sooner_or_later() -> None:
    delays: list[float] = []
    liar = Liar(Random(1), 1.0, lambda delay, _: delays.append(delay))
    for index in range(10):
        liar.began(Start(LeaseId(1), 1, A, ranges("0-9"), attempt(1)), index)
    assert min(delays) < 0.001
    assert max(delays) > 1.0


def test_nodes_stand_liars() -> None:
    live_through(range(1), options=LIARS)


# A node that believed them would be found out.


def believing(believed: Callable[[Lease, Answer], Answer | None], monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a node take for true what this says, and break nothing over it."""
    monkeypatch.setattr("roost.core.node.what_counts", believed)

    def answer(leases: Leases, lease: Lease, members: RangeSet) -> None:
        lease.outstanding -= members
        lease.stopping -= members
        if not lease.outstanding:
            leases.active.pop(lease.name, None)

    monkeypatch.setattr(Leases, "_answer", answer)


def all_of_it(_: Lease, answer: Answer) -> Answer | None:
    return None if isinstance(answer, ElementsDone) and not answer.segments else answer


def test_a_second_answer_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    had: dict[Lease, RangeSet] = {}

    def all_of_the_lease(lease: Lease, answer: Answer) -> Answer | None:
        members = had.setdefault(lease, lease.outstanding)
        if isinstance(answer, ElementsDone) and answer.segments:
            return answer if all(segment.ranges.issubset(members) for segment in answer.segments) else None
        return what_counts(lease, answer)

    believing(all_of_the_lease, monkeypatch)
    with pytest.raises(Broken, match="gave b'"):
        live_through(options=LIARS)


def test_an_element_that_is_not_in_the_lease_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    believing(all_of_it, monkeypatch)
    with pytest.raises(Broken, match=r"another than its own|no such lease|gave b'"):
        live_through(options=LIARS)


def test_a_result_under_a_lease_that_is_over_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    believing(what_counts, monkeypatch)
    known: dict[tuple[Node, LeaseId], Lease] = {}
    answered = Node._answered

    def remember(node: Node, event: Answer) -> None:
        lease = node.queue.leases.active.get(event.lease)
        if lease is not None:
            known[node, event.lease] = lease
        elif isinstance(event, ElementsDone) and (node, event.lease) in known:
            done(node, known[node, event.lease], node.queue.replica.tasks[known[node, event.lease].spec.id], event)
        answered(node, event)

    monkeypatch.setattr(Node, "_answered", remember)
    with pytest.raises(Broken, match=r"gave b'|another than its own|no such lease"):
        live_through(options=LIARS)


def test_a_lie_reaches_the_node_as_it_was_said() -> None:
    said = ElementsReturned(LeaseId(1), ranges("0"))
    assert Lie(said).said is said
