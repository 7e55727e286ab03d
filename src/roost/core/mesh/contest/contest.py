"""The contest: who gets which ready elements (LAN algorithm 3.2, DICE's TRYDEQUEUE).

Rules
- A bid of ours opens a contest that closes when its window does. Several may be open, with disjoint elements.
- When a contest closes, we win every element for which no better bid of another node was alive while it was open, and
  that nobody has leased meanwhile. All nodes that heard the same bids, in any order, twice or not, decide alike.
- The rank of a loser is the number of nodes that beat it; policy/bids.py says where it bids next. A winner's is 0.
- A bid of another node keeps others from its elements for a few windows, or until they are leased (``taken``).
- What we have won, nobody else claims any longer: the others have lost it, or have not heard of us, and then hold it
  as well, which is the matter of duplicate_resolution.py.
- Bids of tasks that are not known are kept like all others: a bid may come before the record of its task.

The contest decides about bids and knows neither records nor lanes. The node leases what was won.
"""

from math import isnan

import msgspec

from roost.core.mesh.contest.bid_table import BidTable
from roost.model.clock import Stamp, soonest
from roost.model.errors import InvariantViolated
from roost.model.ids import NodeId, TaskId
from roost.model.limits import BID_RANGES_MAX
from roost.model.ranges import EMPTY, RangeSet
from roost.model.task import Priority
from roost.policy.bids import bid_key, speaks_better
from roost.policy.window import WINDOW_UNKNOWN_S
from roost.wire.messages import Bid

#: How many windows a bid keeps others away: its own, the way of the lease that follows, and once more for a lost one.
#: Longer: fewer bids for what is about to be leased. Shorter: what a bidder wanted that died is free again sooner.
CLAIM_WINDOWS = 4
#: ... and at least this long, since a loaded machine may be late by more than a quick network's windows.
CLAIM_S_MIN = 0.05


class ContestOutcome(msgspec.Struct, frozen=True):
    """What became of a bid of ours. ``won`` and ``lost`` are its elements."""

    bid: Bid
    won: RangeSet
    lost: RangeSet
    #: How many nodes beat it; 0 if nothing was lost.
    rank: int
    #: The best of the bids that beat it, if one was heard.
    beaten_by: Bid | None = None


class _Open:
    """A contest of ours whose window has not closed."""

    __slots__ = ("bid", "closes_at", "opened_at", "taken")

    def __init__(self, bid: Bid, opened_at: float, closes_at: float) -> None:
        self.bid = bid
        self.opened_at = opened_at
        self.closes_at = closes_at
        #: Elements that others have leased meanwhile.
        self.taken = EMPTY


class Contest:
    def __init__(self, me: NodeId) -> None:
        self._me = me
        self._open: dict[Stamp, _Open] = {}
        self._table = BidTable()
        self._window_s = WINDOW_UNKNOWN_S
        self._now = 0.0

    def bid(
        self,
        task: TaskId,
        ranges: RangeSet,
        priority: Priority,
        score: float,
        stamp: Stamp,
        now: float,
        window_s: float,
    ) -> Bid:
        """Open a contest; return the bid to broadcast. ``stamp`` is a new one of this node."""
        bid = Bid(task, ranges, priority, score, stamp)
        if stamp.node != self._me or stamp in self._open or isnan(score):
            raise InvariantViolated(f"{self._me} cannot bid {score} with the stamp {stamp}")
        if not ranges or ranges.range_count > BID_RANGES_MAX or not ranges.isdisjoint(self.bidding_for(task)):
            raise InvariantViolated(f"{self._me} cannot bid for {ranges} of {task} beside {self.bidding_for(task)}")
        self._now = max(self._now, now)
        # Interactive work of our own is taken without a window, which says nothing about the network.
        self._window_s = window_s or self._window_s
        self._open[stamp] = _Open(bid, self._now, self._now + window_s)
        return bid

    def heard(self, bid: Bid, now: float) -> bool:
        """Take in another node's bid; return whether it was new and makes sense."""
        self._now = max(self._now, now)
        if bid.node == self._me or not 0 < bid.ranges.range_count <= BID_RANGES_MAX or isnan(bid.score):
            return False
        claim_s = max(CLAIM_WINDOWS * self._window_s, CLAIM_S_MIN)
        return self._table.add(bid, bid.ranges, self._now + claim_s)

    def tick(self, now: float) -> list[ContestOutcome]:
        """Close the contests whose windows are over; return what became of each, in the order of their ends."""
        self._now = max(self._now, now)
        due = [contest for contest in self._open.values() if contest.closes_at <= self._now]
        due.sort(key=lambda contest: (contest.closes_at, contest.bid.at))
        outcomes = [self._outcome(contest) for contest in due]
        for outcome in outcomes:
            del self._open[outcome.bid.at]
            self._table.give_up(outcome.bid.task, outcome.won)
            self._table.add(outcome.bid, EMPTY, self._now)
        self._table.forget_before(min((contest.opened_at for contest in self._open.values()), default=self._now))
        return outcomes

    def better_covering(self, task: TaskId, ranges: RangeSet, priority: Priority, score: float) -> RangeSet:
        """Return the part of ``ranges`` for which others have bid better than we could now."""
        covered = EMPTY
        for known in self._table.claims_on(task, self._now):
            if speaks_better(known.bid, priority, score):
                covered |= known.claims & ranges
                # Where many bid for the same, the first few cover it.
                if covered == ranges:
                    break
        return covered

    def own_tasks(self) -> list[TaskId]:
        """Return the tasks for which contests of ours are open."""
        return [contest.bid.task for contest in self._open.values()]

    def bidding_for(self, task: TaskId) -> RangeSet:
        """Return the elements for which contests of ours are open."""
        wanted = EMPTY
        for contest in self._open.values():
            if contest.bid.task == task:
                wanted |= contest.bid.ranges
        return wanted

    def taken(self, task: TaskId, ranges: RangeSet) -> None:
        """These elements are no longer to be had: another node has leased them, or they have ended."""
        self._table.give_up(task, ranges)
        for contest in self._open.values():
            if contest.bid.task == task:
                contest.taken |= ranges & contest.bid.ranges

    def bid_of(self, node: NodeId, task: TaskId, index: int) -> Bid | None:
        """Return the last bid of a node for this element, ours too, if it is remembered (duplicate_resolution.py)."""
        return self._table.of_node(node, task, index)

    def forget(self, task: TaskId) -> None:
        """The task is over: its bids mean nothing, and contests of ours for it have no outcome."""
        self._table.forget_task(task)
        self._open = {stamp: contest for stamp, contest in self._open.items() if contest.bid.task != task}

    @property
    def size(self) -> int:
        """How many bids are remembered."""
        return len(self._table)

    def next_deadline(self) -> float | None:
        """Return when a window closes, or a claim ends so that its elements may be bid for again."""
        closes_at = min([contest.closes_at for contest in self._open.values()]) if self._open else None
        return soonest(closes_at, self._table.next_end(self._now))

    def check(self) -> None:
        self._table.check()
        wanted: dict[TaskId, RangeSet] = {}
        for stamp, contest in self._open.items():
            bid = contest.bid
            if bid.at != stamp or not contest.taken.issubset(bid.ranges):
                raise InvariantViolated(f"the contest {stamp} is for {bid.ranges}, of which {contest.taken} are taken")
            if not bid.ranges.isdisjoint(wanted.get(bid.task, EMPTY)):
                raise InvariantViolated(f"{self._me} bids twice for elements of {bid.task}")
            wanted[bid.task] = wanted.get(bid.task, EMPTY) | bid.ranges

    def _outcome(self, contest: _Open) -> ContestOutcome:
        bid = contest.bid
        lost = contest.taken
        beaten_by: set[NodeId] = set()
        best: Bid | None = None
        for known in self._table.alive(bid.task, contest.opened_at):
            if bid_key(known.bid) < bid_key(bid):
                lost |= known.claims & bid.ranges
                # Also by a bid that has become a lease meanwhile.
                if not known.bid.ranges.isdisjoint(bid.ranges):
                    beaten_by.add(known.bid.node)
                    best = known.bid if best is None else min(best, known.bid, key=bid_key)
        rank, best = (len(beaten_by), best) if lost else (0, None)
        return ContestOutcome(bid, bid.ranges - lost, lost, rank, best)
