"""A chain at a time: how likely each state is some seconds after the beginning (HTC 3.1 and 3.4.5).

The matrix of a small step is a series without a subtraction (uniformization); it is squared as often as it takes. After
each squaring the rows are made to sum up to one again, which takes away the error that would double each time. So a
chance as small as 1e-23 has its leading digits, and times may be as long as one likes: twice the time is one product
more. Measured against fifty digits, the relative error of each chance is below 1e-12 (tests/lab/availability).
"""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Final, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from roost.lab.availability.elimination import State

Matrix: TypeAlias = NDArray[np.float64]
_N = TypeVar("_N", float, Decimal)
#: The series ends where its terms no longer count.
_TERMS: Final = 24


def chances(
    rates: Mapping[State, Mapping[State, _N]], times_s: Iterable[float], end: State | None = None
) -> list[dict[State, float]]:
    """Return for each time how likely each state is, the end among them, if the chain begins in its first state."""
    states = [*rates, *([] if end is None else [end])]
    generator = _rates_between(rates, states)
    return [dict(zip(states, _at(generator, time_s)[0].tolist(), strict=True)) for time_s in times_s]


def _rates_between(rates: Mapping[State, Mapping[State, _N]], states: Sequence[State]) -> Matrix:
    place = {state: at for at, state in enumerate(states)}
    between = np.zeros((len(states), len(states)))
    for state, leaving in rates.items():
        for to, rate in leaving.items():
            if to != state:
                between[place[state], place[to]] = float(rate)
    return between


def _at(rates: Matrix, time_s: float) -> Matrix:
    """Return the chances to be in each state after a time, for each state in the beginning."""
    # Twice the fastest rate, so that no state is left with more than one half in a step, and nothing cancels out.
    fastest = 2 * float(rates.sum(axis=1).max())
    if fastest * time_s == 0:
        return np.eye(len(rates))
    squarings = max(0, int(np.ceil(np.log2(fastest) + np.log2(time_s))))
    step = _small_step(rates / fastest, fastest * (time_s / 2.0**squarings))
    for _ in range(squarings):
        step = _of_sum_one(step @ step)
    return step


def _small_step(jumps: Matrix, expected: float) -> Matrix:
    """Return the matrix of a step in which so many jumps are expected, at most one; who does not jump stays."""
    jumps = jumps.copy()
    np.fill_diagonal(jumps, 1 - jumps.sum(axis=1))
    total = term = np.eye(len(jumps))
    for at in range(1, _TERMS):
        term = term @ jumps * (expected / at)
        total = total + term
    return _of_sum_one(total)


def _of_sum_one(chances_of: Matrix) -> Matrix:
    scaled: Matrix = chances_of / chances_of.sum(axis=1, keepdims=True)
    return scaled
