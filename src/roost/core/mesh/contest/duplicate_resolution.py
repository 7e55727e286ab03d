"""Duplicate resolution: two nodes hold the same element, one goes on (DICE situation 3, LAN 3.6.2.1).

It happens when a bid came late, or when a partition has healed. Pure functions over what a node knows of the holders.

Rules
- All replicas keep the largest lease (model/states.py). Its holder goes on without asking; whoever else holds the
  element asks when it hears of that lease, and stops, or takes a lease that is larger still.
- The holder nearest its end goes on, in coarse steps of progress. Else the better bid, if both are known. Else the
  larger lease.
- A lease may be heard of before any word on how far it has come. Who is at the beginning of the element decides at
  once, as if the rival was there, too: it has nothing to lose. Who is further waits for word (duels.py), and so does
  who was wrong once. If none comes, the rival has come nowhere.
- So the holder of the largest lease of all never stops. After RAISES_MAX new leases of one holder the largest decides.
  One is left in the end, also if they knew different things, or older ones, and decided otherwise for a while.

Of itself, a node gives what its last heartbeat said, so that it judges by the same facts as the others.
"""

import msgspec

from roost.policy.bids import bid_key
from roost.wire.messages import Bid, RunningLease

#: How finely progress is compared. Finer: the one who is ahead goes on more often. Coarser: what was heard a moment ago
#: leads to the same decision as what is true now.
PROGRESS_STEPS = 4
#: New leases in one duel before the largest simply stays. More would only help holders that hear of each other late.
RAISES_MAX = 2


class Holder(msgspec.Struct, frozen=True):
    """What is known of a node that holds an element."""

    bid: Bid | None = None
    #: How far the element has come, between 0 and 1; None if that is not known.
    fraction: float | None = 0.0


def goes_on(me: Holder, rival: Holder, raised: int) -> bool:
    """Return whether a holder that hears of a larger lease than its own takes one that is larger still; else it stops.

    ``raised`` is how often it did so before.
    """
    if raised >= RAISES_MAX:
        return False
    mine, other = progress_step(me.fraction), progress_step(rival.fraction)
    if mine != other:
        return mine > other
    return me.bid is not None and rival.bid is not None and bid_key(me.bid) < bid_key(rival.bid)


def waits(me: Holder, rival: Holder, raised: int) -> bool:
    """Return whether a holder had better hear first how far the rival has come."""
    if rival.fraction is not None or not goes_on(me, rival, raised):
        return False
    return raised > 0 or progress_step(me.fraction) > 0


def fraction_of(lease: RunningLease, index: int) -> float:
    """Return how far an element of a lease has come: the first of them is at hand, the others have not begun."""
    return lease.fraction if lease.ranges and index == lease.ranges.first else 0.0


def progress_step(fraction: float | None) -> int:
    """Return the coarse step of progress; what is no number, or not known, is no progress."""
    return int(min(fraction, 1.0) * PROGRESS_STEPS) if fraction is not None and fraction > 0 else 0
