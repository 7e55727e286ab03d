"""What nodes claim while a contest goes on, and the lanes that they keep for it. Who is outbid has them back."""

from collections.abc import Iterator

from roost.lab.what_if.board import Claim, Entry
from roost.lab.what_if.nodes import Node
from roost.model.ranges import RangeSet
from roost.model.task import Needs


class Claims:
    def __init__(self) -> None:
        self._entries: dict[int, Entry] = {}
        self._nodes: dict[int, Node] = {}
        #: Lanes that a node keeps for a task, by the places of both.
        self._kept: dict[tuple[int, int], int] = {}

    def bid(self, node: Node, entry: Entry, ranges: RangeSet, score: float) -> list[Node]:
        """A node bids for elements that it can have by that; return who has lost some of what he had claimed."""
        self._entries[entry.at], self._nodes[node.at] = entry, node
        outbid = self.give_up(entry, ranges)
        entry.claims.append(Claim(ranges, score, node.at))
        self._keep(node, entry)
        return outbid

    def give_up(self, entry: Entry, ranges: RangeSet) -> list[Node]:
        """Somebody gets these elements; return who had claimed some of them."""
        losers: dict[int, Node] = {}
        kept = []
        for claim in entry.claims:
            left = claim.ranges - ranges
            if left != claim.ranges:
                losers[claim.node] = self._nodes[claim.node]
            if left:
                kept.append(claim._replace(ranges=left))
        entry.claims = kept
        for node in losers.values():
            self._keep(node, entry)
        return list(losers.values())

    def _keep(self, node: Node, entry: Entry) -> None:
        """Keep as many lanes as what is claimed takes, or fewer if there are not so many."""
        place, needs = (node.at, entry.at), entry.task.needs
        self._release(node, needs, self._kept.pop(place, 0))
        wanted = sum(len(claim.ranges) for claim in entry.claims if claim.node == node.at)
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
            claims, entry.claims = entry.claims, []
            won: dict[int, RangeSet] = {}
            for claim in claims:
                won[claim.node] = won[claim.node] | claim.ranges if claim.node in won else claim.ranges
            for place, ranges in won.items():
                node = self._nodes[place]
                self._release(node, entry.task.needs, self._kept.pop((place, at), 0))
                yield node, entry, ranges
