"""The mean time until a chain ends by ordinary linear equations in doubles: what to compare the elimination with.

This is how general tools do it. Its diagonals are sums of rates with the other sign. Where a chain takes 1e17 s to end
while it moves every few seconds, the digits that decide cancel out: it yields infinite or negative times.
"""

from collections.abc import Mapping
from decimal import Decimal

import msgspec
import numpy as np

from roost.lab.availability import lost_disks
from roost.lab.availability.asking import Disks, Group
from roost.lab.availability.elimination import Number, State


class Solved(msgspec.Struct, frozen=True):
    mttf_s: float


def mean_time_until(rates: Mapping[State, Mapping[State, Number]], end: State) -> float:
    """Return how long a chain lasts that begins in its first state; not a number if the equations have no solution."""
    place = {state: at for at, state in enumerate(rates)}
    leaving = np.zeros((len(place), len(place)))
    for state, ways in rates.items():
        for to, rate in ways.items():
            leaving[place[state], place[state]] += float(rate)
            if to != end:
                leaving[place[state], place[to]] -= float(rate)
    try:
        return float(np.linalg.solve(leaving, np.ones(len(place)))[0])
    except np.linalg.LinAlgError:
        return float("nan")


def solve(group: Group) -> Solved:
    """Return the mean time until a group with disks that fail has lost its data."""
    disks = group.disks
    assert isinstance(disks, Disks)
    upkeep = disks.upkeep
    mends: Decimal = upkeep.read_repair_rate(group.read, group.replicas)
    rates = lost_disks.chain(disks.times, group.replicas, upkeep, mends)
    return Solved(mean_time_until(rates, lost_disks.LOST))
