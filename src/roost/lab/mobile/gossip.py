"""Gossip in rounds: each device hears of those in its group how they do (FAIR 3.2 and 4.1).

Rules
- In each round every device on line tells those in whose groups it is, and leaves out what they know already.
- Whoever is on line and says nothing does as it did. Who is away counts for three more rounds.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from roost.model.ids import NodeId
from roost.policy.choose import Neighbour
from roost.policy.neighbour_group import group_of

EXPIRES_ROUNDS: Final = 3


class Gossip:
    def __init__(self, names: Sequence[NodeId], group: int, round_s: float) -> None:
        """``names`` are sorted."""
        self.groups = {name: group_of(name, [other for other in names if other != name], group) for name in names}
        self.messages = 0
        self._expires_s = EXPIRES_ROUNDS * round_s
        #: By who has heard, and of whom: how that one does, and when it last was on line.
        self._known: dict[NodeId, dict[NodeId, tuple[int, float]]] = {name: {} for name in names}

    def tell_all(self, now: float, values: Mapping[NodeId, int]) -> None:
        """Do a round; ``values`` has how those do that are on line."""
        for name in values:
            known = self._known[name]
            for other in self.groups[name]:
                if other not in values:
                    continue
                before = known.get(other)
                if before is None or before[0] != values[other]:
                    self.messages += 1
                known[other] = (values[other], now)

    def neighbours(self, name: NodeId, now: float) -> list[Neighbour]:
        """Return what a device knows of its group, by name."""
        return [
            Neighbour(other, value, now - at)
            for other, (value, at) in sorted(self._known[name].items())
            if now - at < self._expires_s
        ]
