"""When a machine is there: drawn from how long it stays and is away, or read from its log, anew for each world.

Rules
- The same world and the same place among the machines give the same life, whatever the machine is called and whatever
  the policy is: all policies meet the same failures.
- A machine has a past. It has come and gone often enough before the work begins that it is found at any point of its
  ways, as somebody finds it who hands in work at any time. What it remembers of that is what its node tells of itself.
- Of a log, every world begins at another moment, the same for all machines; or all at one that a person names.
"""

import math
from bisect import bisect_right
from collections.abc import Iterator
from random import Random
from typing import Final, NamedTuple

from roost.lab.what_if.machines import Drawn, Machine, Replayed, Stays
from roost.lab.worlds.lifetimes import draw
from roost.model.limits import ONLINE_STRETCHES_MAX
from roost.model.online import NEVER_ONLINE, OnlineLog, Stretch

#: So many mean times of coming and going before the work begins: then nothing is left of how it began.
_CYCLES: Final = 30
#: How often a past is drawn anew for a machine that must be there at the beginning, before it is just let come then.
_TRIES: Final = 1_000


class Lived(NamedTuple):
    """The life of a machine; time 0 is when the work is handed in."""

    #: When it was on line before; this time is not in it.
    past: OnlineLog
    #: Since when it is there; None if it is away.
    since_s: float | None
    #: When that changes, again and again; without end, or until it changes no more.
    changes: Iterator[float]


def life_of(machine: Machine, at: int, seed: str, starts_at_s: float | None = None) -> Lived:
    """Return the life of the machine at this place among all; ``starts_at_s`` is where in a log the world begins."""
    match machine.life:
        case Stays():
            return Lived(NEVER_ONLINE, 0.0, iter(()))
        case Drawn() as drawn:
            return _drawn(drawn, Random(f"{seed}/life/{at}"))
        case Replayed() as replayed:
            if starts_at_s is None:
                starts_at_s = Random(f"{seed}/begins").random() * replayed.length_s
            return _replayed(replayed, starts_at_s % replayed.length_s)


def _drawn(life: Drawn, rng: Random) -> Lived:
    mean_s = life.up.mean_s + life.away.mean_s
    if math.isinf(mean_s):
        return Lived(NEVER_ONLINE, 0.0, iter(()))
    stays, ended_s = _stays_until(life, _CYCLES * mean_s, rng)
    for _ in range(_TRIES if life.is_there else 0):
        if stays[-1].ended_s > 0.0:
            break
        stays, ended_s = _stays_until(life, _CYCLES * mean_s, rng)
    is_up = stays[-1].ended_s > 0.0
    if life.is_there and not is_up:
        stays, ended_s, is_up = [*stays, Stretch(0.0, draw(life.up, rng))], 0.0, True
    past = stays[:-1] if is_up else stays
    remembered = past[-min(life.past, ONLINE_STRETCHES_MAX) :] if life.past else []
    since_s = stays[-1].began_s if is_up else None
    first = stays[-1].ended_s if is_up else ended_s
    return Lived(OnlineLog(tuple(remembered)), since_s, _onwards(life, first, is_up=is_up, rng=rng))


def _stays_until(life: Drawn, length_s: float, rng: Random) -> tuple[list[Stretch], float]:
    """Return its times on line that began before 0, and when it is back from where it went after the last of them."""
    stays: list[Stretch] = []
    now = -length_s
    while now <= 0.0:
        ends = now + draw(life.up, rng)
        stays.append(Stretch(now, ends))
        now = ends + draw(life.away, rng)
    return stays, now


def _onwards(life: Drawn, first_s: float, *, is_up: bool, rng: Random) -> Iterator[float]:
    now = first_s
    while True:
        yield now
        is_up = not is_up
        now += draw(life.up if is_up else life.away, rng)


def _replayed(life: Replayed, starts_at_s: float) -> Lived:
    stays = life.stays
    if stays[0].began_s <= 0.0 and stays[-1].ended_s >= life.length_s and len(stays) == 1:
        return Lived(NEVER_ONLINE, 0.0, iter(()))
    at = bisect_right([stay.began_s for stay in stays], starts_at_s)
    is_up = at > 0 and stays[at - 1].ended_s > starts_at_s
    past = stays[: at - 1] if is_up else stays[:at]
    log = OnlineLog(
        tuple(Stretch(stay.began_s - starts_at_s, stay.ended_s - starts_at_s) for stay in past[-ONLINE_STRETCHES_MAX:])
    )
    return Lived(log, stays[at - 1].began_s - starts_at_s if is_up else None, _around(life, starts_at_s))


def _around(life: Replayed, starts_at_s: float) -> Iterator[float]:
    """Yield when it changes after the beginning, the log again and again. Where it goes on, nothing changes."""
    pending = -math.inf
    is_pending = False
    round_s = -starts_at_s
    while True:
        for stay in life.stays:
            begins, ends = round_s + stay.began_s, round_s + stay.ended_s
            if is_pending and begins > pending:
                if pending > 0.0:
                    yield pending
                if begins > 0.0:
                    yield begins
            elif not is_pending and begins > 0.0:
                yield begins
            pending, is_pending = ends, True
        round_s += life.length_s
