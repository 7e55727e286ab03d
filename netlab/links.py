"""How good the way from one host to another is, and what that means for a frame.

Pure: time and randomness come from the caller, so that a seed tells the fate of every frame.
"""

from dataclasses import dataclass, fields
from random import Random
from typing import Final

#: How much later than the others a frame comes that is to be overtaken: more than a burst takes.
HELD_BACK_S: Final = 0.02


@dataclass(frozen=True)
class Link:
    """One way. Shares are between 0 and 1, and count for each frame alone."""

    delay_s: float = 0.0
    #: A frame comes so much earlier or later at most; more than the time between two frames changes their order.
    jitter_s: float = 0.0
    #: The share of frames that are lost.
    loss: float = 0.0
    #: The share of frames that come twice.
    duplication: float = 0.0
    #: The share of frames that are held back, so that those behind overtake them.
    reordering: float = 0.0

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if value < 0 or (value > 1 and not field.name.endswith("_s")):
                raise ValueError(f"{field.name} of {value}; a time may not be negative, a share is from 0 to 1")


PERFECT: Final = Link()


def arrivals(link: Link, now: float, random: Random) -> tuple[float, ...]:
    """Return when a frame that is sent now arrives: not at all, once or twice."""
    if link == PERFECT:
        return (now,)
    if random.random() < link.loss:
        return ()
    copies = 2 if random.random() < link.duplication else 1
    return tuple(now + max(0.0, _lateness(link, random)) for _ in range(copies))


def _lateness(link: Link, random: Random) -> float:
    held_back = HELD_BACK_S if random.random() < link.reordering else 0.0
    return link.delay_s + held_back + random.uniform(-link.jitter_s, link.jitter_s)
