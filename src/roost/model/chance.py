"""Chance, from outside: the pure layers draw no random numbers of their own."""

from typing import Protocol


class Chance(Protocol):
    """A source of chance, such as random.Random."""

    def random(self) -> float:
        """Return a number from 0 up to, and without, 1."""


class _NoChance:
    def random(self) -> float:
        return 0.5


#: Where nothing depends on chance.
NO_CHANCE: Chance = _NoChance()
