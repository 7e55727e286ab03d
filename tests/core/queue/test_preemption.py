"""Interactive work and low work that was leased before it came."""

import pytest

from roost.core.events import DrainAsked
from roost.model.task import Priority
from roost.policy.order import AGEING_S
from roost.policy.shares import Account
from tests.core.company import WINDOW_S, Company
from tests.core.harness import OTHER_RUN, Bench, task


def hurried(name: str = "now", count: int = 1, **more: object) -> object:
    return task(name, count, run=OTHER_RUN, priority=Priority.INTERACTIVE, **more)


def busy_bench(cpus: float = 1, count: int = 400) -> Bench:
    """Return a bench whose lanes hold much short low work."""
    bench = Bench(task("low", count), cpus=cpus)
    while sum(len(lease.outstanding) for lease in bench.node.queue.leases.active.values()) < 20 * cpus:
        bench.done("low", str(next(iter(bench.node.queue.leases.active.values())).outstanding.first), each_s=0.001)
    bench.seen()
    return bench


def kept(bench: Bench) -> int:
    """Return how many leased elements were not told to go back."""
    return sum(len(lease.outstanding - lease.stopping) for lease in bench.node.queue.leases.active.values())


def give_back(bench: Bench) -> None:
    """Let the executor give back what it was told to."""
    for lease in list(bench.node.queue.leases.active.values()):
        if lease.stopping:
            bench.give_back("low", str(lease.stopping))


def test_low_work_that_has_not_begun_goes_back_and_interactive_work_is_next() -> None:
    bench = busy_bench()
    bench.submit(hurried())
    assert kept(bench) == 1
    give_back(bench)
    (running,) = bench.node.queue.leases.active.values()
    bench.done("low", str(running.outstanding), each_s=0.001)
    assert "now[0]" in bench.starts()


def test_only_as_many_lanes_make_way_as_it_needs() -> None:
    bench = busy_bench(cpus=2)
    before = kept(bench)
    bench.submit(hurried())
    told = {line.rpartition(" ")[2] for line in bench.seen() if line.startswith("stop")}
    assert told == {"unstarted"}
    making_way = {lease.lane for lease in bench.node.queue.leases.active.values() if lease.stopping}
    assert len(making_way) == 1
    assert 1 < kept(bench) < before


def test_they_are_told_once() -> None:
    bench = busy_bench()
    bench.submit(hurried())
    bench.seen()
    bench.wait(0.001)
    assert not [line for line in bench.seen() if line.startswith("stop")]


@pytest.mark.parametrize("priority", [Priority.LOW, Priority.INTERACTIVE])
def test_work_of_the_same_class_makes_no_way(priority: Priority) -> None:
    bench = Bench(task("low", 400, priority=priority), cpus=1)
    bench.done("low", "0", each_s=0.001)
    before = kept(bench)
    bench.submit(task("next", run=OTHER_RUN, priority=priority))
    assert kept(bench) == before


def test_low_work_that_has_waited_too_long_to_be_overtaken_makes_no_way() -> None:
    bench = busy_bench()
    before = kept(bench)
    bench.submit(hurried(at=AGEING_S + 1))
    assert kept(bench) == before


def test_where_there_is_room_nothing_makes_way() -> None:
    bench = busy_bench(cpus=1.5)
    bench.submit(hurried(cpus=0.5))
    assert not any(lease.stopping for lease in bench.node.queue.leases.active.values())


def test_a_node_that_drains_makes_no_way_for_what_it_will_not_take() -> None:
    bench = busy_bench()
    bench.feed(DrainAsked(on=True))
    bench.seen()
    bench.submit(hurried())
    assert not [line for line in bench.seen() if line.startswith("stop")]


def test_in_company_the_node_makes_way_where_it_was_handed_in() -> None:
    company = Company("ash", "elm")
    company["ash"].submit(task("low", 400))
    company.wait(WINDOW_S)
    for _ in range(4):
        for name in ("ash", "elm"):
            for lease in list(company[name].node.queue.leases.active.values()):
                company[name].done("low", str(lease.outstanding.take(1)), each_s=0.001)
        company.settle()
    company["ash"].submit(hurried())
    company.settle()
    assert any(lease.stopping for lease in company["ash"].node.queue.leases.active.values())
    assert not any(lease.stopping for lease in company["elm"].node.queue.leases.active.values())


def test_another_users_low_work_makes_way_for_who_has_had_less() -> None:
    bench = busy_bench()
    bench.submit(hurried(), owner="bob")
    assert kept(bench) == 1


def test_who_has_had_more_pushes_nobodys_work_back() -> None:
    bench = busy_bench()
    before = kept(bench)
    bench.node.queue.usage._user("bob").account = Account(10_000.0, bench.now)
    bench.submit(hurried(), owner="bob")
    assert kept(bench) == before
