"""The compiled world and the plain one, in which the policies of real nodes are asked, have the same executions."""

import pytest

from roost.lab.worlds.published import PUBLISHED
from roost.lab.worlds.reading import Reading
from tests.lab.compiled.worlds import compiled_pieces, plain_pieces, small_world

READINGS = (
    Reading(),
    Reading(looks="own", order="number", skips=10),
    Reading(looks="all", order="random", unseen_s=7.0),
    Reading(order="longest", unseen_s=30.0, skips=3, first_stay_counts=False),
)
#: Each is lived through with each policy.
SEEDS = range(12)


@pytest.mark.parametrize("policy", PUBLISHED)
def test_both_engines_have_the_same_executions(policy: str) -> None:
    for seed in SEEDS:
        shape, k = (0.7 if seed % 2 else 1.0), (2.0 if seed % 3 == 0 else 1.0)
        world = small_world(seed, shape=shape, k=k, speeds=seed % 5 == 0)
        reading = READINGS[seed % len(READINGS)]
        assert compiled_pieces(policy, world, reading) == plain_pieces(policy, world, reading), seed


@pytest.mark.parametrize("policy", PUBLISHED)
def test_a_world_is_the_same_each_time(policy: str) -> None:
    world = small_world(99)
    assert compiled_pieces(policy, world, Reading()) == compiled_pieces(policy, world, Reading())


def test_every_task_is_done_once() -> None:
    world = small_world(5)
    done = sorted(one.element for one in compiled_pieces("wqr-4", world, Reading()) if one.is_done)
    assert done == list(range(len(world.work)))
