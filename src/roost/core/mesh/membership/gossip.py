"""Gossip: which words a heartbeat carries besides its sender's own.

Rules
- Each node tells a new word to about 3 log2(N + 1) listeners, the least told first; then it is old. A heartbeat tells
  it to all neighbours at once, so that is a few beats; two at least, because one may be lost.
- Whoever missed it all the same hears it late: every heartbeat also carries the words of a few members in turn. This is
  the anti-entropy of the membership; it costs the same in any mesh, and a round takes N / 2 beats.
"""

import math

from roost.core.mesh.membership.members import KnownMembers
from roost.model.ids import NodeId
from roost.model.limits import HEARTBEAT_NEWS_MAX

#: To how many listeners a word is told, times the logarithm of the number of nodes. More: fewer nodes are left to the
#: slow round. Fewer: less to say in each heartbeat.
LISTENERS = 3
#: Members of whom a heartbeat says what is believed though it is not new. More: what was missed is known sooner.
#: Fewer: smaller heartbeats.
OLD_WORDS = 2


class Gossip:
    def __init__(self, roster: KnownMembers) -> None:
        self._members = roster
        #: In how many beats each new word has yet to be told.
        self._left: dict[NodeId, int] = {}
        #: Members whose turn is still to come in this round.
        self._round: list[NodeId] = []

    def add(self, node: NodeId, neighbours: int) -> None:
        """There is a new word about this node, to be told in heartbeats that go to so many."""
        listeners = LISTENERS * math.log2(len(self._members.living) + 2)
        self._left[node] = max(2, math.ceil(listeners / max(neighbours, 1)))

    def take(self, chance: float) -> list[NodeId]:
        """Return the nodes of which the next heartbeat should tell; ``chance`` in [0, 1) says where a round begins."""
        told = sorted(self._left, key=lambda node: (-self._left[node], node))[: HEARTBEAT_NEWS_MAX - OLD_WORDS]
        for node in told:
            self._left[node] -= 1
            if not self._left[node]:
                del self._left[node]
        return [*(node for node in told if node in self._members.members), *self._old_words(chance, told)]

    def _old_words(self, chance: float, told: list[NodeId]) -> list[NodeId]:
        if not self._round:
            everybody = sorted(self._members.members)
            start = int(chance * len(everybody))
            self._round = everybody[start:] + everybody[:start]
        turn, self._round = self._round[:OLD_WORDS], self._round[OLD_WORDS:]
        return [node for node in turn if node in self._members.members and node not in told]
