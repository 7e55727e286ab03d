"""A node of a world comes and goes."""

from roost.lab.what_if.board import Board
from roost.lab.what_if.lives import Lived
from roost.lab.what_if.nodes import Lease, Node
from roost.model.online import NEVER_ONLINE, OnlineLog, Stretch
from roost.policy.reliability import Exponential
from tests.lab.what_if.asking import array, machines


def node(past: OnlineLog = NEVER_ONLINE) -> Node:
    (machine,) = machines("1 x lanes=2 speed=1.5")
    return Node(0, machine, Lived(past, -5.0, iter(())))


def test_a_lease_takes_a_lane_until_it_is_over() -> None:
    one = node()
    (entry,) = Board([array("a", 1.0)]).entries
    lease, other = Lease(entry, [0], one), Lease(entry, [0], one)
    one.open(lease)
    assert one.has_room
    one.open(other)
    assert not one.has_room
    one.close(lease)
    assert (one.has_room, one.leases) == (True, [other])


def test_a_node_that_dies_loses_what_it_runs_and_what_it_has_passed_over_and_remembers_when_it_was_there() -> None:
    one = node()
    (entry,) = Board([array("a", 1.0)]).entries
    lease = Lease(entry, [0], one)
    one.open(lease)
    one.overtaken[3], one.finished = 2, 7
    assert one.goes(20.0) == [lease]
    assert (one.is_up, one.has_room, one.free.cpus, one.overtaken) == (False, False, 2.0, {})
    assert (one.finished, one.aborted) == (0, 1)
    assert one.online.stretches == (Stretch(-5.0, 20.0),)
    one.comes(30.0)
    assert (one.is_up, one.since_s) == (True, 30.0)


def test_it_tells_how_long_it_stays_as_soon_as_it_knows_it() -> None:
    assert node().ability is None
    known = node(OnlineLog(tuple(Stretch(at * 30.0, at * 30.0 + 10.0) for at in range(3)))).ability
    assert known is not None
    assert (known.lifetime, known.speed) == (Exponential(0.1), 1.5)
