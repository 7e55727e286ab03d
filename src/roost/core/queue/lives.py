"""Lives: how many a node has had, as far as its tokens tell, and what its next one has to count from.

Rules
- Every life of a node counts its tokens from a floor of its own (leases.py), so that they grow although a power cut may
  take the last leases. A lease that follows a token of a node with more lives lies above that floor, and the cut may
  take the followed token, too.
- Therefore such a node first notes the other's number of lives, and leases nothing before that outlives a power cut.
  Its next life has a larger number. As with Lamport's clocks, numbers of lives only grow, and skip some.
"""

from collections.abc import Iterable

from roost.model.ids import Token
from roost.model.states import State

#: Attempts that one element can have in one life of a node before the floors of two lives would meet.
TOKENS_PER_LIFE = 2**20
#: ... and all lives of all nodes in one edition, so that a token never comes again in a later one.
TOKENS_PER_EDITION = 2**42


def floor_of(life: int) -> int:
    """Return what tokens of this life are above, and those of earlier ones are not; within one edition."""
    return (life - 1) * TOKENS_PER_LIFE


def life_of(token: Token) -> int:
    """Return the life that a token belongs to: the last whose floor it is above."""
    return -(-(token % TOKENS_PER_EDITION) // TOKENS_PER_LIFE)


class Lives:
    def __init__(self, life: int) -> None:
        """``life``: the number of this one, which is on disk."""
        self._noted = life
        self._asked = life
        self._heard = life

    def hear(self, states: Iterable[State]) -> None:
        """These states are known from now on; leases may have to follow their tokens."""
        for state in states:
            self._heard = max(self._heard, life_of(state.token))

    @property
    def are_noted(self) -> bool:
        """Whether leases may follow every token that is known."""
        return self._heard <= self._noted

    def to_note(self) -> int | None:
        """Return the number that is to be noted on disk, once; None if it is there or on its way."""
        if self._heard <= self._asked:
            return None
        self._asked = self._heard
        return self._heard

    def noted(self, life: int) -> None:
        """This number outlives a power cut."""
        self._noted = max(self._noted, life)
