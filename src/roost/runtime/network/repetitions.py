"""Datagrams that came again: most took another way, and some were recorded and sent once more.

A word to all comes by multicast and by broadcast, by each network that two machines share, and directly to those who
may not hear it. All of that is over within moments. Whatever comes again later, or more often than that, somebody else
has sent.
"""

from roost.model.limits import REPETITIONS_KEPT_MAX
from roost.wire.bounded import Bounded

#: How long after the first copy the others may come.
COPIES_S = 2.0


class Repetitions:
    def __init__(self) -> None:
        #: When each of the last datagrams was taken, and how often it came again since.
        self._taken: Bounded[bytes, tuple[float, int]] = Bounded(REPETITIONS_KEPT_MAX)
        #: How many came again for no good reason.
        self.replayed = 0

    def taken(self, name: bytes, now: float) -> None:
        """A datagram of this name counts."""
        self._taken.put(name, (now, 0))

    def again(self, name: bytes, networks: int, now: float) -> None:
        """It came once more, at a machine with so many networks."""
        at, copies = self._taken.get(name) or (float("-inf"), 0)
        if now - at > COPIES_S or copies >= 2 * networks:
            self.replayed += 1
        else:
            self._taken.put(name, (at, copies + 1))
