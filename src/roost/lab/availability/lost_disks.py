"""Nodes that fail and come back without their data: the absorbing chain of HTC 3.2.2, figure 3.7.

In state X(i, j), i nodes are there and have no data yet, j are away, and the other n - i - j are there with data. The
group has failed for ever when nobody has data: i + j = n.

Readings of the document, which together give table 3.2 (experiments/htc_3_2.py shows what others give)
- Read repair: one read mends all copies that are there, X(i, j) -> X(0, j), at the rate at which the object is read
  (3.4) times the chance that a read repairs. That chance is what is set for ONE, and 1 for all other levels.
- Anti-entropy repair mends all when nobody is away, X(i, 0) -> X(0, 0). Its rate is the inverse of how long it takes
  (3.12), times the chance theta that it is run at all after a node is back (3.4.4).
- The time until gossip has told everybody (3.5) is time away, as the time to boot is (3.8). The document has it in the
  times of repairs (3.6, 3.7); table 3.2 comes out only if it is time away.
- What an operation gets (3.11) asks k of all n copies at random, those that are away among them. Writes count alike.
- Availability is that until the group fails (3.10); the time after it is not counted.
"""

import math
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

from roost.lab.availability.consistency import Consistency
from roost.lab.availability.elimination import Sojourn, sojourn
from roost.lab.availability.precision import NEVER, ONE, ZERO, precisely, rate_of
from roost.lab.availability.transient import Transient
from roost.model.errors import InvalidInput

#: (i, j): there without data, away.
State: TypeAlias = tuple[int, int]
#: Nobody has data.
LOST: Final = (-1, -1)
#: The regression of (3.12): seconds of an anti-entropy repair, by the size of the group and the number of objects.
_PER_REPLICA, _PER_OBJECT, _BASE = Decimal("0.3465"), Decimal("0.002448"), Decimal("0.3851")


class Gossip(Enum):
    """What waits until others have been told that a node is back (3.5)."""

    NOTHING = "nothing"
    #: The node is away for longer.
    NODE = "node"
    #: Both kinds of repair take longer (3.6, 3.7).
    REPAIRS = "repairs"


class ReadRepair(Enum):
    """What one read mends."""

    ALL = "all"
    #: Each copy waits for a read of its own, X(i, j) -> X(i - 1, j) at i times the rate.
    EACH = "each"


class Upkeep(NamedTuple):
    """What is done about lost data: the parameters of HTC 3.2.2, with the values of the document."""

    nodes: int = 30
    objects: int = 300
    #: Reads per second and node, of all objects together.
    read_rate: Decimal = ONE
    #: The share of reads that are of this object; None: all objects are read alike.
    access: Decimal | None = None
    #: How likely a read at ONE repairs.
    read_repair: Decimal = ONE
    #: How long anti-entropy repair takes; None: as (3.12) says.
    anti_entropy_s: Decimal | None = None
    #: How likely it is run after a node is back.
    theta: Decimal = ONE
    boot_s: Decimal = ZERO
    gossip: Gossip = Gossip.NODE
    one_read_mends: ReadRepair = ReadRepair.ALL

    @property
    def gossip_s(self) -> Decimal:
        """How long it takes until everybody knows (3.5); nothing for so few nodes that everybody is told at once."""
        if self.nodes < 3:
            return ZERO
        of_nodes = Decimal(self.nodes).ln()
        return of_nodes / Decimal(3).ln() + of_nodes.ln()

    @precisely
    def away_s(self, down_s: Decimal) -> Decimal:
        """Return how long a node is away in all (3.8)."""
        return down_s + self.boot_s + (self.gossip_s if self.gossip is Gossip.NODE else ZERO)

    @precisely
    def read_repair_rate(self, level: str, replicas: int) -> Decimal:
        """Return how often a read repairs (3.4, 3.6)."""
        access = ONE / self.objects if self.access is None else self.access
        chance = self.read_repair if level == "ONE" or (level == "1" and replicas > 1) else ONE
        return self._delayed(access * self.nodes * self.read_rate * chance)

    @precisely
    def anti_entropy_rate(self, replicas: int) -> Decimal:
        """Return how often anti-entropy repair ends while nobody is away (3.7, 3.12)."""
        took_s = self.anti_entropy_s
        if took_s is None:
            took_s = (_PER_REPLICA * replicas + _PER_OBJECT * self.objects + _BASE).exp()
        return self.theta * self._delayed(rate_of(took_s))

    def _delayed(self, rate: Decimal) -> Decimal:
        return ONE / (ONE / rate + self.gossip_s) if rate and self.gossip is Gossip.REPAIRS else rate

    def refuse_nonsense(self, replicas: int) -> None:
        """Raise InvalidInput for what cannot be."""
        if replicas > self.nodes:
            raise InvalidInput(
                f"{self.nodes} nodes cannot keep {replicas} copies, one on each; write --nodes {replicas}"
            )
        if self.objects < 1 or self.read_rate < 0 or self.boot_s < 0 or (self.access is not None and self.access < 0):
            raise InvalidInput("there is at least one object, and no rate or time is below zero")
        if not (0 <= self.read_repair <= 1 and 0 <= self.theta <= 1):
            raise InvalidInput("the chances of read repair and of anti-entropy repair are from 0 to 1")
        if self.anti_entropy_s is not None and self.anti_entropy_s <= 0:
            raise InvalidInput("anti-entropy repair takes some time; write 1ms if it takes none, theta 0 for never")


class Fate(NamedTuple):
    """What becomes of a group."""

    #: The share of operations that fail until the group does.
    unavailability: Decimal
    #: The mean time until all data is lost; NEVER if it never is.
    mttf_s: Decimal


@precisely
def chain(disks: Transient, replicas: int, upkeep: Upkeep, mends: Decimal) -> dict[State, dict[State, Decimal]]:
    """Return the rates of figure 3.7, beginning with X(0, 0); what leads to ``LOST`` is the end.

    ``mends`` is the rate of read repair (``Upkeep.read_repair_rate``).
    """
    fails, returns = rate_of(disks.up_s), rate_of(upkeep.away_s(disks.down_s))
    checks = upkeep.anti_entropy_rate(replicas)
    rates: dict[State, dict[State, Decimal]] = {}
    for troubled in range(replicas):
        for away in range(troubled + 1):
            bare, whole = troubled - away, replicas - troubled
            leaving: dict[State, Decimal] = {}
            _add(leaving, (bare, away + 1) if whole > 1 else LOST, whole * fails)
            _add(leaving, (bare - 1, away + 1), bare * fails)
            _add(leaving, (bare + 1, away - 1), away * returns)
            if bare:
                _add(leaving, *_read_repair(bare, away, mends, upkeep.one_read_mends))
                _add(leaving, (0, 0), checks if away == 0 else ZERO)
            rates[bare, away] = leaving
    return rates


def failing(replicas: int, asked: int, bare: int, away: int) -> Decimal:
    """Return the share of operations that fail in X(i, j): one less the reward of (3.11)."""
    if asked == replicas:
        return ZERO if away == 0 else ONE
    whole = math.comb(replicas, asked)
    right = max(math.comb(replicas - away, asked) - math.comb(bare, asked), 0)
    return _decimal(Fraction(whole - right, whole))


@precisely
def fate(disks: Transient, replicas: int, consistency: Consistency, upkeep: Upkeep) -> Fate:
    """Return the availability until the group fails (3.10), and the mean time until then (3.9)."""
    disks.refuse_nonsense()
    upkeep.refuse_nonsense(replicas)
    read, write = consistency.read_asks(replicas), consistency.write_asks(replicas)
    if disks.up_s == NEVER:
        return Fate(ZERO, NEVER)
    if not upkeep.away_s(disks.down_s):
        raise InvalidInput("a node that is away for no time at all loses nothing here; write how long, such as 1ms")
    found = _lived(disks, replicas, upkeep, upkeep.read_repair_rate(consistency.read, replicas))
    lost = ZERO
    for (bare, away), share in found.shares.items():
        of_both = consistency.mixed(failing(replicas, read, bare, away), failing(replicas, write, bare, away))
        lost += share * of_both
    return Fate(lost, ONE / found.end_rate)


@lru_cache(maxsize=256)
@precisely
def _lived(disks: Transient, replicas: int, upkeep: Upkeep, mends: Decimal) -> Sojourn[State, Decimal]:
    """Solve a chain once for all consistencies that have it in common."""
    return sojourn(chain(disks, replicas, upkeep, mends), LOST)


def _read_repair(bare: int, away: int, rate: Decimal, mends: ReadRepair) -> tuple[State, Decimal]:
    if mends is ReadRepair.EACH:
        return (bare - 1, away), bare * rate
    return (0, away), rate


def _add(leaving: dict[State, Decimal], to: State, rate: Decimal) -> None:
    if rate:
        leaving[to] = leaving.get(to, ZERO) + rate


def _decimal(fraction: Fraction) -> Decimal:
    return Decimal(fraction.numerator) / Decimal(fraction.denominator)
