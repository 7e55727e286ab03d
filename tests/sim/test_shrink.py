"""A plan that fails is cut down to what its failure needs."""

from collections.abc import Callable
from typing import Any

import pytest

from roost.sim.clocks import ClockShape, ClockStep
from roost.sim.executor import Mishaps
from roost.sim.hosts import Crash, Join, Leave, Sleep
from roost.sim.life import Faults
from roost.sim.network import Clog, Cut, Weather
from roost.sim.plan import Fault, MeshOptions, Plan, draw_plan
from roost.sim.shrink import LENGTH_S_MIN, TRIES_MAX, Shrinker, with_nodes
from roost.sim.verdict import Failure

ROUGH = MeshOptions(
    nodes=6,
    requests=40,
    sessions=True,
    agreement=0.5,
    wrong=0.2,
    machine=Faults(disk_full=0.1, mishaps=Mishaps(fail=0.3)),
    weather=Weather(loss=0.3, twice=0.3),
    clocks=(ClockShape(offset_s=9.0),),
)
NEEDED = Crash(11.0, 19.0, "n2", lost_disk=True)
FAULTS: tuple[Fault, ...] = (
    *(Cut(at, at + 3.0, ("n1", "n5"), ("n2", "n3")) for at in range(10)),
    *(Sleep(at, at + 2.0, "n4") for at in range(10)),
    *(Crash(at + 0.5, at + 0.9, f"n{1 + at % 6}") for at in range(20)),
    Clog(4.0, 5.0, ("n1",), ("n2",)),
    Leave(3.0, 4.0, "n6"),
    Join(2.0, "n3"),
    ClockStep(1.0, "n2", 5.0),
    NEEDED,
    Crash(50.0, 60.0, "n1"),
)


def shrunk(needs: Callable[[Plan], bool], faults: tuple[Fault, ...] = FAULTS) -> Shrinker:
    """Shrink a plan that fails whenever it has what it needs."""

    def try_out(plan: Plan) -> Any:
        return Failure(plan, "n1 lost 5 tasks", 30.0, "") if needs(plan) else "all is well"

    shrinker = Shrinker(try_out(Plan(1, ROUGH, faults)), try_out)
    shrinker.run()
    return shrinker


def loses_a_disk(plan: Plan) -> bool:
    return any(isinstance(fault, Crash) and fault.lost_disk for fault in plan.faults)


def test_only_the_fault_that_is_needed_stays() -> None:
    best = shrunk(loses_a_disk).best.plan
    [fault] = best.faults
    assert isinstance(fault, Crash)
    assert (fault.at, fault.machine, fault.lost_disk) == (NEEDED.at, "n2", True)
    assert fault.until - fault.at <= LENGTH_S_MIN * 2
    assert (best.options.nodes, best.options.requests) == (2, 1)
    assert best.options.weather == Weather()
    assert (best.options.machine, best.options.clocks, best.options.sessions) == (Faults(), (), False)
    assert (best.options.agreement, best.options.wrong) == (0.0, 0.0)


def test_two_faults_that_need_each_other_both_stay() -> None:
    def needs(plan: Plan) -> bool:
        kinds = {type(fault) for fault in plan.faults if fault.at > 5.0}
        return {Cut, Sleep} <= kinds

    assert sorted(type(fault).__name__ for fault in shrunk(needs).best.plan.faults) == ["Cut", "Sleep"]


def test_a_failure_without_any_fault_needs_none() -> None:
    shrinker = shrunk(lambda plan: plan.options.weather.loss > 0)
    assert shrinker.best.plan.faults == ()
    assert shrinker.best.plan.options.weather == Weather(loss=0.3)
    assert shrinker.tries < 30


def test_a_failure_of_another_kind_is_another_failure() -> None:
    def try_out(plan: Plan) -> Failure:
        return Failure(plan, "n1 lost 5 tasks" if loses_a_disk(plan) else "something else broke", 30.0, "")

    plan = Plan(1, ROUGH, FAULTS)
    assert loses_a_disk(Shrinker(try_out(plan), try_out).run().plan)


def test_it_gives_up_in_the_end() -> None:
    many = tuple(Crash(at / 100, at / 100 + 50.0, "n1") for at in range(2_000))
    shrinker = shrunk(lambda plan: len(plan.faults) > 1_900, many)
    assert shrinker.tries == TRIES_MAX


def test_each_smaller_failure_is_told() -> None:
    told: list[int] = []
    failing = Failure(Plan(1, ROUGH, FAULTS), "n1 fell", 30.0, "")
    Shrinker(failing, lambda plan: Failure(plan, "n1 fell", 30.0, ""), lambda failure, tries: told.append(tries)).run()
    assert told == sorted(told)
    assert told


@pytest.mark.parametrize("seed", range(10))
def test_a_mesh_with_fewer_nodes_names_none_that_are_gone(seed: int) -> None:
    plan = with_nodes(draw_plan(seed, nodes=9), 3)
    named = set()
    for fault in plan.faults:
        if isinstance(fault, Cut | Clog):
            assert fault.sources
            assert fault.targets
            named |= {*fault.sources, *fault.targets}
        else:
            named.add(fault.machine)
    assert named <= {"n1", "n2", "n3"}
    assert plan.options.nodes == 3
