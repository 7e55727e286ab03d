"""A comparison of policies: how each of them does in a scenario, over several seeds."""

from collections.abc import Sequence
from random import Random
from typing import NamedTuple

import msgspec

from roost.lab.worlds.lifetimes import Model
from roost.lab.worlds.scenarios import Scenario, draw_work, nodes_of
from roost.lab.worlds.world import Outcome, World
from roost.policy.catalogue import DEFAULT_POLICY, POLICIES
from roost.policy.choose import Policy
from roost.policy.stragglers import repeating_stragglers


class Size(NamedTuple):
    """How large an experiment is. HTC's have 1000 nodes, 1e6 s for each, and 20 seeds."""

    nodes: int = 100
    #: How long a node would take for its share of the work, were there no failures: the shortest make-span there is.
    each_s: float = 1e5
    seeds: int = 3
    #: How wrong stated lengths are.
    k: float = 1.0


class Measure(NamedTuple):
    mean: float
    #: The standard error of the mean.
    error: float


class Result(NamedTuple):
    """What came out for one policy; times as multiples of the shortest make-span there could be."""

    make_span: Measure
    make_span_999: Measure
    #: Seconds that were lost, by all the work that there was to do.
    wasted: Measure
    given_up: int


def policy_of(name: str) -> Policy:
    """Return a policy as nodes have it: the default attempts what is late elsewhere, too (policy/usual.py)."""
    policy = POLICIES[name].policy
    return repeating_stragglers(policy) if name == DEFAULT_POLICY else policy


def try_policy(name: str, scenario: Scenario, size: Size) -> Result:
    """Live through a scenario with each seed. All policies meet the same work and the same failures."""
    outcomes = [_try_once(name, scenario, size, seed) for seed in range(size.seeds)]
    work_s = size.nodes * size.each_s
    return Result(
        _measure([one.make_span_s / size.each_s for one in outcomes]),
        _measure([one.make_span_999_s / size.each_s for one in outcomes]),
        _measure([one.wasted_s / work_s for one in outcomes]),
        sum(one.given_up for one in outcomes),
    )


class Tried(msgspec.Struct, frozen=True):
    """One life through a scenario with a policy."""

    policy: str
    system: str
    workload: str
    model: Model
    nodes: int
    each_s: float
    seed: int


class Lasted(msgspec.Struct, frozen=True):
    """As multiples of the shortest make-span there could be: until the last task, and until 99.9 % of them."""

    make_span: float
    make_span_999: float
    given_up: int


def try_once(tried: Tried) -> Lasted:
    """Live through it. All policies meet the same work and the same failures."""
    scenario = Scenario(tried.system, tried.workload, tried.model)
    outcome = _try_once(tried.policy, scenario, Size(tried.nodes, tried.each_s), tried.seed)
    return Lasted(outcome.make_span_s / tried.each_s, outcome.make_span_999_s / tried.each_s, outcome.given_up)


def _try_once(name: str, scenario: Scenario, size: Size, seed: int) -> Outcome:
    rng = Random(f"{scenario.workload}/{size.k}/{seed}")
    work = draw_work(scenario.workload, size.nodes * size.each_s, size.k, rng)
    nodes = nodes_of(scenario, size.nodes)
    return World(policy_of(name), nodes, work, f"{scenario.system}/{scenario.model.value}/{seed}").run()


def _measure(values: Sequence[float]) -> Measure:
    count = len(values)
    mean = sum(values) / count
    variance = sum((value - mean) ** 2 for value in values) / (count - 1) if count > 1 else 0.0
    return Measure(mean, (variance / count) ** 0.5)
