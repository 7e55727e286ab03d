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


def asked_and_answered(groups: Mapping[NodeId, Sequence[NodeId]], until_s: float, refresh_s: float) -> float:
    """Return how many messages Roost's own gossip takes where nothing changes, in this time.

    Its rule (core/mesh/performance): a node asks each of its group every ``refresh_s``, and tells its own performance
    with that; the other answers with its own, which asks back if it would have asked. So a pair takes two messages.
    """
    pairs = {tuple(sorted((name, other))) for name, group in groups.items() for other in group}
    return 2 * len(pairs) * until_s / refresh_s


def told_of_changes(groups: Mapping[NodeId, Sequence[NodeId]], changes: Sequence[int]) -> int:
    """Return how many messages Roost's own gossip takes beside that, if each node has changed so often.

    Its rule: what has changed, such as that a lane opens or closes, is told to all who have asked, within a second.
    """
    listeners = dict.fromkeys(groups, 0)
    for group in groups.values():
        for other in group:
            listeners[other] += 1
    return sum(count * times for count, times in zip(listeners.values(), changes, strict=True))
