"""Places for connections of strangers, until they have proved who they are.

Rules
- There are few places, so that strangers cost little. Whoever comes when all are taken is let in, and another is shown
  out: of the address that has most places, the connection that has waited longest. An honest one proves itself within
  milliseconds; one that only holds its place is soon the oldest.
- So nobody can keep others out by idling, from one address or from many, unless it is quicker than they are.
"""

from collections import Counter
from collections.abc import Callable


class Seat:
    """One connection's place; give it back with ``WaitingRoom.leave``."""

    __slots__ = ("host", "show_out")

    def __init__(self, host: str, show_out: Callable[[], object]) -> None:
        self.host = host
        self.show_out = show_out


class WaitingRoom:
    def __init__(self, places: int) -> None:
        self._places = places
        #: The longest waiting first.
        self._seats: dict[Seat, None] = {}
        self._by_host: Counter[str] = Counter()
        #: How many had to make room for others.
        self.shown_out = 0

    def __len__(self) -> int:
        return len(self._seats)

    def enter(self, host: str, show_out: Callable[[], object]) -> Seat:
        """Take a place. ``show_out`` is called, at most once, when another needs it."""
        seat = Seat(host, show_out)
        self._seats[seat] = None
        self._by_host[host] += 1
        if len(self._seats) > self._places:
            self._make_room()
        return seat

    def leave(self, seat: Seat) -> None:
        """Give a place back; nothing happens if it was taken away before."""
        if self._seats.pop(seat, seat) is None:
            self._by_host[seat.host] -= 1
            if not self._by_host[seat.host]:
                del self._by_host[seat.host]

    def _make_room(self) -> None:
        greediest = self._by_host.most_common(1)[0][0]
        longest = next(seat for seat in self._seats if seat.host == greediest)
        self.leave(longest)
        self.shown_out += 1
        longest.show_out()
