"""Tokens: the next one for elements, above all that are known to have had one.

A medium that has no row to read it from gives tokens by this rule (core/medium/port.py). So do people's answers, which
nobody leases.

Rules
- A token is the next after the largest that any of its elements had, so tokens only grow. It names the life of the
  node, too, so that they grow although a crash may lose the last ones (lives.py); and edition and round: who sends work
  back, or asks for another round, may not know of the last lease, which what he says hides.
- A further attempt at what another node has leased has the next one, too (attempts.py), for what it makes must not be
  taken for anything else, nor be older than the lease that it is made beside. No record tells of it: so all that this
  node gives later is larger than what it has given to attempts in this life.
"""

from collections.abc import Iterable

from msgspec.structs import replace

from roost.core.queue.replica import TaskEntry
from roost.model.ranges import RangeSet
from roost.model.states import Absent, Cancelled, Done, State
from roost.model.token import Token


class Tokens:
    def __init__(self, life: int) -> None:
        """``life``: the number of this life of the node."""
        self._life = life
        #: The last number that an attempt got which is in no record.
        self._unrecorded = 0

    def following(self, earlier: Iterable[State] = (), edition: int = 0) -> Token:
        """Return a token above those of earlier states, and above all of earlier rounds, editions and lives."""
        largest = Token(edition=edition, life=self._life)
        for state in earlier:
            begun = Token(edition=state.edition, life=self._life, round=round_of(state))
            largest = max(largest, state.token, begun)
        if largest.attempt < self._unrecorded:
            largest = replace(largest, attempt=self._unrecorded)
        return largest.following()

    def for_lease(self, entry: TaskEntry, ranges: RangeSet) -> Token:
        """Return the token of the next lease of elements, which are all of one edition."""
        earlier = entry.elements.entries_within(ranges)
        return self.following([state for state, _ in earlier], entry.edition_of(ranges.first))

    def for_attempt(self, entry: TaskEntry, ranges: RangeSet) -> Token:
        """Return the token of a further attempt at elements of one edition."""
        token = self.for_lease(entry, ranges)
        self._unrecorded = max(self._unrecorded, token.attempt)
        return token


def round_of(state: State) -> int:
    """Return how often a person had asked for a retry; what has ended for good says nothing of that."""
    return 0 if isinstance(state, Cancelled | Absent | Done) else state.round
