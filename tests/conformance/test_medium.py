"""Every medium keeps every promise, with as many nodes as it can have."""

import pytest

from tests.conformance.medium import RULES, Rule
from tests.conformance.medium_in_doubt import RULES_IN_DOUBT
from tests.conformance.medium_world import Kind, OfAlone, OfDictionary, OfMesh, World
from tests.conformance.side_by_side import SideBySide

KINDS = (OfAlone, OfMesh, OfDictionary)
CASES = [
    pytest.param(kind, rule, count, id=f"{kind.name}-{count}-{rule.keep.__name__}")
    for kind in KINDS
    for rule in (*RULES, *(RULES_IN_DOUBT if kind.doubts else ()))
    for count in kind.counts
    if count >= rule.least
]
WORLDS = [pytest.param(kind, count, id=f"{kind.name}-{count}") for kind in KINDS for count in kind.counts]


@pytest.mark.parametrize(("kind", "rule", "count"), CASES)
def test_a_medium_keeps_the_promise_that(kind: type[Kind], rule: Rule, count: int) -> None:
    rule.keep(World(kind(), count, cpus=rule.cpus))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("kind", "count"), WORLDS)
def test_nodes_on_a_medium_come_to_the_same_as_the_plain_queue(kind: type[Kind], count: int, seed: int) -> None:
    SideBySide(kind(), count, seed).run(steps=40)
