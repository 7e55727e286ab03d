"""Nodes that are on line by the clock: at the same hours each day, or whatever the period of a trace is.

Rules
- A trace says when a machine is there within one period, and each period is as that one. Where it is there at the end
  of one and at the beginning of the next, it stays.
- A world may begin at any hour. Who is away then comes when its next stay begins.
"""

import math
from collections.abc import Sequence
from operator import attrgetter
from random import Random
from typing import Final, NamedTuple

from roost.model.errors import InvalidInput
from roost.model.online import OnlineLog, Stretch

#: By how much the sum of many times may be off; no stay is as short.
_SLACK_S: Final = 1e-3


class Hours(NamedTuple):
    """A stay of each period."""

    begins_s: float
    lasts_s: float


class ByTheClock(NamedTuple):
    """When a node is on line."""

    #: In order; one that lasts for ever, if it is never away.
    stays: tuple[Hours, ...]
    period_s: float
    #: The hour at which the world begins.
    begins_s: float = 0.0
    speed: float = 1.0

    def past(self, times: int, rng: Random) -> OnlineLog:  # noqa: ARG002 - nothing is drawn
        if math.isinf(self.stays[0].lasts_s):
            return OnlineLog()
        stretches = []
        for at in range(times // len(self.stays) + 2):
            for begins_s, lasts_s in self.stays:
                began_s = begins_s - at * self.period_s - self.begins_s
                stretches.append(Stretch(began_s, began_s + lasts_s))
        before = [stretch for stretch in stretches if stretch.ended_s <= 0.0]
        before.sort(key=attrgetter("began_s"))
        return OnlineLog(tuple(before[len(before) - times :]))

    def comes_first_s(self) -> float:
        return 0.0 if self._lasts_s(0.0) > 0.0 else self._away_s(0.0)

    def stays_s(self, now: float, rng: Random) -> float:  # noqa: ARG002 - nothing is drawn
        return self._lasts_s(now)

    def is_away_s(self, now: float, rng: Random) -> float:  # noqa: ARG002 - as above
        return self._away_s(now)

    def _lasts_s(self, now: float) -> float:
        """Return how long the stay of this moment still lasts; not more than 0 if there is none."""
        hour_s = self.begins_s + now + _SLACK_S
        return max(hours.lasts_s - (hour_s - hours.begins_s) % self.period_s for hours in self.stays) + _SLACK_S

    def _away_s(self, now: float) -> float:
        hour_s = self.begins_s + now - _SLACK_S
        return min((hours.begins_s - hour_s) % self.period_s for hours in self.stays) - _SLACK_S


def by_the_clock(stays: Sequence[tuple[float, float]], period_s: float, begins_s: float = 0.0) -> ByTheClock:
    """Return when a machine is on line that is there from and until these moments of each period."""
    own = sorted(stays)
    if not own or own[0][0] < 0.0 or own[-1][1] > period_s:
        raise InvalidInput(f"stays of a machine have to lie between 0 and {period_s:g} s, the period of the trace")
    joined = [own[0]]
    for begins, ends in own[1:]:
        if begins - joined[-1][1] > _SLACK_S:
            joined.append((begins, ends))
        else:
            joined[-1] = (joined[-1][0], max(ends, joined[-1][1]))
    hours = [Hours(begins, ends - begins) for begins, ends in joined]
    if joined[0][0] <= _SLACK_S and joined[-1][1] >= period_s - _SLACK_S:
        if len(hours) == 1:
            return ByTheClock((Hours(0.0, math.inf),), period_s, begins_s)
        first, last = hours.pop(0), hours.pop()
        hours.append(Hours(last.begins_s, last.lasts_s + first.lasts_s))
    return ByTheClock(tuple(hours), period_s, begins_s)
