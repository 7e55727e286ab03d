"""How a device does, by its battery, its link and its work."""

from random import Random

import pytest

from roost.lab.mobile.battery import Battery
from roost.lab.mobile.device import HALF_LIFE_S, Device
from roost.lab.mobile.movement import Place, Waypoint, along, movement_of
from roost.model.ids import NodeId
from roost.model.limits import PERFORMANCE_MAX
from roost.model.vitals import NodeState

STANDS = along([Waypoint(0.0, Place(0.0, 0.0))])


def device(*, supers: tuple[Place, ...] = (), battery: Battery | None = None) -> Device:
    return Device(NodeId("worker01"), battery or Battery(), STANDS, supers)


def test_work_costs_charge_while_it_goes_on_and_no_longer() -> None:
    one, other = device(), device()
    one.begins(100.0)
    assert one.remaining(150.0) == pytest.approx(Battery().remaining(150.0, 50.0))
    one.stops(200.0)
    assert other.remaining(900.0) - one.remaining(900.0) == pytest.approx(Battery().costs(100.0))


def test_by_what_remains_a_busy_device_does_nearly_as_well_and_by_its_lanes_it_does_nothing() -> None:
    one = device()
    one.begins(0.0)
    assert one.performs(10.0, "remaining") == pytest.approx(PERFORMANCE_MAX, rel=0.01)
    assert one.performs(10.0, "lanes") == one.performs(10.0, "roost") == 0


def test_as_in_roost_the_past_counts_half_after_a_while() -> None:
    one = device(battery=Battery(idle_s=1e18, busy_s=1e18))
    one.begins(0.0)
    one.stops(HALF_LIFE_S)
    assert one.performs(HALF_LIFE_S, "lanes") == PERFORMANCE_MAX
    assert one.performs(HALF_LIFE_S, "roost") == pytest.approx(PERFORMANCE_MAX / 2, rel=1e-6)
    assert one.performs(2 * HALF_LIFE_S, "roost") == pytest.approx(0.75 * PERFORMANCE_MAX, rel=1e-6)


def test_its_link_is_that_to_the_nearest_super_peer_and_perfect_if_links_do_not_count() -> None:
    near, far = Place(10.0, 0.0), Place(1000.0, 0.0)
    assert device().link(0.0) == 1.0
    assert device(supers=(far, near)).link(0.0) == device(supers=(near,)).link(0.0) > device(supers=(far,)).link(0.0)


def test_a_device_whose_battery_ends_soon_is_no_longer_stable() -> None:
    one = device(battery=Battery(idle_s=3600.0))
    states = []
    for at in range(0, 3600, 60):
        one.look_at_itself(float(at))
        states.append(one.condition.state)
    assert states[0] is NodeState.VERY_STABLE
    assert states == sorted(states)
    assert states[-1] is NodeState.TOO_UNSTABLE


def test_where_it_is_follows_from_its_movement() -> None:
    walks = movement_of("waypoint", 500.0, 5000.0, Random("1"))
    one = Device(NodeId("worker01"), Battery(), walks, (Place(0.0, 0.0),))
    assert len({round(one.link(float(at)), 3) for at in range(0, 5000, 100)}) > 5
