"""The checker of further attempts notices those that begin where they must not, that a record names, or that go on."""

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from roost.core.actions import Persist, Start, Stop, StopMode
from roost.core.events import DeadlineReached, ElementsReturned
from roost.core.facts import StatesMerged
from roost.core.queue.attempts import Attempts
from roost.core.queue.leases import Leases
from roost.core.queue.replica import TaskEntry
from roost.core.queue.tokens import Tokens
from roost.model.elements import Elements
from roost.model.ids import NodeId
from roost.model.ranges import EMPTY, RangeSet
from roost.model.states import Cancelled, Done, Failed, Leased, Released, State
from roost.model.task import TaskSpec
from roost.sim.checkers.attempts_apart import AttemptsApart
from roost.sim.checkers.observer import Broken
from roost.sim.executor import Mishaps
from roost.sim.journal import SimDisk
from roost.sim.life import Faults
from roost.sim.plan import MeshOptions
from tests.core.harness import ranges
from tests.sim.checkers.meshes import A, live_through, stand_in
from tests.tokens import attempt

N1, N2 = NodeId("n1"), NodeId("n2")
HELD = Leased(0, attempt(1), N2, 0)
#: Three nodes, all of which repeat what the others run, for long enough that it is worth it.
REPEATERS = MeshOptions(
    nodes=3,
    faulty_s=4.0,
    requests=6,
    widths=(1, 3),
    attempts=1.0,
    machine=Faults(mishaps=Mishaps(fail=0.2, mean_s=0.5)),
)


def node_that_sees(*states: State, spec: TaskSpec = A) -> Any:
    node = stand_in("n1")
    node.queue.replica.tasks[spec.id] = TaskEntry.fresh(spec)
    for state in states:
        node.queue.replica.tasks[spec.id].merge(Elements({state: ranges("0")}))
    return node


def begins(checker: AttemptsApart, node: Any, token: int = 2, spec: TaskSpec = A) -> Start:
    lease = node.queue.leases.attempt(node.queue.replica.tasks[spec.id], ranges("0"), attempt(token), 1, 0.0)
    checker.on_action(lease.start(), node, SimDisk(N1))
    start: Start = lease.start()
    return start


def test_it_counts_attempts_and_is_content_with_those_that_end_in_time() -> None:
    checker, node = AttemptsApart(), node_that_sees(HELD)
    start = begins(checker, node)
    checker.on_event(DeadlineReached(), node)
    node.queue.replica.tasks[A.id].merge(Elements({Done(attempt(1), N2): ranges("0")}))
    checker.on_action(Stop(start.lease, start.ranges, StopMode.KILL), node, SimDisk(N1))
    checker.on_event(DeadlineReached(), node)
    assert checker.begun == 1


@pytest.mark.parametrize("state", [Done(attempt(1), N2), Cancelled(attempt(1)), Failed(0, attempt(1), N2, 1)])
def test_it_notices_an_attempt_that_goes_on_although_its_node_knows_the_end(state: State) -> None:
    checker, node = AttemptsApart(), node_that_sees(HELD)
    start = begins(checker, node)
    node.queue.replica.tasks[A.id].merge(Elements({state: ranges("0")}))
    with pytest.raises(Broken, match="goes on with an attempt"):
        checker.on_event(DeadlineReached(), node)
    checker.on_end(N1)
    checker.on_event(ElementsReturned(start.lease, start.ranges), node)


def test_what_was_answered_has_ended() -> None:
    checker, node = AttemptsApart(), node_that_sees(HELD)
    start = begins(checker, node)
    checker.on_event(ElementsReturned(start.lease, start.ranges), node)
    node.queue.replica.tasks[A.id].merge(Elements({Done(attempt(1), N2): ranges("0")}))
    checker.on_event(DeadlineReached(), node)


@pytest.mark.parametrize("states", [(HELD, Released(0, attempt(1), N2, 0)), (Leased(0, attempt(1), N1, 0),), ()])
def test_it_notices_an_attempt_at_what_no_other_node_holds(states: tuple[State, ...]) -> None:
    with pytest.raises(Broken, match="no other node holds it"):
        begins(AttemptsApart(), node_that_sees(*states))


def test_it_notices_an_attempt_under_an_older_token_than_that_of_the_lease() -> None:
    with pytest.raises(Broken, match="under"):
        begins(AttemptsApart(), node_that_sees(HELD), token=1)


def test_it_notices_an_attempt_at_what_must_not_be_repeated() -> None:
    spec = msgspec.structs.replace(A, repeatable=False)
    with pytest.raises(Broken, match="must not be repeated"):
        begins(AttemptsApart(), node_that_sees(HELD, spec=spec), spec=spec)


@pytest.mark.parametrize("kind", [Leased, Released, Failed])
def test_it_notices_a_record_that_names_an_attempt(kind: Any) -> None:
    checker, node = AttemptsApart(), node_that_sees(HELD)
    begins(checker, node)
    written = (
        StatesMerged(A.id, Elements({Done(attempt(2), N1): ranges("0"), kind(0, attempt(2), N1, 0): ranges("1")})),
    )
    checker.on_action(Persist(1, written), node, SimDisk(N1))
    wrong = (StatesMerged(A.id, Elements({kind(0, attempt(2), N1, 0): ranges("0")})),)
    with pytest.raises(Broken, match="which no record names"):
        checker.on_action(Persist(2, wrong), stand_in("n3"), SimDisk(NodeId("n3")))


# Worlds in which something was broken on purpose.


def test_it_is_content_with_worlds_of_repeaters() -> None:
    live_through(range(1), REPEATERS, ())


def test_it_notices_nodes_that_let_attempts_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Attempts, "moved", lambda *_: None)
    with pytest.raises(Broken, match="goes on with an attempt"):
        live_through(range(6), REPEATERS, ())


def test_it_notices_nodes_that_fail_elements_with_their_attempts(monkeypatch: pytest.MonkeyPatch) -> None:
    failed = Leases.failed

    def counted(leases: Leases, lease: Any, entry: Any, index: int, failure: Any) -> Elements:
        delta = failed(leases, lease, entry, index, failure)
        if not lease.further:
            return delta
        lease.further = False
        return Elements({Failed(0, lease.token, N1, 1): ranges(str(index))})

    monkeypatch.setattr(Leases, "failed", counted)
    with pytest.raises(Broken, match=r"which no record names|goes on"):
        live_through(range(6), REPEATERS, ())


def test_it_notices_nodes_that_attempt_what_nobody_else_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    def everything(attempts: Attempts, entry: TaskEntry, *_: RangeSet) -> Iterator[tuple[NodeId, RangeSet]]:
        yield N2, entry.spec.elements - attempts._tried.get(entry.spec.id, EMPTY)

    monkeypatch.setattr(Attempts, "held_elsewhere", everything)
    with pytest.raises(Broken, match="no other node holds it"):
        live_through(range(12), REPEATERS, ())


def test_tokens_that_do_not_grow_after_attempts_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A node that forgets which tokens its attempts had gives one of them to a lease of the same element."""
    monkeypatch.setattr(Tokens, "for_attempt", Tokens.for_lease)
    with pytest.raises(Broken, match=r"does not grow|which no record names"):
        live_through(range(12), REPEATERS, ())
