"""How far a lease has come, as heartbeats tell it."""

from roost.core.events import DeadlineReached, Progressed
from roost.model.limits import NOTE_TOLD_MAX
from tests.core.harness import Bench, task


def test_a_lease_runs_since_it_was_granted_and_says_what_its_element_says() -> None:
    bench = Bench(task("a"))
    (lease,) = bench.node.queue.leases.active.values()
    bench.now += 5
    bench.feed(Progressed(lease.name, 0, 0.25, "a quarter" + "." * NOTE_TOLD_MAX))
    assert bench.node.queue.progress.running_s(lease) == 5.0
    fraction, note = bench.node.queue.progress.of(lease)
    assert (fraction, len(note)) == (0.25, NOTE_TOLD_MAX)


def test_a_lease_that_has_ended_does_not_run() -> None:
    bench = Bench(task("a"))
    (lease,) = bench.node.queue.leases.active.values()
    bench.done("a")
    assert bench.node.queue.progress.running_s(lease) is None
    assert bench.node.queue.progress.of(lease) == (0.0, "")


def test_how_long_it_runs_begins_anew_with_each_element_at_hand() -> None:
    bench = Bench(task("a", 3), cpus=1)
    progress, leases = bench.node.queue.progress, bench.node.queue.leases
    bench.now += 5
    bench.feed(DeadlineReached())
    (first,) = leases.active.values()
    assert progress.running_s(first) == 5.0
    bench.done("a", str(first.outstanding.first), each_s=0.01)
    bench.now += 2
    bench.feed(DeadlineReached())
    at_hand, *behind = leases.active.values()
    assert progress.running_s(at_hand) == 2.0
    assert all(progress.running_s(lease) is None for lease in behind)
