"""States of small compiled worlds, for tests of single parts."""

import numpy as np

from roost.lab.compiled.state import State, state_of


def small_state(nodes: int, *lengths: float, **rules: float) -> State:
    ones = np.ones(nodes)
    stated = np.array(lengths)
    return state_of((ones, ones, ones, ones, ones), stated, stated.copy(), {"copies_max": 1, "group": 1, **rules}, 10)
