"""What no make-span can be below."""

from roost.lab.what_if.floor import floor_of
from roost.lab.what_if.work import Link, Measured, Task, Uniform
from roost.model.pools import POOL_BLOCK
from roost.model.ranges import RangeSet
from roost.model.task import EdgeKind, Needs
from tests.lab.what_if.asking import array, machines, work


def test_all_work_is_shared_out_over_all_lanes_as_fast_as_they_are() -> None:
    floor = floor_of(machines("2 x lanes=2", "1 x lanes=1 speed=2"), work(array("a", *[6.0] * 10)))
    assert (floor.work_s, floor.chain_s, floor.least_s) == (10.0, 3.0, 10.0)


def test_more_processors_for_an_element_are_more_work() -> None:
    wide = Task("a", (0, 2), Measured((5.0, 5.0)), needs=Needs.of(4.0))
    assert floor_of(machines("1 x lanes=4"), work(wide)).work_s == 10.0


def test_the_longest_chain_goes_element_by_element_where_it_may() -> None:
    first, second = array("a", 1.0, 9.0), array("b", 5.0, 1.0, after=[(0, EdgeKind.EACH)])
    third = array("c", 2.0, after=[(1, EdgeKind.ALL)])
    assert floor_of(machines("9 x lanes=1"), work(first, second, third)).chain_s == 12.0


def test_a_pool_is_as_long_as_its_longest_block() -> None:
    blocks = RangeSet.of([0, POOL_BLOCK])
    pool = Task("pool", blocks.bounds, Measured((2.0, 7.0)), (Link(0, EdgeKind.SPREAD, 1),))
    gather = Task("gather", (0, 2), Measured((3.0, 0.5)), (Link(1, EdgeKind.GATHER, 1),))
    assert floor_of(machines("9"), work(array("lists", 1.0, 1.0), pool, gather)).chain_s == 8.5


def test_what_nobody_runs_takes_no_time_and_what_is_drawn_its_least() -> None:
    value = Task("value", (0, 1), Uniform(0.0, 0.0), is_run=False)
    drawn = Task("a", (0, 2), Uniform(3.0, 8.0), (Link(0, EdgeKind.BROADCAST),))
    floor = floor_of(machines("1"), work(value, drawn))
    assert (floor.work_s, floor.chain_s) == (6.0, 3.0)
