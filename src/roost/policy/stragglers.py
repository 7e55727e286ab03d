"""Stragglers: a node with nothing else to do attempts what takes far too long on another one.

So ends the tail of a large array: one slow machine, or one that hangs, holds up all who wait for the whole. The first
result counts, and the other attempt ends (core/queue/attempts.py).

Rules
- Only what is pure: of anything else nobody knows what a second attempt does. And only what names no policy: whoever
  names one gets that.
- Only where nothing is ready and a lane is free. It takes nothing from anybody but processor time.
- An element is slow if it has run for SLOW_FACTOR times what this node expects, from what it has learnt or else from
  what was stated, and for SLOW_S more: word of the end of short elements comes late.
- One further attempt, ATTEMPTS_MAX with that of its holder, by one node after the other (turns.py).
- Nothing tells a node that time has passed. If something may turn out to be slow, it says when it looks again.
"""

import math
from collections.abc import Sequence
from itertools import islice
from operator import itemgetter
from typing import Final

from roost.policy.choose import Abstain, Choice, Policy, Repeat, View
from roost.policy.turns import is_turn, shift_ends_at

#: Larger: less is done twice in vain, where lengths differ by nature: of elements of exponential length one in seven
#: takes more than twice the mean, one in twenty more than three times. Smaller: less is waited for a slow machine.
SLOW_FACTOR: Final = 2.0
SLOW_S: Final = 1.0
ATTEMPTS_MAX: Final = 2
#: Elements elsewhere that are looked at, so that a large mesh costs an idle node little.
LOOKED_AT: Final = 256


def repeating_stragglers(policy: Policy) -> Policy:
    """Return the policy that attempts what is slow elsewhere when ``policy`` wants nothing."""

    def choose(view: View) -> Sequence[Choice]:
        wanted = policy(view)
        if wanted or view.alone or view.queue or not view.may_bid:
            return wanted
        return _choices(view)

    return choose


def _choices(view: View) -> Sequence[Choice]:
    """Return the attempts that it is this node's turn to make, the slowest first, and when to look again."""
    repeats: list[tuple[float, Repeat]] = []
    look_at = math.inf
    for one in islice(view.elsewhere, LOOKED_AT):
        if not one.is_pure or one.policy or one.attempts >= ATTEMPTS_MAX:
            continue
        if one.running_s is None or one.length_s is None:
            continue
        slow_in_s = SLOW_FACTOR * one.length_s + SLOW_S - one.running_s
        if slow_in_s > 0:
            look_at = min(look_at, view.now + slow_in_s)
        elif is_turn(view, one, one.ranges.first, 1):
            times = one.running_s / max(one.length_s, 1e-9)
            why = f"it has run {times:.1f} times as long as expected, and this machine has nothing else to do"
            repeats.append((times, Repeat(one.task, one.ranges, why)))
        else:
            look_at = min(look_at, shift_ends_at(view.now))
    slowest_first = [repeat for _, repeat in sorted(repeats, key=itemgetter(0), reverse=True)]
    if look_at == math.inf:
        return slowest_first
    return [*slowest_first, Abstain("something that runs elsewhere may turn out to be slow", look_at)]
