"""What nodes claim while a contest goes on, and the lanes that they keep for it. Who is outbid has them back."""

from collections.abc import Iterator

from roost.lab.what_if.board import Claim, Entry
from roost.lab.what_if.nodes import Node
from roost.model.ranges import EMPTY, RangeSet
from roost.model.task import Needs


class Claims:
    def __init__(self) -> None:
        self._entries: dict[int, Entry] = {}
        self._nodes: dict[int, Node] = {}
        #: How much of a task a node has claimed, and the lanes that it keeps for that, by the places of both.
        self._own: dict[tuple[int, int], int] = {}
        self._kept: dict[tuple[int, int], int] = {}

    def bid(self, node: Node, entry: Entry, ranges: RangeSet, score: float) -> list[Node]:
        """A node bids for elements that it can have by that; return who has lost some of what he had claimed."""
        self._entries[entry.at], self._nodes[node.at] = entry, node
        outbid = self.give_up(entry, ranges)
        entry.claims.append(Claim(ranges, score, node.at))
        entry.claimed = entry.claimed | ranges
        self._keep(node, entry, len(ranges))
        return outbid

    def give_up(self, entry: Entry, ranges: RangeSet) -> list[Node]:
        """Somebody gets these elements; return who had claimed some of them."""
        if not entry.claimed & ranges:
            return []
        lost: dict[int, int] = {}
        kept = []
        for claim in entry.claims:
            if claim.ranges.last < ranges.first or claim.ranges.first > ranges.last:
                kept.append(claim)
                continue
            left = claim.ranges - ranges
            if len(left) < len(claim.ranges):
                lost[claim.node] = lost.get(claim.node, 0) + len(claim.ranges) - len(left)
            if left:
                kept.append(claim._replace(ranges=left))
        entry.claims = kept
        entry.claimed = entry.claimed - ranges
        for place, elements in lost.items():
            self._keep(self._nodes[place], entry, -elements)
        return [self._nodes[place] for place in lost]

    def _keep(self, node: Node, entry: Entry, more: int) -> None:
        """Keep as many lanes as what is claimed takes, or fewer if there are not so many."""
        place, needs = (node.at, entry.at), entry.task.needs
        self._release(node, needs, self._kept.pop(place, 0))
        wanted = self._own[place] = self._own.get(place, 0) + more
        lanes = min(wanted, max(node.free.times(needs), 0))
        for _ in range(lanes):
            node.free = node.free.minus(needs)
        if lanes:
            self._kept[place] = lanes

    @staticmethod
    def _release(node: Node, needs: Needs, lanes: int) -> None:
        for _ in range(lanes):
            node.free = node.free.plus(needs)

    def settle(self) -> Iterator[tuple[Node, Entry, RangeSet]]:
        """The contest is over: yield who has what, in the order of the queue; the lanes are free for it then."""
        for at in sorted(self._entries):
            entry = self._entries[at]
            claims, entry.claims, entry.claimed = entry.claims, [], EMPTY
            won: dict[int, RangeSet] = {}
            for claim in claims:
                won[claim.node] = won[claim.node] | claim.ranges if claim.node in won else claim.ranges
            for place, ranges in won.items():
                node = self._nodes[place]
                self._release(node, entry.task.needs, self._kept.pop((place, at), 0))
                yield node, entry, ranges
