"""How much of a machine the lanes take, now and over a long time."""

from typing import Any

import pytest

from roost.core.clock_bounds import ClockBounds
from roost.core.mesh.performance.load import HALF_LIFE_S, Load
from roost.core.queue.lanes import Lane, Lanes
from roost.core.tickets import Tickets
from roost.core.turn import Turn
from roost.model.clock import NEVER
from roost.model.ids import NodeId
from roost.model.resources import Capacity
from tests.core.harness import GIB, task

ASH = NodeId("ash")


class Machine:
    """Lanes that open and close, and a clock."""

    def __init__(self, cpus: float) -> None:
        self.turn = Turn(ASH, 1, ClockBounds(ASH, NEVER), Tickets())
        self.turn.begin(1e9)
        self.lanes = Lanes(Capacity.of(cpus, GIB, "3.11"))
        self.load = Load(self.turn, self.lanes)
        self.load.follow()

    def open(self, cpus: float) -> Lane:
        lane = self.lanes.open_for(task("a", cpus=cpus))
        assert self.load.follow()
        return lane

    def close(self, lane: Lane) -> None:
        self.lanes.pause(lane)
        assert self.load.follow()

    def wait(self, seconds: float) -> None:
        self.turn.begin(self.turn.now + seconds)

    def works(self, cpus: float, seconds: float) -> None:
        lane = self.open(cpus)
        self.wait(seconds)
        self.close(lane)


def near(value: float) -> Any:
    return pytest.approx(value, abs=1e-12)


def test_lanes_take_their_share_of_what_is_offered() -> None:
    machine = Machine(4.0)
    assert machine.load.lanes == 0.0
    lane = machine.open(1.0)
    assert machine.load.lanes == near(0.25)
    machine.open(2.0)
    assert machine.load.lanes == near(0.75)
    machine.close(lane)
    assert machine.load.lanes == near(0.5)


def test_a_machine_that_offers_nothing_is_taken_whole() -> None:
    assert Machine(0.0).load.lanes == 1.0


def test_after_an_hour_with_all_lanes_full_half_of_it_has_worked_and_an_hour_later_half_of_that_counts() -> None:
    machine = Machine(2.0)
    machine.works(2.0, HALF_LIFE_S)
    assert machine.load.worked == near(0.5)
    machine.wait(HALF_LIFE_S)
    assert machine.load.worked == near(0.25)
    machine.wait(50 * HALF_LIFE_S)
    assert machine.load.worked == near(0.0)


def test_what_runs_counts_while_it_runs() -> None:
    machine = Machine(2.0)
    machine.open(1.0)
    machine.wait(HALF_LIFE_S)
    assert machine.load.worked == near(0.25)
    machine.wait(100 * HALF_LIFE_S)
    assert machine.load.worked == near(0.5), "half of the machine, for ever"


def test_looking_more_often_changes_nothing() -> None:
    often, once = Machine(2.0), Machine(2.0)
    lane = often.open(1.0)
    for _ in range(60):
        often.wait(60.0)
        assert not often.load.follow()
        often.close(lane)
        often.lanes.resume(lane)
        often.load.follow()
    once.works(1.0, 3600.0)
    assert often.load.worked == near(once.load.worked)


def test_of_two_machines_the_one_that_has_done_more_of_late_has_worked_more() -> None:
    one, other = Machine(1.0), Machine(1.0)
    for machine, first_s, second_s in ((one, 10.0, 12.0), (other, 12.0, 10.0)):
        machine.works(1.0, first_s)
        machine.wait(600.0 - first_s)
        machine.works(1.0, second_s)
        machine.wait(600.0 - second_s)
    assert one.load.worked > other.load.worked
