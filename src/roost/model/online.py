"""When a node was on line: what a policy knows of how long its machine tends to stay (HTC 4.1.2, 4.2 and 4.3.1).

A stretch is the time from a start, or from waking up, until the node ends, dies or falls asleep. Failure rates follow
from how many there were and how long they lasted together (EC, BFC); lower bounds of a lifetime from the lengths of
single ones (WQR-FA).

Rules
- The oldest stretches are summed up once there are more than ONLINE_STRETCHES_MAX, so that a log stays small for ever.
- A stretch never ends before it begins, whatever was done to the clock meanwhile.
"""

import msgspec

from roost.model.limits import ONLINE_STRETCHES_MAX


class Stretch(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """In seconds of the wall clock."""

    began_s: float
    ended_s: float

    @property
    def length_s(self) -> float:
        return self.ended_s - self.began_s


class OnlineLog(msgspec.Struct, frozen=True, omit_defaults=True, cache_hash=True):
    #: Oldest first.
    stretches: tuple[Stretch, ...] = ()
    #: How many came before these, and how long they lasted together.
    older: int = 0
    older_s: float = 0.0

    @property
    def times(self) -> int:
        """How often it was on line."""
        return self.older + len(self.stretches)

    @property
    def total_s(self) -> float:
        """How long, all in all."""
        return self.older_s + sum(stretch.length_s for stretch in self.stretches)

    def begun(self, now: float) -> "OnlineLog":
        """Return the log of a node that is on line from now on."""
        stretches = (*self.stretches, Stretch(now, now))
        gone, kept = stretches[:-ONLINE_STRETCHES_MAX], stretches[-ONLINE_STRETCHES_MAX:]
        return OnlineLog(kept, self.older + len(gone), self.older_s + sum(stretch.length_s for stretch in gone))

    def seen(self, now: float) -> "OnlineLog":
        """Return the log of a node that is on line still."""
        *before, last = self.stretches
        longer = Stretch(last.began_s, max(now, last.ended_s))
        return msgspec.structs.replace(self, stretches=(*before, longer))


NEVER_ONLINE = OnlineLog()
