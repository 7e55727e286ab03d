"""The checker of bounded waiting notices policies that leave work alone although there is room for it."""

from collections.abc import Sequence
from random import Random

import pytest

from roost.core.mesh.mesh import Surroundings
from roost.core.node import Node
from roost.core.restored import Restored
from roost.model.ids import NodeId
from roost.model.resources import Capacity
from roost.policy.choose import Abstain, Choice, Policy, View
from roost.policy.fairness import Fairness
from roost.policy.fcfs import first_come_first_served
from roost.sim.checkers.bounded_waiting import WAIT_MAX_S
from roost.sim.checkers.observer import Broken
from roost.sim.executor import Mishaps
from roost.sim.life import Faults
from roost.sim.mesh import MakeNode
from roost.sim.plan import MeshOptions, Plan, draw_plan
from roost.sim.trial import Trial

#: Three nodes to which nothing happens, with work for a while.
CALM = MeshOptions(nodes=3, faulty_s=60.0, requests=10, widths=(1, 3), machine=Faults(mishaps=Mishaps(mean_s=0.2)))


def nodes_that_want(policy: Policy) -> MakeNode:
    def make(
        name: NodeId, capacity: Capacity, restored: Restored, rng: Random, _: Policy, __: Fairness, group: int
    ) -> Node:
        return Node(name, capacity, restored, Surroundings(name), chance=rng, policy=policy, archive_group=group)

    return make


def leaves_all_to_others(view: View) -> Sequence[Choice]:
    return (Abstain("others may", view.now + 0.5),) if view.others else first_come_first_served(view)


def leaves_what_one_has_handed_in(view: View) -> Sequence[Choice]:
    wanted = first_come_first_served(view)
    head = next(iter(view.queue), None)
    unloved = head is not None and view.others and head.submitter == "n1"
    return (Abstain("n1 may do it", view.now + 0.5),) if unloved else wanted


def test_it_is_content_with_nodes_that_take_what_comes() -> None:
    trial = Trial(Plan(3, CALM, ()))
    trial.run()
    assert 0.0 <= trial.waiting.longest_s < WAIT_MAX_S / 4


@pytest.mark.parametrize("policy", [leaves_all_to_others, leaves_what_one_has_handed_in])
def test_it_notices_nodes_that_abstain_for_ever(policy: Policy) -> None:
    with pytest.raises(Broken, match="waits though nodes have had room"):
        Trial(Plan(3, CALM, ()), nodes_that_want(policy)).run()


def test_and_while_machines_come_and_go() -> None:
    plan = draw_plan(4, brief=True, churn="exponential")
    with pytest.raises(Broken, match="waits though nodes have had room"):
        Trial(plan, nodes_that_want(leaves_all_to_others)).run()


def test_how_long_it_waits_may_depend_on_fairness() -> None:
    trial = Trial(Plan(3, CALM, ()), nodes_that_want(leaves_all_to_others))
    trial.waiting._fairness_s = 1000.0
    with pytest.raises(Broken, match="has not ended"):
        trial.run()
