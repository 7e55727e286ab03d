"""Both kinds of failure in one chain, which HTC 3.6 and 5.2 leave to future work.

A node is in one of four classes: there with data, there without, away with data, away without. A state is how many
of the n nodes are in each. Disks fail as in lost_disks.py; beside that, nodes are away for a time as in transient.py.

Choices, where the document has none
- Data on a node that is away for a time is not lost: the group has failed for ever only when no node has data, there
  or away. Disks do not fail while a node is away.
- A node without data that goes away for a time comes back as those do whose disk failed. That is one class less, and a
  time away that is rather too long than too short.
- Read repair needs a copy that is there with data. Anti-entropy repair needs all nodes, as in lost_disks.py.
- An operation passes by nodes that are away for a time, as the closed form (3.3) has it, and may ask one whose disk has
  failed, as (3.11) has it: it asks k at random of the n - c nodes, where c are away for a time. So the chain is each of
  the two models where the other kind of failure never happens.
- If disks never fail, the chain never ends, and the availability is that of the long run.
"""

import math
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

from roost.lab.availability import lost_disks, transient
from roost.lab.availability.consistency import Consistency
from roost.lab.availability.elimination import Sojourn, sojourn
from roost.lab.availability.lost_disks import Fate, ReadRepair, Upkeep
from roost.lab.availability.precision import NEVER, ONE, ZERO, precisely, rate_of
from roost.lab.availability.transient import Transient
from roost.model.errors import InvalidInput

#: Beyond this the chain has tens of thousands of states.
REPLICAS_MAX: Final = 15


class State(NamedTuple):
    """How many nodes are in each class; those that are left are there with data."""

    #: There without data.
    bare: int
    #: Away, with data.
    absent: int
    #: Away, without data.
    dead: int

    @property
    def gone(self) -> int:
        return self.absent + self.dead


LOST: Final = State(-1, -1, -1)
Rates: TypeAlias = dict[State, dict[State, Decimal]]


@precisely
def chain(network: Transient, disks: Transient, replicas: int, upkeep: Upkeep, mends: Decimal) -> Rates:
    """Return the rates of the chain, beginning with all nodes there with data. ``mends`` is that of read repair."""
    known: Rates = {}
    found = [State(0, 0, 0)]
    maker = _Maker(network, disks, replicas, upkeep, mends)
    # In the order in which trouble grows, so that what is near in the chain is near in the list.
    for state in found:
        if state not in known:
            known[state] = maker.leaving(state)
            found += [to for to in known[state] if to not in known and to != LOST]
    return dict(sorted(known.items(), key=lambda entry: (sum(entry[0]), entry[0])))


@precisely
def fate(network: Transient, disks: Transient, replicas: int, consistency: Consistency, upkeep: Upkeep) -> Fate:
    """Return the availability until all data is lost, and the mean time until then."""
    if disks.up_s == NEVER:
        return Fate(transient.unavailability(network, replicas, consistency), NEVER)
    if network.up_s == NEVER or network.down_s == 0:
        network.refuse_nonsense()
        return lost_disks.fate(disks, replicas, consistency, upkeep)
    _refuse_nonsense(network, disks, replicas, upkeep)
    read, write = consistency.read_asks(replicas), consistency.write_asks(replicas)
    found = _lived(network, disks, replicas, upkeep, upkeep.read_repair_rate(consistency.read, replicas))
    lost = ZERO
    for state, share in found.shares.items():
        lost += share * consistency.mixed(failing(replicas, read, state), failing(replicas, write, state))
    return Fate(lost, ONE / found.end_rate)


def failing(replicas: int, asked: int, state: State) -> Decimal:
    """Return the share of operations that fail in a state."""
    there = replicas - state.gone
    if there < asked or there == state.bare:
        return ONE
    if asked == replicas:
        return ZERO
    whole = math.comb(replicas - state.absent, asked)
    wrong = Fraction(whole - math.comb(there, asked) + math.comb(state.bare, asked), whole)
    return Decimal(wrong.numerator) / Decimal(wrong.denominator)


@lru_cache(maxsize=256)
@precisely
def _lived(
    network: Transient, disks: Transient, replicas: int, upkeep: Upkeep, mends: Decimal
) -> Sojourn[State, Decimal]:
    """Solve a chain once for all consistencies that have it in common."""
    return sojourn(chain(network, disks, replicas, upkeep, mends), LOST)


class _Maker:
    """Makes the ways out of states."""

    def __init__(self, network: Transient, disks: Transient, replicas: int, upkeep: Upkeep, mends: Decimal) -> None:
        self._replicas = replicas
        self._goes, self._returns = rate_of(network.up_s), rate_of(network.down_s)
        self._dies, self._revives = rate_of(disks.up_s), rate_of(upkeep.away_s(disks.down_s))
        self._mends = mends
        self._checks = upkeep.anti_entropy_rate(replicas)
        self._each = upkeep.one_read_mends is ReadRepair.EACH

    def leaving(self, state: State) -> dict[State, Decimal]:
        bare, absent, dead = state
        whole = self._replicas - sum(state)
        ways = [
            (State(bare, absent + 1, dead), whole * self._goes),
            (State(bare, absent - 1, dead), absent * self._returns),
            (LOST if whole == 1 and not absent else State(bare, absent, dead + 1), whole * self._dies),
            (State(bare - 1, absent, dead + 1), bare * (self._dies + self._goes)),
            (State(bare + 1, absent, dead - 1), dead * self._revives),
        ]
        if bare and whole:
            ways.append((State(bare - 1 if self._each else 0, absent, dead), self._mends * (bare if self._each else 1)))
            ways.append((State(0, 0, 0), ZERO if state.gone else self._checks))
        leaving: dict[State, Decimal] = {}
        for to, rate in ways:
            if rate:
                leaving[to] = leaving.get(to, ZERO) + rate
        return leaving


def _refuse_nonsense(network: Transient, disks: Transient, replicas: int, upkeep: Upkeep) -> None:
    network.refuse_nonsense()
    disks.refuse_nonsense()
    upkeep.refuse_nonsense(replicas)
    if NEVER in (network.down_s, disks.down_s):
        raise InvalidInput("with both kinds of failures a node has to come back some time; write how soon")
    if not upkeep.away_s(disks.down_s):
        raise InvalidInput("a node that is away for no time at all loses nothing here; write how long, such as 1ms")
    if replicas > REPLICAS_MAX:
        raise InvalidInput(f"with both kinds of failures a group has at most {REPLICAS_MAX} copies here")
