"""What a node does if nobody names a policy: first come, first served, and then what hangs on others."""

import msgspec
import pytest

from roost.core.events import CapacityChanged, VitalsChanged
from roost.core.facts import StoryTold
from roost.core.mesh.membership.suspicion import HEARTBEAT_S
from roost.model.happenings import RepeatedBy
from roost.model.ids import RunId, task_id
from roost.model.resources import Capacity
from roost.model.states import Done
from roost.model.task import Reuse
from roost.model.vitals import Vitals
from roost.policy.stragglers import SLOW_FACTOR, SLOW_S
from roost.policy.turns import SHIFT_S
from roost.policy.usual import USUAL
from tests.core.company import REPAIR_S, Company
from tests.core.harness import OTHER_RUN, task

NAMES = ("ash", "elm")


def hanging(reuse: Reuse) -> tuple[Company, str, str]:
    """Let two nodes share an array, and one of them hang at its last element; return who hangs, and who is idle."""
    some = Company(*NAMES, policies=dict.fromkeys(NAMES, USUAL))
    some["ash"].submit(msgspec.structs.replace(task("a", 8), reuse=reuse))
    for _ in range(40):
        some.wait(0.5)
        left = [f"{name}/{running}" for name, of in some.runs().items() for running in of]
        if len(left) == 1 and sum(isinstance(some["ash"].state("a", at), Done) for at in range(8)) == 7:
            hangs = left[0].partition("/")[0]
            return some, hangs, next(name for name in NAMES if name != hangs)
        for name in NAMES:
            for running in some[name].runs()[: len(left) - 1]:
                some[name].done("a", running[2:-1], each_s=0.5)
                break
    raise AssertionError(f"it went on otherwise: {some.runs()}")


def test_what_hangs_on_another_node_is_attempted_and_ends() -> None:
    some, hangs, idle = hanging(Reuse.PURE)
    some.wait(SLOW_FACTOR * 0.5 + SLOW_S + SHIFT_S + 1.0)
    assert set(some.runs()) == {hangs, idle}
    [why] = [
        fact.what.why for fact in some[idle].facts if isinstance(fact, StoryTold) and isinstance(fact.what, RepeatedBy)
    ]
    assert why.startswith("it has run ")
    some[idle].finish_all()
    some.wait(REPAIR_S)
    assert all(isinstance(some[name].state_on_disk("a", 7), Done) for name in NAMES)
    [lease] = some[hangs].node.queue.leases.in_hand()
    assert lease.stopping == lease.outstanding, "its executor is told to stop"
    assert some.agree()


@pytest.mark.parametrize("reuse", [Reuse.OFF, Reuse.NEVER, Reuse.KEPT])
def test_what_is_not_pure_is_left_to_who_has_it(reuse: Reuse) -> None:
    some, hangs, _ = hanging(reuse)
    some.wait(60.0)
    assert set(some.runs()) == {hangs}


# Stable and unstable machines.

TRIO = ("ash", "elm", "oak")
LOW, EMPTY = Vitals(remaining=0.3), Vitals(remaining=0.1)


def trio(**vitals: Vitals) -> Company:
    """Return three nodes with the usual policy, of which some are so."""
    some = Company(*TRIO, policies=dict.fromkeys(TRIO, USUAL))
    for name, how in vitals.items():
        some[name].feed(VitalsChanged(how))
    some.wait(2 * HEARTBEAT_S)
    return some


def in_need(**vitals: Vitals) -> Company:
    """Let oak run one element because the others are busy, and them have room again then."""
    some = trio(**vitals)
    some["oak"].feed(CapacityChanged(Capacity.of(0.0, 2**33, "3.11")))
    some["ash"].submit(task("busy", 2, run=OTHER_RUN))
    some.wait(1)
    assert set(some.runs()) == {"ash", "elm"}
    some["oak"].feed(CapacityChanged(Capacity.of(1.0, 2**33, "3.11")))
    some["ash"].submit(task("a", reuse=Reuse.FRESH))
    some.wait(1)
    assert some["oak"].runs() == ["a[0]"]
    for name, (running,) in some.runs().items():
        if name != "oak":
            some[name].done("busy", running[len("busy[") : -1], run=OTHER_RUN)
    some.wait(SHIFT_S + 1)
    return some


def test_what_an_unstable_machine_has_in_hand_runs_on_a_super_peer_and_its_death_costs_no_time() -> None:
    some = in_need(oak=LOW)
    [other] = [name for name in ("ash", "elm") if some[name].runs() == ["a[0]"]]
    some.kill("oak")
    some[other].finish_all()
    some.settle()
    assert isinstance(some["ash"].state_on_disk("a"), Done), "it was handed in there, and has ended"
    assert "oak" in some[other].others(), "nobody knows yet that it is dead"


def test_a_machine_that_becomes_too_unstable_goes_on_with_what_it_has_which_runs_elsewhere_too() -> None:
    some = in_need()
    assert set(some.runs()) == {"oak"}
    some["oak"].feed(VitalsChanged(EMPTY))
    some.wait(SHIFT_S + 1)
    assert some["oak"].runs() == ["a[0]"]
    assert len(some.runs()) == 2
    some["oak"].done("a")
    some.wait(REPAIR_S)
    assert all(isinstance(some[name].state_on_disk("a"), Done) for name in TRIO)
    assert some.agree()


def test_without_super_peers_nothing_is_repeated_and_all_ends() -> None:
    busy = Vitals(utilisation=0.9)
    some = in_need(ash=busy, elm=busy, oak=LOW)
    assert some.runs() == {"oak": ["a[0]"]}
    some["ash"].submit(task("c", 100, run=RunId("3-fifofu")))
    some.finish_all()
    some.wait(REPAIR_S)
    assert isinstance(some["ash"].state_on_disk("a"), Done)
    assert some.agree()


def test_machines_that_are_all_too_unstable_work() -> None:
    some = trio(ash=EMPTY, elm=EMPTY, oak=EMPTY)
    some["ash"].submit(task("a", 6))
    some.wait(1)
    assert set(some.runs()) == set(TRIO)
    some.finish_all()
    assert all(isinstance(some["oak"].state_on_disk("a", at), Done) for at in range(6))


def test_an_unstable_machine_gets_what_nobody_else_wants_and_one_that_is_too_unstable_nothing() -> None:
    some = trio(elm=LOW, oak=EMPTY)
    some["ash"].submit(task("a", 2, reuse=Reuse.FRESH))
    some.wait(1)
    assert set(some.runs()) == {"ash", "elm"}
    some["ash"].submit(task("b", 1, run=OTHER_RUN))
    some["elm"].finish_all()
    some.wait(1)
    assert some["elm"].runs() == [], "nobody may do at the same time what it does"
    lines = some["oak"].node.explanations.explain(task_id(OTHER_RUN, "b"), None)
    why = "it is too unstable to take work, because its battery is at 10 %"
    assert lines[-1] == f"1 of 1 elements: ready: on oak: this node leaves it for now: {why}"
