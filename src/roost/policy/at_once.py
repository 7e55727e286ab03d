"""What every policy does before it competes, because no contest is about it.

- Interactive work that was handed in here and that this node has a free lane for is taken at once (LAN 3.2: it runs
  where it was submitted), and so is what its submitter, who has none, handed to this node.
- What several nodes have to agree on (core/agreement) is repeated by as many nodes as it takes. That goes by the order
  of the queue, and not while a bid is open, which may want the lane.
"""

from collections.abc import Callable, Sequence
from itertools import islice
from typing import Final, TypeAlias

from roost.model.ranges import RangeSet
from roost.model.task import Priority
from roost.policy.choose import Abstain, Choice, Repeat, Take, TakeAhead, TakeReady, View
from roost.policy.turns import is_turn, shift_ends_at

#: What a lane may have before it is ready, where nobody else could have it.
AHEAD: Final = TakeAhead("it goes on from what that lane makes")
#: What a node that is alone wants, if its policy has no order of its own.
WHATEVER_IS_READY: Final = (TakeReady(), AHEAD)

#: What a policy wants of work that others may want, too.
Compete: TypeAlias = Callable[[View], Sequence[Choice]]


def at_once_or(view: View, compete: Compete) -> Sequence[Choice]:
    """Return what this node does without a contest; if that is nothing, what it competes for."""
    own = [*_handed(view), *_own_interactive(view)]
    if own or (view.queue and not view.may_bid):
        return own
    repeats, later = _found_again(view)
    if view.queue and not repeats:
        return compete(view) or later
    return repeats or later


def _found_again(view: View) -> tuple[Sequence[Choice], Sequence[Choice]]:
    """Return what lacks findings and goes before all that is ready, and what is to do when nothing else is.

    Each element is repeated by as many nodes as it takes, in turns (turns.py).
    """
    waits = False
    for one in view.lacking:
        free = one.free_lanes
        mine = list(islice((index for index in one.ranges if is_turn(view, one, index, one.wanted)), free))
        if mine:
            why = "its results have to agree, and too few nodes have found one"
            repeats = (Repeat(one.task, RangeSet.of(mine), why),)
            return (repeats, ()) if one.is_first else ((), repeats)
        waits = waits or free > 0
    others_first = Abstain("others come first with what has to be found again", shift_ends_at(view.now))
    return (), (others_first,) if waits else ()


def _handed(view: View) -> list[Take]:
    takes = []
    for candidate in view.handed:
        ranges = candidate.ready.take(candidate.free_lanes)
        if ranges:
            takes.append(Take(candidate.task, ranges, "its submitter has no room for it, and has named this node"))
    return takes


def _own_interactive(view: View) -> list[Take]:
    takes = []
    for candidate in view.queue:
        if candidate.priority is not Priority.INTERACTIVE:
            break
        if candidate.submitter == view.node and not candidate.is_hopeless and (lanes := candidate.free_lanes):
            ranges = candidate.ready.take(lanes)
            if ranges:
                takes.append(Take(candidate.task, ranges, "it is interactive, and was handed in here"))
    return takes
