"""Chains solved by other means, to compare with: Gauss's elimination in fractions, and powers of Decimals."""

from collections.abc import Hashable, Mapping
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import TypeVar

S = TypeVar("S", bound=Hashable)


def mean_times(rates: Mapping[S, Mapping[S, Fraction]], end: S) -> dict[S, Fraction]:
    """Return how long a chain that begins in its first state is in each until it ends, without an error."""
    states = list(rates)
    # Per state: what flows out of it, less what flows into it, is where it begins.
    rows = [[Fraction(0)] * len(states) + [Fraction(int(at == 0))] for at in range(len(states))]
    for column, state in enumerate(states):
        for to, rate in rates[state].items():
            rows[column][column] += rate
            if to != end:
                rows[states.index(to)][column] -= rate
    for at in range(len(states)):
        pivot = next(row for row in range(at, len(states)) if rows[row][at])
        rows[at], rows[pivot] = rows[pivot], rows[at]
        rows[at] = [value / rows[at][at] for value in rows[at]]
        for row in range(len(states)):
            if row != at and rows[row][at]:
                factor = rows[row][at]
                rows[row] = [value - factor * of for value, of in zip(rows[row], rows[at], strict=True)]
    return {state: rows[at][-1] for at, state in enumerate(states)}


def chances_at(
    rates: Mapping[S, Mapping[S, Decimal]], end: S, time_s: Decimal, squarings: int = 40
) -> dict[S, Decimal]:
    """Return how likely each state is at a time, from a series and squarings with a hundred digits."""
    states = [*rates, end]
    with localcontext() as context:
        context.prec = 100
        small = time_s / 2**squarings
        generator = [[rates.get(a, {}).get(b, Decimal(0)) * small for b in states] for a in states]
        for at, row in enumerate(generator):
            row[at] = -(sum(row) - row[at])
        matrix = term = [[Decimal(int(a == b)) for b in range(len(states))] for a in range(len(states))]
        for order in range(1, 30):
            term = [[value / order for value in row] for row in _product(term, generator)]
            matrix = [[a + b for a, b in zip(*rows, strict=True)] for rows in zip(matrix, term, strict=True)]
        for _ in range(squarings):
            matrix = _product(matrix, matrix)
    return dict(zip(states, matrix[0], strict=True))


def _product(left: list[list[Decimal]], right: list[list[Decimal]]) -> list[list[Decimal]]:
    columns = list(zip(*right, strict=True))
    return [[sum((a * b for a, b in zip(row, column, strict=True)), Decimal(0)) for column in columns] for row in left]
