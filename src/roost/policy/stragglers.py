"""Stragglers: a node with nothing else to do attempts what takes far too long on another one, or may never end there.

So ends the tail of a large array: one slow machine, one that hangs, or one that is about to leave holds up all who wait
for the whole. The first result counts, and the other attempt ends (core/queue/attempts.py).

Rules
- Only what is pure: of anything else nobody knows what a second attempt does. And only what names no policy: whoever
  names one gets that.
- Only where nothing is ready and a lane is free. It takes nothing from anybody but processor time.
- An element is slow if it has run for SLOW_FACTOR times what this node expects, from what it has learnt or else from
  what was stated, and for SLOW_S more: word of the end of short elements comes late. Of that the slowest is first.
- An element is late if this node, from the beginning, is likely to be done before its holder is, who may be slower, or
  leave before the end. Of that the one is first that would take longest.
- One further attempt, ATTEMPTS_MAX with that of its holder. Of slow ones it is by one node after the other (turns.py),
  for the holder may have hung, and nobody is better than another.
- Of late ones better nodes come first: with each SHIFT_S that a node has nothing to do it attempts what fewer others
  would be done with sooner.
- Nothing tells a node that time has passed. If something may turn out to be slow, it says when it looks again.
"""

import math
from collections.abc import Iterator, Sequence
from itertools import islice
from operator import itemgetter
from typing import Final

from roost.model.ids import NodeId
from roost.model.resources import format_duration
from roost.policy.choose import Abstain, Choice, Policy, Repeat, Underway, View
from roost.policy.company import SILENT
from roost.policy.expected_time import time_until_done, time_with
from roost.policy.rating import reliability_now
from roost.policy.roost import SHORT_S, matters_who
from roost.policy.turns import is_turn, shift_ends_at

#: Larger: less is done twice in vain, where lengths differ by nature: of elements of exponential length one in seven
#: takes more than twice the mean, one in twenty more than three times. Smaller: less is waited for a slow machine.
SLOW_FACTOR: Final = 2.0
SLOW_S: Final = 1.0
ATTEMPTS_MAX: Final = 2
#: Elements elsewhere that are looked at, so that a large mesh costs an idle node little.
LOOKED_AT: Final = 256
#: A node to which half of the others are better waits for so many shifts before it attempts what is late, and the worst
#: for twice as many. More: it is surer that nobody better has nothing to do. Fewer: it begins sooner.
HANDICAP: Final = 2
#: The doublings after which it is the turn of everybody, however many nodes there are.
_DOUBLINGS_MAX: Final = 20


def repeating_stragglers(policy: Policy) -> Policy:
    """Return the policy that attempts what is slow or late elsewhere when ``policy`` wants nothing."""

    def choose(view: View) -> Sequence[Choice]:
        wanted = policy(view)
        if wanted or view.alone or view.queue or not view.may_bid:
            return wanted
        return _choices(view)

    return choose


def _choices(view: View) -> Sequence[Choice]:
    """Return the attempts that it is this node's turn to make, the slowest first, and when to look again."""
    slow: list[tuple[float, Repeat]] = []
    late: list[tuple[float, Underway]] = []
    look_at = math.inf
    for one, length_s, running_s in _repeatable(view):
        slow_in_s = SLOW_FACTOR * length_s + SLOW_S - running_s
        if slow_in_s > 0:
            look_at = min(look_at, view.now + slow_in_s)
            if (there_s := _late_s(view, one.holder, length_s, running_s)) is not None:
                late.append((there_s, one))
        elif is_turn(view, one, one.ranges.first, 1):
            times = running_s / max(length_s, 1e-9)
            why = f"it has run {times:.1f} times as long as expected, and this machine has nothing else to do"
            slow.append((times, Repeat(one.task, one.ranges, why)))
        else:
            look_at = min(look_at, shift_ends_at(view.now))
    choices: list[Choice] = [repeat for _, repeat in sorted(slow, key=itemgetter(0), reverse=True)]
    if late:
        choices += _latest(view, late)
        look_at = min(look_at, shift_ends_at(view.now))
    if look_at < math.inf:
        choices.append(Abstain("something that runs elsewhere may turn out to be slow", look_at))
    return choices


def _repeatable(view: View) -> Iterator[tuple[Underway, float, float]]:
    """Yield what may be attempted, with how long an element takes here and how long it has run there."""
    for one in islice(view.begun_elsewhere, LOOKED_AT):
        if one.is_pure and not one.policy and one.attempts < ATTEMPTS_MAX:
            length_s, running_s = one.length_s, one.running_s
            if length_s is not None and running_s is not None:
                yield one, length_s, running_s


def _late_s(view: View, holder: NodeId, length_s: float, running_s: float) -> float | None:
    """Return how much longer an element may take with its holder; None if this node is not likely to be sooner."""
    if length_s <= SHORT_S or not matters_who(view.company, length_s):
        return None
    known, age_s = reliability_now(view)
    here_s = time_until_done(known.lifetime, length_s, age_s)
    there = view.abilities.get(holder, SILENT)
    left_s = max(length_s * view.speed / there.speed - running_s, 0.0)
    there_s = time_with(there.lifetime, left_s, here_s)
    return there_s if here_s < there_s else None


def _latest(view: View, late: Sequence[tuple[float, Underway]]) -> list[Repeat]:
    """Return the attempt at what would take longest, of what it is this node's turn to attempt."""
    # With every shift that it waits it is the turn of twice as many nodes.
    waited = view.abstained - _handicap(view)
    if waited < 0:
        return []
    count = 1 << min(waited, _DOUBLINGS_MAX)
    for there_s, one in sorted(late, key=itemgetter(0), reverse=True):
        if is_turn(view, one, one.ranges.first, count):
            why = f"{one.holder} is expected to take another {format_duration(there_s)}, and this machine less"
            return [Repeat(one.task, one.ranges.take(1), why)]
    return []


def _handicap(view: View) -> int:
    """Return for how many shifts this node leaves it to better ones to attempt what is late."""
    known, _ = reliability_now(view)
    mine = known.lifetime.mean_s * view.speed
    better = sum(ability.lifetime.mean_s * ability.speed > mine for ability in view.abilities.values())
    return better * HANDICAP * 2 // (1 + len(view.others))
