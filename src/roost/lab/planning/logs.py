"""How long machines stay and are away, estimated from logs of when they were there, with what is not known of it.

A log is text with a line for each stay, ``machine from until``, in seconds, as ``roost sim --churn`` reads them:
'pc-3 0 120.5'; what follows ``#`` is a remark. It may be as long as one likes.

Rules
- All machines are taken to be alike, with exponential times, as the models have it. The likeliest mean is the time that
  was seen in all by how often it ended; a time that was not seen to end counts as time and not as an end.
- A machine is looked at from 0 until the log's last moment. Stays that last until then have not ended.
- The intervals are of 95 % and exact (chi-square, as times are exponential and ends are counted): few ends, wide ones.
"""

import math
from collections.abc import Iterable, Sequence
from decimal import Decimal
from itertools import pairwise
from typing import Final, NamedTuple

from roost.lab.availability.precision import NEVER, exact
from roost.model.errors import InvalidInput

#: Stays of all logs together.
STAYS_MAX: Final = 1_000_000
#: How much of the probability lies beyond either end of an interval.
TAIL: Final = 0.025
_HALVINGS: Final = 200


class Stay(NamedTuple):
    machine: str
    begins_s: float
    ends_s: float


class Mean(NamedTuple):
    """A mean time in seconds, with the interval in which it lies with 95 %."""

    mean_s: Decimal
    low_s: Decimal
    high_s: Decimal
    #: How often such a time ended.
    ends: int


class Seen(NamedTuple):
    """What logs say."""

    machines: int
    up: Mean
    down: Mean


def read_log(lines: Iterable[str], name: str) -> list[Stay]:
    """Read the stays of a log. Raise InvalidInput for a line that is none."""
    stays: list[Stay] = []
    for number, line in enumerate(lines, start=1):
        words = line.partition("#")[0].split()
        if words:
            stays.append(_stay(words, f"line {number} of {name}"))
        if len(stays) > STAYS_MAX:
            raise InvalidInput(f"{name} has more than {STAYS_MAX:,} stays; give a shorter one")
    return stays


def seen_in(stays: Sequence[Stay]) -> Seen:
    """Estimate how long machines stay and are away. Raise InvalidInput if none came or went."""
    if not stays:
        raise InvalidInput("the logs name no machine; write lines such as 'pc-3 0 120.5'")
    last_s = max(stay.ends_s for stay in stays)
    by_machine: dict[str, list[Stay]] = {}
    for stay in stays:
        by_machine.setdefault(stay.machine, []).append(stay)
    up_s = down_s = 0.0
    left = returned = 0
    for own in by_machine.values():
        own.sort(key=lambda stay: stay.begins_s)
        _refuse_overlaps(own)
        there_s = sum(stay.ends_s - stay.begins_s for stay in own)
        up_s, down_s = up_s + there_s, down_s + last_s - there_s
        left += sum(stay.ends_s < last_s for stay in own)
        returned += sum(stay.begins_s > 0 for stay in own)
    return Seen(len(by_machine), mean_of(up_s, left), mean_of(down_s, returned))


def mean_of(total_s: float, ends: int) -> Mean:
    """Return the mean of times that lasted so long in all and of which so many ended."""
    low_s = exact(total_s / _expected(1.0 - TAIL, ends + 1))
    if not ends:
        return Mean(NEVER, low_s, NEVER, 0)
    return Mean(exact(total_s / ends), low_s, exact(total_s / _expected(TAIL, ends)), ends)


def _expected(chance: float, ends: int) -> float:
    """Return how many ends have to be expected for ``ends`` or more to come with this chance: half a chi-square."""
    low, high = 0.0, ends + 20.0 * math.sqrt(ends) + 20.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        low, high = (middle, high) if 1.0 - _fewer(ends, middle) < chance else (low, middle)
    return (low + high) / 2


def _fewer(ends: int, expected: float) -> float:
    """Return the chance that fewer ends come than this where so many are expected (Poisson)."""
    log = math.log(expected) if expected > 0 else -math.inf
    return math.fsum(
        math.exp(at * log - expected - math.lgamma(at + 1)) if at else math.exp(-expected) for at in range(ends)
    )


def _stay(words: Sequence[str], where: str) -> Stay:
    try:
        machine, begins, ends = words
        stay = Stay(machine, float(begins), float(ends))
    except ValueError:
        stay = Stay("", 0.0, 0.0)
    if not 0.0 <= stay.begins_s < stay.ends_s < math.inf:
        raise InvalidInput(
            f"{where} is '{' '.join(words)[:80]}'; write a machine, from when on and until when it was there, in "
            "seconds, as in 'pc-3 0 120.5'"
        )
    return stay


def _refuse_overlaps(own: Sequence[Stay]) -> None:
    for before, after in pairwise(own):
        if after.begins_s < before.ends_s:
            raise InvalidInput(
                f"the logs let {after.machine} come at {after.begins_s:g} s, and it is there until {before.ends_s:g} s"
            )
