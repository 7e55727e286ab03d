"""First come, first served: what a node wants if nobody says otherwise.

Rules
- Where nobody else is there, whatever is ready is taken in the order of the queue, and the next steps of a chain before
  they are.
- Without a contest a node takes what nobody else will want now: interactive work that was handed in here and that it
  has a free lane for (LAN 3.2: it runs at once where it was submitted), or that its submitter, who has none, handed to
  it; the next step of a chain whose last step it has made; its own section of a large array, and its own tasks of a
  long queue (bids.py), if all have known each other for a while and so agree on what is whose.
- For the rest it bids, for as much as fills all lanes that are free or soon will be for a short time. A loser takes its
  rank into the next choice (bids.py).
- What others run is theirs: nothing is repeated, but for what several nodes have to agree on (core/agreement). That
  goes by the order of the queue, too, and not while a bid is open, which may want the lane.
- In a large mesh with little to do, a node that has room may leave it to others for a window (bids.py).
"""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import islice

from roost.model.ids import NodeId, TaskId
from roost.model.ranges import EMPTY, RangeSet
from roost.model.task import Priority
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
from roost.policy.choose import (
    Abstain,
    BidFor,
    Candidate,
    Choice,
    Repeat,
    Take,
    TakeAhead,
    TakeReady,
    View,
)
from roost.policy.turns import is_turn, shift_ends_at

_ALL = (TakeReady(), TakeAhead("it goes on from what that lane makes"))


def first_come_first_served(view: View) -> Sequence[Choice]:
    if view.alone:
        return _ALL
    own = [*_handed(view), *_own_interactive(view)]
    if own or (view.queue and not view.may_bid):
        return own
    repeats, later = _found_again(view)
    if view.queue and not repeats:
        return _own_tasks(view) or _contested(view) or later
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
