"""A tombstone hides what was known when a run was forgotten, and nothing else."""

from itertools import permutations

import pytest

from roost.model.clock import Stamp
from roost.model.ids import NodeId, RunId
from roost.model.tombstones import Tombstone, latest

RUN = RunId("1-bababa")


def stamp(wall_ms: int, node: str) -> Stamp:
    return Stamp(wall_ms, 0, NodeId(node))


def test_the_latest_act_of_each_node_counts() -> None:
    acts = [stamp(3, "elm"), stamp(1, "ash"), stamp(2, "ash")]
    for order in permutations(acts):
        assert latest(order) == (stamp(2, "ash"), stamp(3, "elm"))


@pytest.mark.parametrize(
    ("touched", "hidden"),
    [
        ((), True),
        ((stamp(2, "ash"),), True),
        ((stamp(5, "ash"), stamp(3, "elm")), True),
        ((stamp(6, "ash"),), False),
        ((stamp(1, "oak"),), False),
    ],
)
def test_it_hides_a_run_unless_an_act_is_known_that_it_does_not_cover(touched: tuple[Stamp, ...], hidden: bool) -> None:
    tombstone = Tombstone(RUN, stamp(9, "ash"), (stamp(5, "ash"), stamp(3, "elm")))
    assert tombstone.hides(touched) is hidden


def test_two_that_forgot_the_same_run_cover_what_either_knew() -> None:
    one = Tombstone(RUN, stamp(9, "ash"), (stamp(5, "ash"),))
    other = Tombstone(RUN, stamp(8, "elm"), (stamp(4, "ash"), stamp(3, "elm")))
    merged = Tombstone(RUN, stamp(9, "ash"), (stamp(5, "ash"), stamp(3, "elm")))
    assert one.merge(other) == other.merge(one) == merged
    assert merged.merge(one) == merged
