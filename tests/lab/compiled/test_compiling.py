"""Compiled functions do what they say, and what they write is there for whoever has the array."""

import numpy as np

from roost.lab.compiled.compiling import compiled
from roost.lab.compiled.state import Floats


@compiled
def _doubles(numbers: Floats) -> float:
    total = 0.0
    for at in range(len(numbers)):
        numbers[at] *= 2
        total += numbers[at]
    return total


def test_arrays_are_changed_in_place() -> None:
    numbers = np.array([1.0, 2.0])
    assert _doubles(numbers) == 6.0
    assert numbers.tolist() == [2.0, 4.0]
