"""What is ready when."""

from roost.lab.what_if.readiness import Readiness
from roost.lab.what_if.work import Link, Measured, Task, Uniform
from roost.model.pools import POOL_BLOCK
from roost.model.ranges import RangeSet
from roost.model.task import EdgeKind
from tests.lab.what_if.asking import array


def shown(ready: list[tuple[int, RangeSet]]) -> list[tuple[int, str]]:
    return [(at, str(ranges)) for at, ranges in ready]


def test_each_element_follows_its_own() -> None:
    readiness = Readiness([array("a", 1, 1, 1), array("b", 1, 1, 1, after=[(0, EdgeKind.EACH)])])
    assert shown(readiness.first()) == [(0, "0-2")]
    assert shown(readiness.ended(0, 1)) == [(1, "1")]
    assert shown(readiness.ended(0, 0)) == [(1, "0")]


def test_all_and_broadcast_and_after_wait_for_the_whole_source() -> None:
    for kind in (EdgeKind.ALL, EdgeKind.BROADCAST, EdgeKind.AFTER):
        readiness = Readiness([array("a", 1, 1), array("b", 1, 1, after=[(0, kind)])])
        readiness.first()
        assert readiness.ended(0, 0) == []
        assert shown(readiness.ended(0, 1)) == [(1, "0-1")]


def test_what_waits_in_two_ways_waits_for_both() -> None:
    both = array("c", 1, 1, after=[(0, EdgeKind.EACH), (1, EdgeKind.ALL)])
    readiness = Readiness([array("a", 1, 1), array("b", 1), both])
    readiness.first()
    assert readiness.ended(0, 0) == []
    assert shown(readiness.ended(1, 0)) == [(2, "0")]
    assert shown(readiness.ended(0, 1)) == [(2, "1")]


def test_a_pool_is_spread_and_gathered_block_by_block() -> None:
    blocks = RangeSet.of([0, 1, POOL_BLOCK, POOL_BLOCK + 1])
    pool = Task("pool", blocks.bounds, Measured((1.0,) * 4), (Link(0, EdgeKind.SPREAD, 1),))
    gather = Task("gather", (0, 2), Measured((1.0, 1.0)), (Link(1, EdgeKind.GATHER, 1),))
    readiness = Readiness([array("lists", 1, 1), pool, gather])
    assert shown(readiness.first()) == [(0, "0-1")]
    assert shown(readiness.ended(0, 1)) == [(1, f"{POOL_BLOCK}-{POOL_BLOCK + 1}")]
    assert readiness.ended(1, POOL_BLOCK) == []
    assert shown(readiness.ended(1, POOL_BLOCK + 1)) == [(2, "1")]


def test_what_nobody_runs_has_ended_as_soon_as_it_is_ready() -> None:
    value = Task("value", (0, 1), Uniform(0.0, 0.0), is_run=False)
    person = Task("check", (0, 1), Uniform(0.0, 0.0), (Link(1, EdgeKind.ALL),), is_run=False)
    tasks = [value, array("a", 1, after=[(0, EdgeKind.BROADCAST)]), person, array("b", 1, after=[(2, EdgeKind.AFTER)])]
    readiness = Readiness(tasks)
    assert shown(readiness.first()) == [(1, "0")]
    assert readiness.left == 2
    assert shown(readiness.ended(1, 0)) == [(3, "0")]


def test_for_what_the_source_does_not_have_nobody_waits() -> None:
    readiness = Readiness([array("a", 1), array("b", 1, 1, after=[(0, EdgeKind.EACH)])])
    assert shown(readiness.first()) == [(0, "0"), (1, "1")]
