"""What a node does if nobody names a policy: first come, first served, and then what hangs on others."""

import msgspec
import pytest

from roost.core.facts import StoryTold
from roost.model.happenings import RepeatedBy
from roost.model.states import Done
from roost.model.task import Reuse
from roost.policy.stragglers import SLOW_FACTOR, SLOW_S
from roost.policy.turns import SHIFT_S
from roost.policy.usual import USUAL
from tests.core.company import REPAIR_S, Company
from tests.core.harness import task

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
