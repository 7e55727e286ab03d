"""Bids: which of two is better, how much to bid for, and where in the queue.

The order is total and every node computes it alike from the bids themselves: priority class (interactive first), then
score (smaller is better), then stamp (older first), then the node's name (alphabetically lower first). If scores are
equal this is the order of LAN 3.6.2, timestamp and then host name.

The rank rule (LAN 3.6.2 and algorithm 3.2; DICE, time window, situation 2): who was beaten by r bidders leaves the
first r - 1 places of what is left to those who were beaten by fewer. So k losers spread over the next k places and do
not meet again. A place is as much as one bid asks for: a piece of an array, or several single tasks.

In a large mesh with little to do, nearly all who bid would lose, and everybody would have to hear them all. So where
there are many more nodes than places, some bid at once, chosen by chance that is drawn from the names of the node and
the work. The others hesitate for a window; then four times as many bid, and so on, until somebody does who has the
time. In a mesh of up to BIDDERS nodes nobody hesitates.

Of a large array every node first wants its own section: the i-th of n nodes the i-th n-th of it, from its beginning.
Who has nothing left of its own helps the others, from the end of what they have left, each at another place. So nodes
that learn of the same array at the same moment, or of each other late, do not want the same elements; and what a node
makes of one array is where it begins with the next one that needs it element by element. Because nobody else wants the
beginning of a section, its node takes it without a contest: a helper who bids for the end of it meanwhile hears of the
lease before its window closes.

In a long queue of small tasks it is the same with whole tasks: each is first of all for one node, chosen by its name.
"""

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import Final, NamedTuple, TypeAlias

from roost.model.clock import Stamp
from roost.model.hashing import digest_of, rendezvous
from roost.model.ids import NodeId, TaskId
from roost.model.limits import BID_RANGES_MAX, LEASE_ELEMENTS_MAX
from roost.model.ranges import RangeSet
from roost.model.task import Priority
from roost.policy.batch import GROWTH_MAX
from roost.wire.messages import Bid

BidKey: TypeAlias = tuple[int, float, Stamp]

#: The work that a bid asks for on each free lane. Longer: fewer contests. Shorter: less is repeated when a node is
#: lost, and nodes end closer together.
BID_TARGET_S = 0.4
#: How many nodes bid at once for each place, about. More: it is more likely that the first of them are idle. Fewer: a
#: large mesh has less to hear.
BIDDERS = 16
#: How many times as many bid after each window in which nobody did.
EAGER_GROWTH = 4
#: ... but at least so many windows long, or lanes would wait for contests on a slow network.
BID_WINDOWS = 4
#: The last part of an array is shared out in pieces that shrink to no less than this work for a lane, by which nodes
#: then end apart; smaller ones would cost a contest each.
BID_LAST_S = 0.1
#: Elements of an array for each node from which on it has sections. Fewer: small arrays are spread as well, and nodes
#: that are busy are waited for a little. More: only large ones.
SECTION_MIN = 16
#: Tasks in the queue for each node from which on each is first of all for one node. Fewer: short queues need no
#: contests either, and tasks wait for nodes that are busy while others are free.
QUEUE_MIN = 2
#: Tasks whose place is remembered, so that it is not worked out whenever the queue is looked at.
_PLACES_KEPT = 65_536

#: The score of a node that wants only what nobody else does (by_state.py).
LAST_SCORE: Final = math.inf

_CLASSES = {Priority.INTERACTIVE: 0, Priority.LOW: 1}


def bid_key(bid: Bid) -> BidKey:
    """Return the place of a bid in the total order: the smaller key wins. A stamp ends with its node's name."""
    return (_CLASSES[bid.priority], bid.score, bid.at)


def speaks_better(bid: Bid, priority: Priority, score: float) -> bool:
    """Say whether ``bid`` beats one that would be made now: with the same class and score the older stays ahead."""
    return (_CLASSES[bid.priority], bid.score) <= (_CLASSES[priority], score)


def why_lost(policy: str, own: Bid, better: Bid) -> str:
    """Say why ``better`` beats a node's ``own`` bid, for people: who bid what by this policy."""
    if own.score == LAST_SCORE:
        too = ", which is unstable, too, and bid first" if better.score == LAST_SCORE else ""
        return f"the last contest went to {better.node}{too}; this node is unstable, and gets what nobody else wants"
    if better.score == own.score:
        as_much = f"bid as much, {in_words(own.score)}, and" if own.score else "bid"
        return f"the last contest went to {better.node}, which {as_much} first ({policy})"
    return (
        f"the last contest went to {better.node}: it bid {in_words(better.score)}, "
        f"and this node {in_words(own.score)}, which is not as good ({policy})"
    )


def in_words(score: float) -> str:
    """Return a score as people know it: what should be large is bid with a minus before it."""
    return f"{abs(score):.3g}"


def bid_size(mean_s: float | None, ready: int, lanes: int, nodes: int, previous: int, *, window_s: float = 0.0) -> int:
    """Return how many elements of a task fill a short time on all ``lanes`` that this node has free.

    ``mean_s`` is an element's mean time if known, ``ready`` how many elements there are, ``nodes`` how many nodes may
    share them, ``previous`` the size of this task's largest bid so far (0 before the first). The last part of an array
    is shared out in shrinking pieces, but no lane stays empty for it. The size may exceed what is ready of one task:
    the rest of the room is for the tasks behind it (``choose_places``).
    """
    lanes = max(lanes, 1)
    if mean_s is None:
        return lanes
    fill = lanes * math.ceil(max(BID_TARGET_S, BID_WINDOWS * window_s) / max(mean_s, 1e-9))
    last = lanes * int(max(BID_LAST_S, window_s) / max(mean_s, 1e-9))
    share = max(math.ceil(ready / (2 * max(nodes, 1))), last)
    return max(lanes, min(fill, share, max(previous, lanes) * GROWTH_MAX, lanes * LEASE_ELEMENTS_MAX))


def is_short(length_s: float | None) -> bool:
    """Whether several elements fill the time that is bid for, as far as is known."""
    return length_s is not None and length_s < BID_TARGET_S


def has_sections(elements: RangeSet, nodes: int) -> bool:
    return nodes > 1 and len(elements) >= SECTION_MIN * nodes


def section(elements: RangeSet, position: int, nodes: int) -> RangeSet:
    """Return the part of a large array that is first of all for the node at this ``position`` of all ``nodes``."""
    count = len(elements)
    return _slice(elements, position * count // nodes, (position + 1) * count // nodes)


def is_long(queue: int, nodes: int) -> bool:
    """Whether so many waiting tasks are shared out without contests."""
    return nodes > 1 and queue >= QUEUE_MIN * nodes


@lru_cache(maxsize=_PLACES_KEPT)
def place_of(name: str, nodes: int) -> int:
    """Return the position, of all ``nodes``, of the one for which something of this name is first of all."""
    return int.from_bytes(digest_of(name.encode()), "big") % nodes


def choose_in_sections(
    elements: RangeSet, ready: RangeSet, size: int, rank: int, position: int, nodes: int
) -> RangeSet:
    """Return the piece of a large array that the node at this ``position`` of all ``nodes`` bids for."""
    if not ready:
        return ready
    size = max(size, 1)
    own = ready & section(elements, position, nodes)
    if own:
        return _within_limit(own.take(size))
    pieces = math.ceil(len(ready) / size)
    stop = len(ready) - (position + _place(rank)) % pieces * size
    return _within_limit(_slice(ready, max(stop - size, 0), stop))


class Offer(NamedTuple):
    """What could be bid for of one task."""

    task: TaskId
    ready: RangeSet
    #: How many of its elements fill the node (``bid_size``).
    size: int


def choose_places(queue: Sequence[Offer], rank: int) -> list[tuple[TaskId, RangeSet]]:
    """Return what to bid for when many tasks are ready: the rank-th place of the queue, counted from 1.

    The queue is without what better bids cover, so that its first place is for whoever was beaten by one, and for
    whoever was not (rank 0). If there are fewer places, counting goes on at the first again. A place fills the node
    once: it is a piece of one array, or several small tasks together.
    """
    places: list[list[tuple[TaskId, RangeSet]]] = []
    for place in _places(queue):
        places.append(place)
        if len(places) > _place(rank):
            return place
    return places[_place(rank) % len(places)] if places else []


def places_looked_at(rank: int, nodes: int) -> int:
    """Return how many places of the queue a bidder must know: those before its own, and as many as decide whether it
    hesitates."""
    return max(_place(rank) + 1, math.ceil(nodes / BIDDERS))


def hesitates(queue: Sequence[Offer], node: NodeId, nodes: int, windows: int) -> bool:
    """Return whether a node leaves it to others to bid, of ``nodes`` in all, after so many windows of hesitation."""
    bidders: int = BIDDERS * EAGER_GROWTH**windows
    places = sum(1 for _ in islice(_places(queue), math.ceil(nodes / bidders)))
    if not places or bidders * places >= nodes:
        return False
    work = f"{queue[0].task}/{queue[0].ready.first}"
    luck = int.from_bytes(rendezvous(work, node)[:8], "big") / (1 << 64)
    return luck >= bidders * places / nodes


def _places(queue: Sequence[Offer]) -> Iterator[list[tuple[TaskId, RangeSet]]]:
    place: list[tuple[TaskId, RangeSet]] = []
    room = 1.0
    for task, ready, size in queue:
        begun, size = 0, max(size, 1)
        while begun < len(ready):
            # Rounded up to whole elements, with a little grace so that thirds make a whole.
            stop = min(begun + max(1, math.ceil(room * size - 1e-6)), len(ready))
            place.append((task, _within_limit(_slice(ready, begun, stop))))
            room -= (stop - begun) / size
            begun = stop
            if room < 1e-6:
                yield place
                place, room = [], 1.0
    if place:
        yield place


def _place(rank: int) -> int:
    return max(rank - 1, 0)


def _slice(ready: RangeSet, start: int, stop: int) -> RangeSet:
    return ready.take(stop) - ready.take(start)


def _within_limit(ranges: RangeSet) -> RangeSet:
    """Leave away the last of too many ranges; they will be in another bid."""
    return ranges if ranges.range_count <= BID_RANGES_MAX else RangeSet(ranges.bounds[: 2 * BID_RANGES_MAX])
