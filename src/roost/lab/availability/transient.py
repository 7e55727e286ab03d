"""Nodes that are away for a time and come back with their data: HTC 3.2.1, by its closed forms.

A group of n copies works if at least k of them are there. Each node is there and away for times that are exponential,
by itself; so the number of those that are away is binomial, in the long run (3.3) and at any time after a beginning at
which all were there (3.1). No data is ever lost, so there is no mean time until that.

Rules
- The chance that a node is there and the chance that it is away are each reckoned by themselves: neither is what is
  left of the other, so both are exact when they are tiny.
- A node that never fails is always there, whatever its time away; one that never comes back is away in the long run.
"""

import math
from decimal import Decimal
from typing import NamedTuple

from roost.lab.availability.consistency import Consistency
from roost.lab.availability.precision import NEVER, ONE, ZERO, precisely, rate_of, vanishing
from roost.model.errors import InvalidInput


class Transient(NamedTuple):
    """How long nodes are there and away, in seconds on average; NEVER is for ever."""

    up_s: Decimal
    down_s: Decimal

    def refuse_nonsense(self) -> None:
        """Raise InvalidInput for times that mean nothing."""
        if self.up_s.is_nan() or self.down_s.is_nan() or self.up_s <= 0 or self.down_s < 0:
            raise InvalidInput("nodes have to be there for some time, and away for no less than none")


class Presence(NamedTuple):
    """The chances that a node is there, and that it is away."""

    there: Decimal
    away: Decimal


@precisely
def presence(nodes: Transient, at_s: Decimal | None = None) -> Presence:
    """Return how likely a node is there in the long run, or this long after it was there."""
    nodes.refuse_nonsense()
    if nodes.up_s == NEVER or nodes.down_s == 0:
        return Presence(ONE, ZERO)
    fails, returns = rate_of(nodes.up_s), rate_of(nodes.down_s)
    share = fails / (fails + returns)
    if at_s is None:
        return Presence(returns / (fails + returns), share)
    elapsed = (fails + returns) * at_s
    return Presence((returns + fails * (-elapsed).exp()) / (fails + returns), share * vanishing(elapsed))


@precisely
def too_few_there(replicas: int, asked: int, node: Presence) -> Decimal:
    """Return the chance that fewer than ``asked`` copies are there: what is taken from one in (3.1) and (3.3)."""
    terms = [
        math.comb(replicas, away) * _power(node.away, away) * _power(node.there, replicas - away)
        for away in range(replicas - asked + 1, replicas + 1)
    ]
    # The last digit of a sum of all chances may be rounded up.
    return min(sum(terms, ZERO), ONE)


@precisely
def unavailability(nodes: Transient, replicas: int, consistency: Consistency, at_s: Decimal | None = None) -> Decimal:
    """Return the share of operations that fail, in the long run or at a time after all nodes were there."""
    node = presence(nodes, at_s)
    of_reads = too_few_there(replicas, consistency.read_asks(replicas), node)
    return consistency.mixed(of_reads, too_few_there(replicas, consistency.write_asks(replicas), node))


def _power(base: Decimal, exponent: int) -> Decimal:
    """Return a power, of which the one to nothing is one."""
    return base**exponent if exponent else ONE
