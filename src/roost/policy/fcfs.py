"""First come, first served: what a node wants if nobody says otherwise.

Rules
- Where nobody else is there, whatever is ready is taken in the order of the queue, and the next steps of a chain before
  they are.
- Without a contest a node takes what nobody else will want now: what every policy takes at once (at_once.py); the next
  step of a chain whose last step it has made; its own section of a large array, and its own tasks of a long queue
  (bids.py), if all have known each other for a while and so agree on what is whose.
- For the rest it bids, for as much as fills all lanes that are free or soon will be for a short time. A loser takes its
  rank into the next choice (bids.py).
- What others run is theirs: nothing is repeated, but for what several nodes have to agree on.
- In a large mesh with little to do, a node that has room may leave it to others for a window (bids.py).
"""

from bisect import bisect_left
from collections.abc import Iterable, Sequence

from roost.model.ids import NodeId, TaskId
from roost.model.ranges import EMPTY, RangeSet
from roost.policy.at_once import WHATEVER_IS_READY, at_once_or
from roost.policy.batch import CHAIN_MAX
from roost.policy.bids import (
    Offer,
    choose_in_sections,
    choose_places,
    has_sections,
    hesitates,
    is_long,
    place_of,
    places_looked_at,
    section,
)
from roost.policy.choose import Abstain, BidFor, Candidate, Choice, Take, View


def first_come_first_served(view: View) -> Sequence[Choice]:
    return WHATEVER_IS_READY if view.alone else at_once_or(view, take_or_bid)


def take_or_bid(view: View) -> Sequence[Choice]:
    """Return what a node wants of work that others may want, too; there is some."""
    return _own_tasks(view) or _contested(view)


def _own_tasks(view: View) -> list[Take]:
    """Return what is first of all for this node, of tasks that are as urgent as any."""
    position, nodes = _position(view)
    head = next(iter(view.queue))
    if has_sections(head.elements, nodes):
        return []
    is_shared = is_long(len(view.queue), nodes) and view.is_settled
    # One by one: of a long queue the first few are enough.
    own = (
        candidate
        for candidate in view.queue
        if candidate.priority is head.priority and _is_own(candidate, view.node, position, nodes, is_shared=is_shared)
    )
    places = choose_places(_offers(own, places=1), rank=0)
    return [Take(task, ranges, "its input was made here, or its name falls to this node") for task, ranges in places]


def _is_own(candidate: Candidate, node: NodeId, position: int, nodes: int, *, is_shared: bool) -> bool:
    """Whether the step before was made here, or, in a queue that is shared out, its name falls to this node."""
    maker = candidate.maker
    if maker is None and is_shared:
        return place_of(candidate.task, nodes) == position
    return maker == node


def _contested(view: View) -> Sequence[Choice]:
    position, nodes = _position(view)
    offers = _offers(view.queue, places_looked_at(view.rank, nodes))
    if hesitates(offers, view.node, nodes, view.abstained):
        return (Abstain("there are many more nodes than work; others bid first", view.now + view.window_s),)
    elements = _elements_of(view.queue, offers[0].task) if offers else EMPTY
    if has_sections(elements, nodes):
        task, ready, size = offers[0]
        places = [(task, choose_in_sections(elements, ready, size, view.rank, position, nodes))]
    else:
        places = choose_places(offers, view.rank)
    choices: list[Choice] = []
    for task, ranges in places:
        elements = _elements_of(view.queue, task)
        if view.is_settled and has_sections(elements, nodes) and ranges.issubset(section(elements, position, nodes)):
            choices.append(Take(task, ranges, "it is this node's section of a large array"))
            break
        choices.append(BidFor(task, ranges, "it is the next in the queue"))
    return choices


def _offers(candidates: Iterable[Candidate], places: int) -> list[Offer]:
    """Return what could be bid for, from the beginning on, until it fills so many places."""
    offers: list[Offer] = []
    # A place may be filled by nearly twice as much as it has room for, since elements are whole.
    room = 2.0 * places
    for candidate in candidates:
        if candidate.hungry_lanes and not candidate.is_hopeless and (ready := candidate.ready):
            offers.append(Offer(candidate.task, ready, candidate.size))
            room -= len(ready) / offers[-1].size
            if room <= 0.0 or len(offers) == places * CHAIN_MAX:
                break
    return offers


def _elements_of(queue: Iterable[Candidate], task: TaskId) -> RangeSet:
    return next(candidate.elements for candidate in queue if candidate.task == task)


def _position(view: View) -> tuple[int, int]:
    """Return which of all nodes this one is, in the order of their names, and how many there are."""
    return bisect_left(view.others, view.node), 1 + len(view.others)
