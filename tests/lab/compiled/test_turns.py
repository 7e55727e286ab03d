"""Whose turn it is."""

from random import Random

import numpy as np

from roost.lab.compiled.turns import enters, plan
from tests.lab.compiled.small_states import small_state


def test_the_first_is_always_at_the_top() -> None:
    rng = Random("turns")
    state = small_state(13, 1.0)
    state.nodes["changes_at"] = np.inf
    for node in range(13):
        enters(state, node)
        plan(state, node, np.inf, 0)
    for _ in range(500):
        plan(state, rng.randrange(13), float(rng.randrange(20)), rng.randrange(2))
        nodes = state.nodes
        first = min(range(13), key=lambda node: (nodes["next_at"][node], nodes["looks"][node], node))
        assert state.tree[1] == first


def test_a_life_that_changes_before_comes_first() -> None:
    state = small_state(1, 1.0)
    state.nodes["changes_at"] = 5.0
    enters(state, 0)
    plan(state, 0, 9.0, 1)
    assert (state.nodes["next_at"][0], state.nodes["looks"][0], state.nodes["acts_at"][0]) == (5.0, 0, 9.0)
