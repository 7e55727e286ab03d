"""Elements that a node runs are told to end."""

from roost.core.actions import Stop, StopMode
from roost.model.ids import task_id
from tests.core.harness import RUN, Bench, ranges, task

A, B = task_id(RUN, "a"), task_id(RUN, "b")


def test_what_runs_of_some_elements_is_killed_and_named_by_its_lease() -> None:
    bench = Bench(task("a", 2), task("b"), cpus=3)
    node = bench.node
    actions = node._turn.begin(bench.now)
    first, second = (lease for lease in node.queue.leases.active.values() if lease.spec.id == A)
    assert node.queue.stopping.end(A, ranges("1-5")) == {second.name: ranges("1")}
    assert actions == [Stop(second.name, ranges("1"), StopMode.KILL)]
    assert (first.stopping, second.stopping) == (ranges(""), ranges("1"))


def test_what_does_not_run_here_needs_no_word() -> None:
    bench = Bench(task("a", 2), cpus=1)
    actions = bench.node._turn.begin(bench.now)
    assert bench.node.queue.stopping.end(A, ranges("1")) == {}
    assert actions == []
