"""Which elements may start, and what holds them back."""

from roost.core.events import SuspendAsked
from roost.model.ids import CauseId, task_id
from roost.model.ranges import EMPTY
from roost.model.tombstones import Tombstone
from tests.core.harness import RUN, Bench, ranges, task

A = task_id(RUN, "a")
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
