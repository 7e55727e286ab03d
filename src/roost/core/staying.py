"""Staying: how long this node tends to stay on line, as it has worked it out itself, and what nodes tell of that.

Nodes tell how fast they are, too: by both of it they are compared when work is long (policy/roost.py).

Rules
- It follows from when the node was on line before and since when it is now, and changes slowly: it is worked out anew
  every REFIT_S, and when the node has woken up.
- It travels with every heartbeat, as what a node offers does. An exponential is a Weibull of shape 1.
"""

import math
from collections.abc import Callable
from typing import Final

from roost.core.turn import Turn
from roost.policy.company import Ability
from roost.policy.reliability import UNKNOWN, Exponential, Reliability, Weibull, reliability_of
from roost.wire.messages import Stay

#: Less: the time that a node has just stayed counts sooner. More: less is computed, up to 0.3 ms each time.
REFIT_S: Final = 60.0
#: No node is slower, or faster by its inverse, than lengths are stated for: what is off by more is no speed.
SPEED_MIN: Final = 1e-3


class Staying:
    def __init__(self, turn: Turn, speed: Callable[[], float], processor: Callable[[], int]) -> None:
        """``speed`` is what this node has seen of its own, ``processor`` the type of its processors."""
        self._turn = turn
        self._speed = speed
        self._processor = processor
        self._since = self._fitted_at = -math.inf
        self._reliability: Reliability | None = None

    @property
    def reliability(self) -> Reliability:
        turn, known = self._turn, self._reliability
        if known is None or turn.online_since != self._since or turn.now - self._fitted_at >= REFIT_S:
            known = self._reliability = reliability_of(turn.online, turn.online_since, turn.now)
            self._since, self._fitted_at = turn.online_since, turn.now
        return known

    @property
    def stay(self) -> Stay:
        """What is told to others."""
        reliability = self.reliability
        lifetime = reliability.lifetime
        scale_s, shape = (lifetime.scale_s, lifetime.shape) if isinstance(lifetime, Weibull) else (lifetime.mean_s, 1.0)
        return Stay(reliability.periods, reliability.is_known, scale_s, shape, self._speed(), self._processor())


def reliability_told(stay: Stay) -> Reliability | None:
    """Return what another node told; None if that cannot be."""
    if stay.periods < 0 or not (0 < stay.scale_s < math.inf and 0 < stay.shape < math.inf):
        return None
    lifetime = Exponential(1 / stay.scale_s) if stay.shape == 1 else Weibull(stay.scale_s, stay.shape)
    return Reliability(lifetime, stay.periods, stay.is_known)


def ability_told(stay: Stay) -> Ability:
    """Return what another node is good for, as far as it told; what cannot be counts as not told."""
    reliability = reliability_told(stay)
    lifetime = UNKNOWN if reliability is None or not reliability.is_known else reliability.lifetime
    return Ability(lifetime, stay.speed if SPEED_MIN <= stay.speed <= 1 / SPEED_MIN else 1.0, stay.processor)
