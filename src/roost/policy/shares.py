"""Shares: whose turn it is when several users have work that waits.

The next is always a task of the user who has had the least so far (stride scheduling; Waldspurger and Weihl, 1995):
what he has used lately, and what he has in hand now, in seconds of a processor. So who has much waits for who has
little, whatever either of them says of his own work.

Rules
- Inside one user's work the order is that of order.py. Priority counts there, and nowhere else: nobody overtakes others
  by calling all that he has interactive.
- What was used counts for less as time passes, by half in HALF_LIFE_S. It decays for all alike, so that by waiting
  nobody overtakes anybody.
- Who has had nothing to do for a while comes back with no less than the least of those who wait. Else a newcomer would
  have all machines to himself until he has had as much as they had before he came. He comes back with no more than
  DEBT_MAX_S above that, either: what he had while nobody else wanted it is not held against him for long.
- Whose length nobody knows is taken to be short, UNKNOWN_S: its user is served, and then it is known. Taken to be long,
  it would wait for what it never used.
- Ties go by the order of the queue.

So waiting is bounded: whoever waits is at most DEBT_MAX_S above the least and all that is done for others adds to what
they have had, until he is the one with the least.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from heapq import heapify, heappop, heapreplace
from typing import Final, NamedTuple

from roost.policy.order import OrderKey

#: Longer: who has used much is behind for longer. Shorter: what was used yesterday no longer counts.
HALF_LIFE_S: Final = 3600.0
#: How far behind the others somebody can be who comes back. More: who has used much while others had no work lets them
#: go first for longer. Less: short work begins sooner, whoever hands it in.
DEBT_MAX_S: Final = 600.0
#: What an element is taken to need before anything is known of it.
UNKNOWN_S: Final = 1.0


class Account(NamedTuple):
    """What a user has used, in seconds of a processor, as it counted at a moment."""

    used_s: float = 0.0
    at: float = 0.0

    def counted(self, now: float) -> float:
        """Return how much of it counts now."""
        return self.used_s * math.exp2(-max(now - self.at, 0.0) / HALF_LIFE_S)

    def plus(self, used_s: float, now: float) -> "Account":
        return Account(self.counted(now) + used_s, now)


def on_return(own_s: float, others_s: Iterable[float]) -> float:
    """Return with what somebody begins whose work has begun to wait, beside others who wait already."""
    least = min(others_s, default=None)
    return own_s if least is None else min(max(own_s, least), least + DEBT_MAX_S)


def in_turn(had_s: Mapping[str, float], tasks: Mapping[str, Iterable[tuple[OrderKey, float]]]) -> Iterator[OrderKey]:
    """Yield the tasks of several users, the next always one of whoever has had the least until then.

    ``had_s`` is what each has had, ``tasks`` what waits of each in its order, with what it takes to do one element.
    Who is asked for the first few looks at no more.
    """
    turns = []
    for user, waiting in tasks.items():
        rest = iter(waiting)
        if (first := next(rest, None)) is not None:
            turns.append((had_s[user], *first, rest))
    heapify(turns)
    while turns:
        had, key, takes_s, rest = turns[0]
        yield key
        if (following := next(rest, None)) is None:
            heappop(turns)
        else:
            heapreplace(turns, (had + takes_s, *following, rest))
