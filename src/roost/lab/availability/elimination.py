"""Markov chains solved without a subtraction: mean times in each state, exact to the last digits whatever the rates.

Elimination in the manner of Grassmann, Taksar and Heyman: states are taken out one after the other, and who came
through one goes directly where it would have gone on. A diagonal is never kept; it is summed up of what leaves the
state. So only positive numbers are added, multiplied and divided, and each result is exact to about as many digits as
one step is, although rates differ by twenty orders of magnitude. Solving the usual linear equations takes differences
of nearly equal numbers, and yields infinite or negative times where a chain takes 1e17 s to end.

Rules
- It works with floats, with Decimals of any precision and with Fractions, which are exact; one chain has one kind.
- States are taken out from the last to the first. If those that lie near each other in the chain stand near each other,
  few ways are made anew, and a chain of a thousand states takes a moment.
"""

from collections.abc import Hashable, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Generic, NamedTuple, TypeAlias, TypeVar

State = TypeVar("State", bound=Hashable)
Number = TypeVar("Number", float, Decimal, Fraction)

#: For each state the rates at which it is left for others.
Rates: TypeAlias = Mapping[State, Mapping[State, Number]]


class Sojourn(NamedTuple, Generic[State, Number]):
    """What becomes of a chain that begins in its first state."""

    #: The share of its time that it spends in each state until it ends, or for ever.
    shares: dict[State, Number]
    #: At which rate it ends, averaged over that time; zero if it never does. The inverse is the mean time until then.
    end_rate: Number


def sojourn(rates: Rates[State, Number], end: State | None = None) -> Sojourn[State, Number]:
    """Return where a chain spends its time that begins in the first state of ``rates`` and is over in ``end``.

    ``end`` is no key of ``rates``. Every state must be reached from the first, and lead back to it or to the end.
    """
    first, one = next(iter(rates)), _one_of(rates)
    shares = _stationary(_closed(rates, first, end), one)
    ending = [shares[state] * leaving[end] for state, leaving in rates.items() if end is not None and end in leaving]
    return Sojourn(shares, sum(ending, one * 0))


def _closed(rates: Rates[State, Number], first: State, end: State | None) -> dict[State, dict[State, Number]]:
    """Return the chain that begins anew whenever it has ended: it spends its time as the one that ends once."""
    closed: dict[State, dict[State, Number]] = {}
    for state, leaving in rates.items():
        own = closed[state] = {to: rate for to, rate in leaving.items() if rate and to not in (end, state)}
        if end is not None and leaving.get(end) and state != first:
            own[first] = own[first] + leaving[end] if first in own else leaving[end]
    return closed


def _stationary(ways: dict[State, dict[State, Number]], one: Number) -> dict[State, Number]:
    """Return the share of time in each state of a chain that never ends. ``ways`` is used up."""
    order = list(ways)
    into: dict[State, dict[State, None]] = {state: {} for state in order}
    for state, leaving in ways.items():
        for to in leaving:
            into[to][state] = None
    taken = [(state, _take_out(state, ways, into, one)) for state in reversed(order[1:])]
    weights = {order[0]: one}
    for state, sources in reversed(taken):
        weights[state] = sum([weights[source] * part for source, part in sources], one * 0)
    total = sum(weights.values(), one * 0)
    return {state: weights[state] / total for state in order}


def _take_out(
    state: State, ways: dict[State, dict[State, Number]], into: dict[State, dict[State, None]], one: Number
) -> list[tuple[State, Number]]:
    """Lead all ways through a state past it; return who came from where, in parts of the rate at which it is left."""
    leaving, sources = ways.pop(state), into.pop(state)
    for to in leaving:
        del into[to][state]
    total = sum(leaving.values(), one * 0)
    parts = []
    for source in sources:
        own = ways[source]
        part = own.pop(state) / total
        parts.append((source, part))
        for to, rate in leaving.items():
            if to != source:
                own[to] = own[to] + part * rate if to in own else part * rate
                into[to][source] = None
    return parts


def _one_of(rates: Rates[State, Number]) -> Number:
    """Return the one of the kind of number that the chain has."""
    for leaving in rates.values():
        for rate in leaving.values():
            if rate:
                return rate / rate
    raise ValueError("nothing ever happens in this chain")
