"""Chance that both the compiled and the plain world can ask for: a number for each use, made from what it is for.

How long node 7 stays the third time depends on the seed, the node and that it is the third time, and on nothing that
happened before. So all policies meet the same lives, and two engines meet them in any order.
"""

import math
from typing import Final

import numpy as np

from roost.lab.compiled.compiling import compiled

#: The constants of splitmix64, a mixer of 64 bits (Steele, Lea and Flood, 2014).
_STEP: Final = np.uint64(0x9E3779B97F4A7C15)
_FIRST: Final = np.uint64(0xBF58476D1CE4E5B9)
_SECOND: Final = np.uint64(0x94D049BB133111EB)
_UNIT: Final = 1.0 / (1 << 53)


@compiled
def _mixed(word: np.uint64) -> np.uint64:
    word = (word ^ (word >> np.uint64(30))) * _FIRST
    word = (word ^ (word >> np.uint64(27))) * _SECOND
    return word ^ (word >> np.uint64(31))


@compiled
def chance(seed: int, one: int, other: int) -> float:
    """Return a number above 0 and below 1 that is made of these three alone."""
    word = _mixed(np.uint64(seed) + _STEP)
    word = _mixed(word + np.uint64(one) * _STEP + _STEP)
    word = _mixed(word + np.uint64(other) * _STEP + _STEP)
    return (np.float64(word >> np.uint64(11)) + 0.5) * _UNIT


@compiled
def stay_s(seed: int, node: int, turn: int, scale_s: float, shape: float) -> float:
    """Return how long a node stays in its ``turn``-th period: even ones are on line, odd ones away."""
    hazard = -math.log(chance(seed, node, turn))
    return scale_s * hazard if shape == 1.0 else scale_s * hazard ** (1.0 / shape)
