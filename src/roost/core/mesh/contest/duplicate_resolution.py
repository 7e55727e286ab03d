"""Duplicate resolution: several nodes hold the same element, one goes on (DICE situation 3, LAN 3.6.2.1).

It happens when a bid came late, or when a partition has healed. Pure functions over what a node knows of the holders.

Rules
- An accepted result decides. Else the holder nearest its end goes on, in coarse steps of progress. Else the best bid,
  if the bids of all who are left are known. Else the holder whose lease is the larger state (model/states.py).
- All replicas keep the largest lease, so it must become the winner's: a winner whose lease is not the largest takes a
  new one with a larger token. Whoever loses stops when a larger lease than its own is known, not before.
- So the holder of the largest lease of all never stops, and whoever else holds the element stops or takes a larger
  lease when it hears of it. After RAISES_MAX of those the largest lease decides. One holder is left in the end, also if
  the others knew less, or older things, and decided otherwise for a while.

A late bidder that holds nothing yet takes part with NO_TOKEN. Of itself, a node gives what its last heartbeat said, so
that it judges by the same facts as the others.
"""

from collections.abc import Sequence
from enum import StrEnum

import msgspec

from roost.model.ids import NodeId
from roost.model.token import NO_TOKEN, Token
from roost.policy.bids import bid_key
from roost.wire.messages import Bid, RunningLease

#: How finely progress is compared. Finer: the one who is ahead goes on more often. Coarser: what was heard a moment ago
#: leads to the same decision as what is true now.
PROGRESS_STEPS = 4
#: New leases in one duel before the largest simply stays. More would only help holders that hear of each other late.
RAISES_MAX = 2


class Holder(msgspec.Struct, frozen=True):
    """What is known of a node that holds an element."""

    node: NodeId
    #: NO_TOKEN if it has only bid.
    token: Token
    round: int = 0
    bid: Bid | None = None
    #: How far the element has come, between 0 and 1.
    fraction: float = 0.0
    #: How often it took a new lease in this duel, as far as is known.
    raised: int = 0
    #: Whether its result is the accepted one.
    accepted: bool = False

    @property
    def state(self) -> tuple[int, Token, str]:
        """The place of its lease in the order of states."""
        return (self.round, self.token, self.node)


class Verdict(msgspec.Struct, frozen=True):
    """Who goes on, and whether it must take a new lease for that, because another's is larger."""

    winner: NodeId
    new_lease: bool


class HolderStep(StrEnum):
    """What one of the holders does."""

    #: It has won, and everybody will see it in the merged record.
    GO_ON = "go on"
    #: It has won but another's lease is larger: take a new one, with a token above all that are known.
    TAKE_NEW_LEASE = "take a new lease"
    #: It has lost, but its lease is the largest: go on until the winner's new lease is known.
    GO_ON_UNTIL_REPLACED = "go on until replaced"
    #: It has lost: stop, and go on to other work with the next of the chain.
    STOP = "stop"


def decide(holders: Sequence[Holder]) -> Verdict:
    """Return who goes on. The same facts give the same verdict on every node, in whatever order they stand."""
    accepted = [holder for holder in holders if holder.accepted]
    if accepted:
        return Verdict(_largest(accepted).node, new_lease=False)
    winner = _largest(holders)
    if sum(holder.raised for holder in holders) < RAISES_MAX:
        winner = _nearest_its_end(holders)
    return Verdict(winner.node, new_lease=winner is not _largest(holders))


def next_step(me: Holder, others: Sequence[Holder]) -> HolderStep:
    """Return what this holder does, by what it knows of the others."""
    if me.accepted:
        return HolderStep.GO_ON
    if any(other.accepted for other in others):
        return HolderStep.STOP
    verdict = decide([me, *others])
    if verdict.winner == me.node:
        return HolderStep.TAKE_NEW_LEASE if verdict.new_lease else HolderStep.GO_ON
    return HolderStep.GO_ON_UNTIL_REPLACED if me is _largest([me, *others]) else HolderStep.STOP


def with_news(known: Holder, lease: RunningLease, index: int) -> Holder:
    """Return what is known of a holder after a heartbeat; a larger token than before is a lease it took in the duel."""
    if lease.token < known.token:
        return known
    raised = known.raised + (lease.token > known.token > NO_TOKEN)
    return msgspec.structs.replace(known, token=lease.token, fraction=fraction_of(lease, index), raised=raised)


def fraction_of(lease: RunningLease, index: int) -> float:
    """Return how far an element of a lease has come: the first of them is at hand, the others have not begun."""
    return lease.fraction if lease.ranges and index == lease.ranges.first else 0.0


def place_in_chain(late: Bid, chain: Sequence[Holder | None]) -> int | None:
    """Return which place of the queue a late bidder gets (DICE situation 3), None if no place is left for it.

    ``chain`` is the queue from the task that it bid for, each place with its holder, or None if nobody has it. The same
    bid stands against one holder after the other.
    """
    for place, holder in enumerate(chain):
        if holder is None:
            return place
        bidder = Holder(late.node, NO_TOKEN, bid=late)
        if next_step(bidder, [holder]) is HolderStep.TAKE_NEW_LEASE:
            return place
    return None


def progress_step(fraction: float) -> int:
    """Return the coarse step of progress; what is no number is no progress."""
    return int(min(fraction, 1.0) * PROGRESS_STEPS) if fraction > 0 else 0


def _largest(holders: Sequence[Holder]) -> Holder:
    return max(holders, key=lambda holder: holder.state)


def _nearest_its_end(holders: Sequence[Holder]) -> Holder:
    furthest = max(progress_step(holder.fraction) for holder in holders)
    left = [holder for holder in holders if progress_step(holder.fraction) == furthest]
    keyed = [(bid_key(holder.bid), holder) for holder in left if holder.bid is not None]
    if len(keyed) < len(left):
        return _largest(left)
    return min(keyed, key=lambda pair: pair[0])[1]
