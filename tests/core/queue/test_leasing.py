"""What a node takes next is written down before it is started, and nothing is while the disk refuses."""

import tracemalloc

from roost.core.actions import Persist, Start
from roost.core.events import CapacityChanged, GiveWay
from roost.core.facts import StatesMerged
from roost.model.resources import Capacity
from tests.core.harness import GIB, RUN, Bench, edge, task


def test_leases_of_one_event_are_written_in_one_go_before_any_of_them_starts() -> None:
    bench = Bench(task("a"), task("b"), cpus=0.0)
    actions = bench.node.handle(CapacityChanged(Capacity.of(2.0, 8 * GIB, "3.11"), GiveWay.FINISH), bench.now)
    kinds = [type(action) for action in actions if isinstance(action, Persist | Start)]
    assert kinds == [Persist, Start, Start]
    [persist] = [action for action in actions if isinstance(action, Persist)]
    assert sum(isinstance(fact, StatesMerged) for fact in persist.facts) == 2


def test_nothing_starts_while_the_disk_refuses_and_it_does_when_there_is_room() -> None:
    bench = Bench(task("a", 2), cpus=1.0)
    bench.slow_disk = True
    bench.done("a", "0")
    bench.refuse()
    bench.seen()
    assert not bench.node._leasing.may_lease
    bench.wait(5)
    bench.write_all()
    bench.slow_disk = False
    bench.wait(60)
    assert bench.node._leasing.may_lease
    bench.finish_all()
    assert bench.disk.ends[RUN].counts == {"done": 2}


def test_a_million_elements_are_leased_and_cancelled_in_kilobytes() -> None:
    bench = Bench(cpus=1.0)
    tracemalloc.start()
    bench.submit(task("a", 1_000_000), task("b", 1_000_000, edge("a")))
    bench.done("a", "0", each_s=0.00001)
    bench.cancel(a="0-999999")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (bench.states("a"), bench.states("b")["ready"]) == ({"done": "0", "cancelled": "1-999999"}, "0")
    assert peak < 500_000
