"""Which elements may start, and what holds them back."""

from roost.core.events import CapacityChanged, SuspendAsked
from roost.core.origin import HEARD
from roost.model.elements import Elements
from roost.model.ids import CauseId, NodeId, task_id
from roost.model.ranges import EMPTY
from roost.model.resources import Capacity
from roost.model.states import Cancelled, Leased, Released, State
from roost.model.tombstones import Tombstone
from tests.core.harness import GIB, RUN, Bench, ranges, task
from tests.tokens import attempt

A = task_id(RUN, "a")
ELM, OAK = NodeId("elm"), NodeId("oak")
CAUSE = CauseId("cancel")


def waiting() -> Bench:
    """Three elements that nobody has room for."""
    return Bench(task("a", 3), cpus=0)


def test_what_has_its_inputs_is_ready() -> None:
    readiness = waiting().node.queue.readiness
    assert (readiness.ready(A), readiness.ready_here(A), readiness.has_ready(A)) == (ranges("0-2"), ranges("0-2"), True)
    assert not readiness.has_ready(task_id(RUN, "unknown"))


def test_nothing_of_a_suspended_run_is_ready() -> None:
    bench = waiting()
    bench.ask(SuspendAsked(bench.cause("suspend"), RUN, on=True))
    assert bench.node.queue.readiness.ready(A) == EMPTY


def test_nothing_of_a_run_is_ready_that_is_about_to_be_forgotten() -> None:
    bench = waiting()
    bench.node.queue.forgotten.heard[RUN] = Tombstone(RUN, bench.node.stamp_at(bench.now))
    assert bench.node.queue.readiness.ready(A) == EMPTY


def test_what_is_withdrawn_is_not_ready_until_that_is_over() -> None:
    readiness = waiting().node.queue.readiness
    readiness.withdraw(CAUSE, {A: ranges("1")})
    assert (readiness.withdrawn(A), readiness.ready(A)) == (ranges("1"), ranges("0,2"))
    assert readiness.end_withdrawal(CAUSE) == [A]
    assert readiness.end_withdrawal(CAUSE) == []
    assert readiness.ready(A) == ranges("0-2")


def test_what_the_disk_has_no_room_for_is_ready_elsewhere_only() -> None:
    bench = waiting()
    bench.node.queue.disk_pressure.met(A, ranges("0"), "no space", bench.now)
    readiness = bench.node.queue.readiness
    assert (readiness.ready(A), readiness.ready_here(A)) == (ranges("0-2"), EMPTY)
    assert readiness.trouble == "the disk of this node is full (no space)"


def test_a_journal_that_cannot_be_written_is_named_first() -> None:
    bench = waiting()
    bench.node.queue.disk_pressure.met(A, ranges("0"), "no space", bench.now)
    bench.node.tickets.trouble = "disk full"
    assert bench.node.queue.readiness.trouble == "this node cannot write its journal (disk full)"


# Suspects.


def with_states(bench: Bench, **elements: State) -> None:
    """Let elements be in these states, as others say."""
    for index, state in elements.items():
        bench.node.queue.applying.apply(A, Elements({state: ranges(index[1:])}), HEARD)


def test_suspects_start_one_by_one_after_all_others_of_their_task() -> None:
    bench = waiting()
    readiness = bench.node.queue.readiness
    suspect = Released(0, attempt(1), ELM, 0, downed=(ELM, OAK))
    with_states(bench, e0=suspect, e1=suspect)
    assert (readiness.ready(A), readiness.ready_here(A)) == (ranges("0-2"), ranges("2"))
    with_states(bench, e2=Leased(0, attempt(1), ELM, 0))
    assert readiness.ready_here(A) == ranges("0")
    with_states(bench, e0=Leased(0, attempt(2), ELM, 0, downed=(ELM, OAK)))
    assert readiness.ready_here(A) == ranges("1"), "that one is in the hands of another node"


def test_while_a_node_has_a_suspect_in_hand_no_other_starts_there() -> None:
    bench = waiting()
    suspect = Released(0, attempt(1), ELM, 0, downed=(ELM, OAK))
    with_states(bench, e0=suspect, e1=suspect, e2=Cancelled(attempt(1)))
    bench.feed(CapacityChanged(Capacity.of(2.0, 8 * GIB, "3.11")))
    assert bench.starts() == ["a[0]"]
    assert bench.node.queue.readiness.tries_suspect()
    bench.done("a", "0")
    assert bench.starts() == ["a[1]"], "its end lets the next one start"


def test_one_death_makes_nobody_wait() -> None:
    bench = waiting()
    with_states(
        bench, e0=Released(0, attempt(1), ELM, 0, downed=(ELM,)), e1=Released(0, attempt(1), ELM, 0, downed=None)
    )
    assert bench.node.queue.readiness.ready_here(A) == ranges("0-2")
