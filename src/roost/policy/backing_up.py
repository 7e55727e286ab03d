"""Backing up: super-peers also run what unstable nodes have in hand, before anything happens to those (FAIR 3.1).

FAIR keeps a queue of jobs that have to be processed redundantly, because who took them considers itself unreliable.
Here records say who holds what, and heartbeats who is unstable (node_state.py). So no queue is needed: a super-peer
with room attempts it (core/queue/attempts.py), and the first result counts. When the unstable node dies, its work is
half done already. That is FAIR's proactive mechanism; its reactive one is that leases of a dead node expire.

Rules
- Only very stable nodes do it, only for holders that are unstable or worse, only what is pure, and only what nobody
  else attempts yet, as far as was heard.
- It goes before new work, but takes at most SHARE of the lanes, and one at least.
- Super-peers take turns (turns.py), so that not all of them attempt the same.
- What runs there goes first, then the rest in the order in which it was leased.
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from roost.model.ranges import RangeSet
from roost.model.vitals import NodeState
from roost.policy.choose import Abstain, Choice, Policy, Repeat, Underway, View
from roost.policy.turns import is_turn, shift_ends_at

#: Larger: what unstable nodes hold is sooner safe. Smaller: more is left for work that nobody does yet.
SHARE: Final = 0.25
#: Elements elsewhere that are looked at, so that a large mesh costs little.
LOOKED_AT: Final = 256


def backing_up_the_unstable(policy: Policy) -> Policy:
    """Return the policy that repeats what unstable nodes hold, before it asks ``policy`` for new work."""

    def choose(view: View) -> Sequence[Choice]:
        if not view.any_unstable or view.alone or view.condition.state is not NodeState.VERY_STABLE:
            return policy(view)
        repeats, is_later = _next(view)
        wanted = policy(view)
        if repeats:
            return (*repeats, *wanted)
        if is_later and not wanted:
            why = "other machines come first to repeat what unstable ones have in hand"
            return (Abstain(why, shift_ends_at(view.now)),)
        return wanted

    return choose


def _next(view: View) -> tuple[Sequence[Repeat], bool]:
    """Return what this node is to repeat now, and whether something else may become its turn."""
    is_later = False
    supers = view.supers
    for one in _in_hand(view):
        room = min(max(1, int(SHARE * one.lanes)) - view.attempting, one.free_lanes)
        if room <= 0:
            continue
        mine = [index for index in islice(one.ranges, LOOKED_AT) if is_turn(view, one, index, 1, supers)]
        if mine:
            why = f"{one.holder}, which has it in hand, is {one.holder_state.label}"
            return (Repeat(one.task, RangeSet.of(mine[:room]), why, goes_first=True),), False
        is_later = True
    return (), is_later


def _in_hand(view: View) -> Iterator[Underway]:
    """Yield what unstable nodes hold and nobody else attempts, what runs first."""
    held = [
        one
        for one in islice(view.elsewhere, LOOKED_AT)
        if one.holder_state >= NodeState.UNSTABLE and one.is_pure and one.attempts == 1
    ]
    yield from (one for one in held if one.running_s is not None)
    yield from (one for one in held if one.running_s is None)
