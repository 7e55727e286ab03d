"""Lives: how many a node has had, as far as its tokens tell, and how many its next one has to count.

Rules
- A token names the life in which it was given out (leases.py), so that tokens grow although a power cut may take the
  last leases. A lease that follows a token of a node with more lives has that one's number, and the cut may take the
  followed token, too.
- Therefore such a node first notes the other's number of lives, and leases nothing before that outlives a power cut.
  Its next life has a larger number. As with Lamport's clocks, numbers of lives only grow, and skip some.
- A number that leads absurdly is nobody's, and not noted: every node would count on from it, up to BOOT_MAX.
"""

from collections.abc import Iterable

from roost.model.limits import LIVES_LEAD_MAX
from roost.model.states import State


class Lives:
    def __init__(self, life: int) -> None:
        """``life``: the number of this one, which is on disk."""
        self._noted = life
        self._asked = life
        self._heard = life

    def hear(self, states: Iterable[State]) -> None:
        """These states are known from now on; leases may have to follow their tokens."""
        for state in states:
            if self._heard < state.token.life <= self._noted + LIVES_LEAD_MAX:
                self._heard = state.token.life

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
