"""How far a lease has come, as heartbeats tell it."""

from roost.core.events import Progressed
from roost.core.queue.lease_progress import lease_running_s, progress_of
from roost.model.limits import NOTE_TOLD_MAX
from tests.core.harness import Bench, task


def test_a_lease_runs_since_it_was_granted_and_says_what_its_element_says() -> None:
    bench = Bench(task("a"))
    (lease,) = bench.node.leases.active.values()
    bench.now += 5
    bench.feed(Progressed(lease.name, 0, 0.25, "a quarter" + "." * NOTE_TOLD_MAX))
    assert lease_running_s(bench.node, lease) == 5.0
    fraction, note = progress_of(bench.node, lease)
    assert (fraction, len(note)) == (0.25, NOTE_TOLD_MAX)


def test_a_lease_that_has_ended_does_not_run() -> None:
    bench = Bench(task("a"))
    (lease,) = bench.node.leases.active.values()
    bench.done("a")
    assert lease_running_s(bench.node, lease) is None
    assert progress_of(bench.node, lease) == (0.0, "")
