"""Nodes that repeat what others run: the policy of worlds with further attempts (core/queue/attempts.py).

It is work queue with replication, on top of first come, first served: a node for which nothing is left to take or to
bid for begins with what runs elsewhere and has the fewest attempts. It is hastier than a node should be in earnest,
because it does not ask how long something has run: so there is more to go wrong.
"""

from collections.abc import Sequence

from roost.model.hashing import rendezvous
from roost.model.ids import NodeId
from roost.policy.choose import Choice, Policy, Repeat, Underway, View
from roost.policy.fcfs import first_come_first_served

#: Attempts at one element, as far as they are heard of; with the first, which is that of its holder.
ATTEMPTS_MAX = 3


def repeater(limit: int = ATTEMPTS_MAX) -> Policy:
    """Return the policy of a node that repeats what has fewer attempts than ``limit``."""

    def choose(view: View) -> Sequence[Choice]:
        wanted = first_come_first_served(view)
        if wanted or not view.others:
            return wanted
        free = [one for one in view.elsewhere if one.may_repeat and one.attempts < limit and one.free_lanes]
        best = min(free, key=lambda one: _rank(one, view.node), default=None)
        if best is None:
            return ()
        return (Repeat(best.task, best.ranges.take(best.free_lanes), "nothing else is left to do"),)

    return choose


def _rank(one: Underway, node: NodeId) -> tuple[int, bytes, str, int]:
    """Those with the fewest attempts first; among them nodes begin with different ones."""
    return one.attempts, rendezvous(one.task, node), one.holder, one.ranges.first
