"""Work queue with replication: WQR-r and WQR-FA-r (HTC 4.3.1).

Whatever waits is started first, by any node (WQR) or by the one that will stay longest (WQR-FA). When nothing waits any
more, nodes with room repeat what others run, what has the fewest attempts first, until each element has r; the first
result counts, and ends the other attempts. Nothing needs to be known of how long anything takes.

HTC's algorithm 4 is a central scheduler's. Here each node that is idle decides for itself, by what it has heard of who
attempts what. Names decide which of the like elements a node repeats, so that two nodes begin with different ones; when
several begin in the same moment there may be more than r attempts for as long as it takes to hear of each other.

Only what may run twice is repeated (``repeatable``, and nothing that people do). A node that is alone has nobody whose
work it could repeat.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeAlias

from roost.model.hashing import rendezvous
from roost.model.ids import NodeId
from roost.policy.at_once import WHATEVER_IS_READY, at_once_or
from roost.policy.choose import Choice, Policy, Repeat, Underway, View
from roost.policy.competition import compete
from roost.policy.rating import Rate, by_chance, by_lifetime_bound

#: Orders like elements for a node.
_Order: TypeAlias = Callable[[str, NodeId], bytes | float]


def with_replicas(rate: Rate, limit: int, order: _Order = rendezvous) -> Policy:
    """Return the policy that has up to ``limit`` attempts at each element, the first by the scores of ``rate``."""

    def choose(view: View) -> Sequence[Choice]:
        if view.alone:
            return WHATEVER_IS_READY
        wanted = at_once_or(view, partial(compete, rate))
        return wanted or (_repeat(view, limit, order) if view.may_bid else ())

    return choose


def _repeat(view: View, limit: int, order: _Order) -> Sequence[Choice]:
    may = [one for one in view.elsewhere if one.may_repeat and one.attempts < limit and one.free_lanes]
    best = min(may, key=lambda one: _rank(one, view.node, order), default=None)
    if best is None:
        return ()
    why = f"nothing waits, and fewer than {limit} nodes attempt it"
    return (Repeat(best.task, best.ranges.take(best.free_lanes), why),)


def _rank(one: Underway, node: NodeId, order: _Order) -> tuple[int, bytes | float, str, int]:
    """What has the fewest attempts first; among the like, each node begins with another."""
    return one.attempts, order(f"{one.task}/{one.ranges.first}", node), one.holder, one.ranges.first


WQR_2 = with_replicas(by_chance, 2)
WQR_4 = with_replicas(by_chance, 4)
WQR_FA_2 = with_replicas(by_lifetime_bound, 2)
WQR_FA_4 = with_replicas(by_lifetime_bound, 4)
