"""Duplicate resolution: two nodes hold the same element, one goes on (DICE situation 3, LAN 3.6.2.1).

It happens when a bid came late, or when a partition has healed. Pure functions over what a node knows of the holders.

Rules
- All replicas keep the largest lease (model/states.py). Its holder goes on without asking; whoever else holds the
  element asks when it hears of that lease, and stops, or takes a lease that is larger still.
- The holder nearest its end goes on, in coarse steps of progress. If elements do not say how far they have come, it is
  the one that has run longer, in coarse steps of time: a node that has started anew has larger tokens than all others,
  and would else end what others have worked at since its death. Else the better bid, if both are known. Else the larger
  lease.
- A lease may be heard of before any word on how far it has come. Who is at the beginning of the element decides at
  once, as if the rival was there, too: it has nothing to lose. Who is further waits for word (duels.py), and so does
  who was wrong once. If none comes, the rival has come nowhere.
- So the holder of the largest lease of all never stops. After RAISES_MAX new leases of one holder the largest decides.
  One is left in the end, also if they knew different things, or older ones, and decided otherwise for a while.

Of itself, a node gives what its last heartbeat said, so that it judges by the same facts as the others.
"""

import math

import msgspec

from roost.policy.bids import bid_key
from roost.wire.messages import Bid, RunningLease

#: How finely progress is compared. Finer: the one who is ahead goes on more often. Coarser: what was heard a moment ago
#: leads to the same decision as what is true now.
PROGRESS_STEPS = 4
#: From so long on the time that a holder has run counts, in steps that double. Less: who began a moment earlier goes
#: on, whatever was bid. More: more is done again.
RAN_S_MIN = 1.0
#: New leases in one duel before the largest simply stays. More would only help holders that hear of each other late.
RAISES_MAX = 2


class Holder(msgspec.Struct, frozen=True):
    """What is known of a node that holds an element."""

    bid: Bid | None = None
    #: How far the element has come, between 0 and 1; None if that is not known.
    fraction: float | None = 0.0
    #: For how long it has run.
    ran_s: float = 0.0

    @property
    def has_come(self) -> tuple[int, int]:
        """How far, as holders are compared."""
        return progress_step(self.fraction), time_step(self.ran_s)


#: At the beginning, or hardly further.
_NOWHERE = (0, 0)


def goes_on(me: Holder, rival: Holder, raised: int) -> bool:
    """Return whether a holder that hears of a larger lease than its own takes one that is larger still; else it stops.

    ``raised`` is how often it did so before.
    """
    if raised >= RAISES_MAX:
        return False
    if me.has_come != rival.has_come:
        return me.has_come > rival.has_come
    return me.bid is not None and rival.bid is not None and bid_key(me.bid) < bid_key(rival.bid)


def waits(me: Holder, rival: Holder, raised: int) -> bool:
    """Return whether a holder had better hear first how far the rival has come."""
    if rival.fraction is not None or not goes_on(me, rival, raised):
        return False
    return raised > 0 or me.has_come > _NOWHERE


def holder_of(bid: Bid | None, lease: RunningLease | None, index: int) -> Holder:
    """Return what is known of a holder, which named this lease in its heartbeat; None: it named none.

    The first element of a lease is at hand, the others have not begun.
    """
    if lease is None:
        return Holder(bid, None)
    at_hand = bool(lease.ranges) and index == lease.ranges.first
    return Holder(bid, lease.fraction, lease.running_s or 0.0) if at_hand else Holder(bid)


def progress_step(fraction: float | None) -> int:
    """Return the coarse step of progress; what is no number, or not known, is no progress."""
    return int(min(fraction, 1.0) * PROGRESS_STEPS) if fraction is not None and fraction > 0 else 0


def time_step(ran_s: float) -> int:
    """Return the coarse step of time: 1 from RAN_S_MIN on, 2 from twice that, 3 from four times that."""
    return math.frexp(ran_s / RAN_S_MIN)[1] if RAN_S_MIN <= ran_s < math.inf else 0
