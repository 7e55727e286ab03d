"""A policy in one of HTC's scenarios: how long it takes, and what is lost."""

from random import Random

import msgspec

from roost.lab.worlds.lifetimes import Model
from roost.lab.worlds.scenarios import Scenario, draw_work, nodes_of
from roost.lab.worlds.world import World
from roost.policy.catalogue import DEFAULT_POLICY, POLICIES
from roost.policy.choose import Policy
from roost.policy.stragglers import repeating_stragglers


def policy_of(name: str) -> Policy:
    """Return a policy as nodes have it: the default attempts what is late elsewhere, too (policy/usual.py)."""
    policy = POLICIES[name].policy
    return repeating_stragglers(policy) if name == DEFAULT_POLICY else policy


class Tried(msgspec.Struct, frozen=True):
    """One life through a scenario with a policy."""

    policy: str
    system: str
    workload: str
    model: Model
    nodes: int
    each_s: float
    seed: int
    #: How wrong stated lengths are (HTC 4.6.1).
    k: float = 1.0


class Lasted(msgspec.Struct, frozen=True):
    """As multiples of the shortest make-span there could be: until the last task, and until 99.9 % of them."""

    make_span: float
    make_span_999: float
    #: What was lost, by all the work that there was to do.
    wasted: float
    given_up: int


def try_once(tried: Tried) -> Lasted:
    """Live through it. All policies meet the same work and the same failures."""
    scenario = Scenario(tried.system, tried.workload, tried.model)
    work_s = tried.nodes * tried.each_s
    work = draw_work(tried.workload, work_s, tried.k, Random(f"{tried.workload}/{tried.k}/{tried.seed}"))
    lives = f"{tried.system}/{tried.model.value}/{tried.seed}"
    outcome = World(policy_of(tried.policy), nodes_of(scenario, tried.nodes), work, lives).run()
    return Lasted(
        outcome.make_span_s / tried.each_s,
        outcome.make_span_999_s / tried.each_s,
        outcome.wasted_s / work_s,
        outcome.given_up,
    )
