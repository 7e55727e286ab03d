"""The bids that a node has heard, for as long as they mean something.

Rules
- A bid enters once. Its stamp names it, so a doubled one is recognised while it is remembered; after that, everything
  that is not newer than what was dropped of its node is too old.
- A bid *claims* its elements until a moment, and fewer of them as they are leased or lost. After that moment it claims
  nothing, but it is remembered for a while, because contests between holders of one element ask for it.
- The task of a bid need not be known: a bid may overtake the record of its task, and then waits here.
- The number of bids is bounded, in all and for each node; the oldest go first.
"""

from collections.abc import Iterator
from heapq import heapify, heappop, heappush
from typing import TypeVar

from roost.model.clock import Stamp
from roost.model.errors import InvariantViolated
from roost.model.ids import NodeId, TaskId
from roost.model.limits import BIDDERS_MAX, BIDS_MAX, BIDS_OF_A_NODE_MAX, CLOCK_LEAD_MAX_S
from roost.model.ranges import EMPTY, RangeSet
from roost.wire.messages import Bid

#: How long a bid is remembered after its claim: a few heartbeats, by which two holders learn of each other.
REMEMBERED_S = 5.0

Key = TypeVar("Key")


class KnownBid:
    __slots__ = ("bid", "claims", "until")

    def __init__(self, bid: Bid, claims: RangeSet, until: float) -> None:
        self.bid = bid
        #: The part of its elements that it still speaks for.
        self.claims = claims
        self.until = until


class BidTable:
    def __init__(self) -> None:
        #: In the order in which they came.
        self._bids: dict[Stamp, KnownBid] = {}
        self._of_task: dict[TaskId, dict[Stamp, KnownBid]] = {}
        #: Those of each task that may still claim something: few of the many that are remembered.
        self._claiming: dict[TaskId, dict[Stamp, KnownBid]] = {}
        self._of_node: dict[NodeId, dict[Stamp, KnownBid]] = {}
        #: The newest bid of each node that was dropped; the node that was heard last is last.
        self._dropped: dict[NodeId, Stamp] = {}
        #: When claims end, earliest first; entries of claims that are gone stay until their time.
        self._ends: list[tuple[float, Stamp]] = []

    def __len__(self) -> int:
        return len(self._bids)

    def add(self, bid: Bid, claims: RangeSet, until: float) -> bool:
        """Remember a bid; return False if it was known or is too old."""
        dropped = self._dropped.get(bid.node)
        # A node whose clock was wrong, and is right now, counts from an earlier time on.
        if bid.at in self._bids or (dropped is not None and _is_late_copy(bid.at, dropped)):
            return False
        own = self._of_node.get(bid.node, {})
        if len(own) >= BIDS_OF_A_NODE_MAX:
            self._drop(next(iter(own.values())))
        if len(self._bids) >= BIDS_MAX:
            self._drop(next(iter(self._bids.values())))
        known = self._bids[bid.at] = KnownBid(bid, claims, until)
        self._of_task.setdefault(bid.task, {})[bid.at] = known
        self._of_node.setdefault(bid.node, {})[bid.at] = known
        if claims:
            self._claiming.setdefault(bid.task, {})[bid.at] = known
            self._note_end(until, bid.at)
        return True

    def alive(self, task: TaskId, since: float) -> Iterator[KnownBid]:
        """Yield the bids on a task that spoke for something at ``since`` or were heard later."""
        for known in self._of_task.get(task, {}).values():
            if known.until > since:
                yield known

    def claims_on(self, task: TaskId, now: float) -> Iterator[KnownBid]:
        """Yield the bids that claim elements of a task now, and drop those on the way whose time is over."""
        for known in list(self._claiming.get(task, {}).values()):
            if known.until > now:
                yield known
            else:
                _remove_from(self._claiming, task, known.bid.at)

    def of_node(self, node: NodeId, task: TaskId, index: int) -> Bid | None:
        """Return the newest bid that a node made for this element, if it is remembered."""
        found = [
            known.bid
            for known in self._of_task.get(task, {}).values()
            if known.bid.node == node and index in known.bid.ranges
        ]
        return max(found, key=lambda bid: bid.at, default=None)

    def give_up(self, task: TaskId, ranges: RangeSet) -> None:
        """Nobody claims these elements by a bid any longer."""
        if not ranges:
            return
        first, stop = ranges.bounds[0], ranges.bounds[-1]
        # Of the bids of a large mesh very few are on the same elements.
        near = [
            known
            for known in self._claiming.get(task, {}).values()
            if (bounds := known.claims.bounds)[0] < stop and first < bounds[-1]
        ]
        for known in near:
            known.claims -= ranges
            if not known.claims:
                _remove_from(self._claiming, task, known.bid.at)

    def next_end(self, now: float) -> float | None:
        """Return when the next claim ends that still covers something."""
        while self._ends:
            until, stamp = self._ends[0]
            known = self._bids.get(stamp)
            if until > now and known is not None and known.claims:
                return until
            heappop(self._ends)
        return None

    def forget_before(self, moment: float) -> None:
        """Drop the bids whose claims ended so long before ``moment`` that nobody will ask for them."""
        while self._bids:
            oldest = next(iter(self._bids.values()))
            if oldest.until + REMEMBERED_S > moment:
                return
            self._drop(oldest)

    def forget_task(self, task: TaskId) -> None:
        for known in list(self._of_task.get(task, {}).values()):
            self._remove(known)

    def _note_end(self, until: float, stamp: Stamp) -> None:
        if len(self._ends) > 2 * len(self._bids) + 100:
            self._ends = [end for end in self._ends if end[1] in self._bids]
            heapify(self._ends)
        heappush(self._ends, (until, stamp))

    def _drop(self, known: KnownBid) -> None:
        self._remove(known)
        node = known.bid.node
        newest = max(known.bid.at, self._dropped.pop(node, known.bid.at))
        if len(self._dropped) >= BIDDERS_MAX:
            del self._dropped[next(iter(self._dropped))]
        self._dropped[node] = newest

    def _remove(self, known: KnownBid) -> None:
        bid = known.bid
        known.claims = EMPTY
        del self._bids[bid.at]
        _remove_from(self._of_task, bid.task, bid.at)
        _remove_from(self._of_node, bid.node, bid.at)
        if bid.at in self._claiming.get(bid.task, {}):
            _remove_from(self._claiming, bid.task, bid.at)

    def check(self) -> None:
        for name, index in (("task", self._of_task), ("node", self._of_node)):
            filed = {stamp: known for bids in index.values() for stamp, known in bids.items()}
            if filed != self._bids or not all(index.values()):
                raise InvariantViolated(f"{len(filed)} bids are filed by {name}, {len(self._bids)} are known")
        if len(self._bids) > BIDS_MAX or any(len(bids) > BIDS_OF_A_NODE_MAX for bids in self._of_node.values()):
            raise InvariantViolated(f"{len(self._bids)} bids are known, more than the limits allow")
        claiming = {stamp: known for bids in self._claiming.values() for stamp, known in bids.items()}
        if not all(known.claims and self._bids.get(stamp) is known for stamp, known in claiming.items()):
            raise InvariantViolated("a bid that is not known, or claims nothing, is among those that claim")
        for stamp, known in self._bids.items():
            if not known.claims.issubset(known.bid.ranges):
                raise InvariantViolated(f"the bid {stamp} claims {known.claims}, it was for {known.bid.ranges}")


def _is_late_copy(at: Stamp, dropped: Stamp) -> bool:
    return at <= dropped and dropped.wall_ms - at.wall_ms <= CLOCK_LEAD_MAX_S * 1000


def _remove_from(index: dict[Key, dict[Stamp, KnownBid]], key: Key, stamp: Stamp) -> None:
    del index[key][stamp]
    if not index[key]:
        del index[key]
